import DequeModule

extension Deque {
  /// Removes and returns the first element, and releases the memory with the last one. `popFirst()` would keep the
  /// memory of a burst for as long as the queue lives, which is as long as its workspace.
  mutating func takeFirst() -> Element? {
    defer { if isEmpty { removeAll() } }
    return popFirst()
  }
}
