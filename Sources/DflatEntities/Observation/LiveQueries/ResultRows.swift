/// The sort key of a row in a result, unique to the row.
protocol RowKey: Comparable {
  var rowid: Int64 { get }
  /// True if a commit's changes come in this order.
  static var isOrderOfChanges: Bool { get }
  /// Creates the key from a rowid. Returns nil if it needs more than that.
  init?(onlyRowid rowid: Int64)
}

/// The key in results without a sort order, which are in rowid order.
extension Int64: RowKey {
  var rowid: Int64 { self }
  static var isOrderOfChanges: Bool { true }
  init?(onlyRowid rowid: Int64) { self = rowid }
}

/// The rows of a live query in their order: all that match or, for a limited query, the first ones, some more than are
/// visible. A pure state machine; the objects are kept beside it.
struct ResultRows<Key: RowKey> {
  private(set) var keys: [Key]
  /// False if more matching rows may follow the last one.
  private(set) var isComplete: Bool

  init(keys: [Key], isComplete: Bool) {
    assert(zip(keys, keys.dropFirst()).allSatisfy(<))
    self.keys = keys
    self.isComplete = isComplete
  }

  /// A row that enters the result, with the position of its change in the commit's list.
  struct Arrival {
    let key: Key
    let change: Int32
  }

  /// Returns the position of the row with a key, searching from `start` on. Fast if the position is near.
  func position(of key: Key, from start: Int = 0) -> Int? {
    let position = firstPosition(notBefore: key, from: start)
    return position < keys.count && keys[position].rowid == key.rowid ? position : nil
  }

  private func firstPosition(notBefore key: Key, from start: Int) -> Int {
    var step = 1
    var low = start
    while low + step <= keys.count, keys[low + step - 1] < key {
      low += step
      step *= 2
    }
    var high = min(low + step - 1, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Removes and inserts rows. Both lists are in ascending order. A row that moves or has a new object is in both.
  ///
  /// If the list is not complete, arrivals after its last row stay out, because unknown rows may precede them.
  ///
  /// - Returns: For each remaining row its old position, and for each row that arrived `~change`.
  mutating func move(removing gone: [Int], inserting arrivals: [Arrival]) -> [Int32] {
    // Leave out the arrivals after the last known row.
    var arrivals = arrivals[...]
    if !isComplete {
      guard let last = keys.last else { return [] }
      while let arrival = arrivals.last, last < arrival.key { arrivals.removeLast() }
    }
    var moved: [Key] = []
    var sources: [Int32] = []
    moved.reserveCapacity(keys.count - gone.count + arrivals.count)
    sources.reserveCapacity(keys.count - gone.count + arrivals.count)
    var position = 0
    var nextGone = gone.startIndex
    /// Keeps the rows before `end` that are not removed.
    func keep(upTo end: Int) {
      while position < end {
        let isNextGone = nextGone < gone.endIndex && gone[nextGone] < end
        let stop = isNextGone ? gone[nextGone] : end
        moved.append(contentsOf: keys[position..<stop])
        sources.append(contentsOf: Int32(position)..<Int32(stop))
        position = stop
        if isNextGone {
          position += 1
          nextGone += 1
        }
      }
    }
    // Merge the arrivals into the remaining rows.
    for arrival in arrivals {
      keep(upTo: firstPosition(notBefore: arrival.key, from: position))
      moved.append(arrival.key)
      sources.append(~arrival.change)
    }
    keep(upTo: keys.count)
    keys = moved
    return sources
  }

  /// Drops the rows after the first `count`.
  mutating func trim(to count: Int) {
    if keys.count <= count { return }
    keys.removeLast(keys.count - count)
    isComplete = false
  }
}
