/// Notices that elements of which each should come once come again and again, in constant memory.
///
/// In a damaged file, many paths may lead to the same page of a tree, and reading the tree returns the page's rows on
/// each of them. Where rows don't come in an order that can be checked, this ends the reading early.
///
/// Compares each element with a single earlier one. It is replaced whenever the number of elements has doubled, so
/// elements that come again at any distance are noticed once there were a few times as many.
@usableFromInline
package struct RepetitionCheck<Element: Equatable> {
  @usableFromInline var count = 0
  @usableFromInline var nextMark = 1
  @usableFromInline var mark: Element?

  @inlinable package init() {}

  /// Returns true if the next element is the marked one. False doesn't mean that it is new.
  @inlinable
  package mutating func isRepeated(_ element: Element) -> Bool {
    if element == mark { return true }
    count += 1
    if count == nextMark {
      mark = element
      nextMark *= 2
    }
    return false
  }
}
