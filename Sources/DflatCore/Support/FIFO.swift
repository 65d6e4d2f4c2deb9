/// A first-in, first-out queue: an array with a moving head. `append` and `popFirst` take amortized constant time. The
/// queue releases the memory of a burst.
package struct FIFO<Element> {
  private var elements: [Element?] = []
  private var head = 0

  package init() {}

  package var isEmpty: Bool { head == elements.count }
  package var count: Int { elements.count - head }
  package var first: Element? { isEmpty ? nil : elements[head] }

  /// The number of elements that fit in the allocated memory.
  package var capacity: Int { elements.capacity }

  /// The element after the first one.
  package var second: Element? { count > 1 ? elements[head + 1] : nil }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer {
      elements[head] = nil
      head += 1
      // Remove the gap at the front once it is the larger part of the array.
      if head > 32 && head * 2 > elements.count {
        if elements.capacity > 4 * count + 128 {
          elements = Array(elements[head...])
        } else {
          elements.removeFirst(head)
        }
        head = 0
      }
    }
    return elements[head]
  }
}
