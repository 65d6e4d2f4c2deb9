/// A collection that keeps the order of insertion. The token that `append` returns removes its element in logarithmic
/// time. A removal leaves a gap; the gaps are closed once they outnumber the elements.
@usableFromInline
package struct OrderedBag<Element>: Sequence {
  /// Identifies an element for removal. Valid only for its own bag.
  @usableFromInline
  package struct Token: Hashable, Sendable {
    @usableFromInline let number: Int

    @usableFromInline init(number: Int) { self.number = number }
  }

  @usableFromInline struct Slot {
    @usableFromInline let number: Int
    /// Nil in a gap.
    @usableFromInline var element: Element?

    @usableFromInline init(number: Int, element: Element) {
      self.number = number
      self.element = element
    }
  }

  /// The elements and gaps, in ascending order of their numbers.
  @usableFromInline var slots: [Slot] = []
  @usableFromInline var nextNumber = 0
  @usableFromInline var elementCount = 0

  @inlinable package init() {}

  @inlinable package var count: Int { elementCount }
  @inlinable package var isEmpty: Bool { elementCount == 0 }
  /// The number of elements and gaps.
  package var slotCount: Int { slots.count }
  /// The number of elements and gaps that fit in the allocated memory.
  package var capacity: Int { slots.capacity }

  /// Adds an element at the end, and returns the token that removes it.
  @inlinable
  package mutating func append(_ element: Element) -> Token {
    defer { nextNumber += 1 }
    slots.append(Slot(number: nextNumber, element: element))
    elementCount += 1
    return Token(number: nextNumber)
  }

  /// Removes an element, and returns it; nil if it is already gone.
  @discardableResult @inlinable
  package mutating func remove(_ token: Token) -> Element? {
    var low = 0
    var high = slots.count
    while low < high {
      let middle = (low + high) / 2
      if slots[middle].number < token.number { low = middle + 1 } else { high = middle }
    }
    guard low < slots.count, slots[low].number == token.number, let element = slots[low].element else { return nil }
    slots[low].element = nil
    elementCount -= 1
    // `filter` allocates new memory, which releases the memory of a burst.
    if slots.count > 2 * elementCount + 8 { slots = slots.filter { $0.element != nil } }
    return element
  }

  @usableFromInline
  package struct Iterator: IteratorProtocol {
    @usableFromInline var slots: IndexingIterator<[Slot]>

    @usableFromInline init(slots: [Slot]) { self.slots = slots.makeIterator() }

    @inlinable
    package mutating func next() -> Element? {
      while let slot = slots.next() { if let element = slot.element { return element } }
      return nil
    }
  }

  @inlinable package func makeIterator() -> Iterator { Iterator(slots: slots) }
}

extension OrderedBag.Slot: Sendable where Element: Sendable {}
extension OrderedBag: Sendable where Element: Sendable {}
