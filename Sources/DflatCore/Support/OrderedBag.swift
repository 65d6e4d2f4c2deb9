/// Elements in the order in which they were added. The token that adding one returns removes it in logarithmic time:
/// a removal leaves a gap, and gaps are closed when they outnumber the elements.
package struct OrderedBag<Element>: Sequence {
  /// Removes one element. Means nothing to another bag.
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

  /// Ascending by their numbers.
  @usableFromInline var slots: [Slot] = []
  @usableFromInline var nextNumber = 0
  @usableFromInline var elementCount = 0

  @inlinable package init() {}

  @inlinable package var count: Int { elementCount }
  @inlinable package var isEmpty: Bool { elementCount == 0 }
  /// Elements and gaps.
  package var slotCount: Int { slots.count }
  /// Elements and gaps that there is memory for.
  package var capacity: Int { slots.capacity }

  @inlinable
  package mutating func append(_ element: Element) -> Token {
    defer { nextNumber += 1 }
    slots.append(Slot(number: nextNumber, element: element))
    elementCount += 1
    return Token(number: nextNumber)
  }

  /// Removes an element; nil if it is gone already.
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
    // In new memory, as that of a burst is given back.
    if slots.count > 2 * elementCount + 8 { slots = slots.filter { $0.element != nil } }
    return element
  }

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
