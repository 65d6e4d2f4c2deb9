/// Keeps the smallest of many keys, each with a value, in a heap with the largest of them on top.
struct BoundedHeap<Value> {
  /// At least 1.
  private let capacity: Int
  private var entries: [(key: SortKey, value: Value)] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Returns true if a key is among the smallest so far.
  func accepts(_ key: SortKey) -> Bool {
    entries.count < capacity || key < entries[0].key
  }

  /// Inserts a key for which `accepts` returned true.
  mutating func insert(_ key: SortKey, _ value: Value) {
    guard entries.count == capacity else {
      entries.append((key, value))
      return siftUp(entries.count - 1)
    }
    entries[0] = (key, value)
    siftDown(0)
  }

  func sorted() -> [(key: SortKey, value: Value)] { entries.sorted { $0.key < $1.key } }

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0, case let parent = (index - 1) / 2, entries[parent].key < entries[index].key {
      entries.swapAt(parent, index)
      index = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while true {
      var largest = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
        if entries[largest].key < entries[child].key { largest = child }
      }
      if largest == index { return }
      entries.swapAt(index, largest)
      index = largest
    }
  }
}
