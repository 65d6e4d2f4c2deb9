import DflatBuffers
import DflatSQLite

extension EntityQuery {
  /// What is made of the matches, in the asked order, within limit and offset. Made of those alone that are given.
  func collect<Value>(
    on connection: Connection, core: WorkspaceCore, _ make: (Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    if limit == 0 { return [] }
    let matches = try Matches(self, on: connection, core: core)
    if matches.plan.isStreamed { return try stream(matches, make) }
    guard let limit, case (let count, overflow: false) = limit.addingReportingOverflow(offset) else {
      return try sort(matches, make)
    }
    return try select(count, of: matches, core: core, make)
  }

  /// The matches come in the asked order: reading ends with the last one that is wanted.
  private func stream<Value>(
    _ matches: Matches<Element>, _ make: (Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    var skipped = 0
    try matches.forEach { rowid, bytes in
      if skipped < offset {
        skipped += 1
        return true
      }
      values.append(try make(rowid, bytes))
      return values.count != limit
    }
    return values
  }

  /// All matches, sorted.
  private func sort<Value>(
    _ matches: Matches<Element>, _ make: (Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    let reader = SortKeyReader(matches.plan.sorting)
    var found: [(key: SortKey, value: Value)] = []
    try matches.forEach { rowid, bytes in
      found.append((try reader.key(of: bytes, rowid: rowid), try make(rowid, bytes)))
      return true
    }
    found.sort { $0.key < $1.key }
    return found.dropFirst(offset).map(\.value)
  }

  /// The first matches, chosen from all of them by a heap of as many.
  private func select<Value>(
    _ count: Int, of matches: Matches<Element>, core: WorkspaceCore,
    _ make: (Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    let reader = SortKeyReader(matches.plan.sorting)
    var heap = BoundedHeap<[UInt8]>(capacity: count)
    try matches.forEach { rowid, bytes in
      let key = try reader.key(of: bytes, rowid: rowid)
      if heap.accepts(key) { heap.insert(key, Array(bytes)) }
      return true
    }
    return try heap.sorted().dropFirst(offset).map { key, bytes in
      do { return try bytes.withUnsafeBytes { try make(key.rowid, $0) } } catch let error as FlatBufferError {
        throw WorkspaceError.undecodable(error, rowid: key.rowid, table: Element._entity.table, path: core.path)
      }
    }
  }
}

/// The smallest of many keys, with a value each: a heap with the largest of them on top.
struct BoundedHeap<Value> {
  private let capacity: Int
  private var entries: [(key: SortKey, value: Value)] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether a key is among the smallest ones so far.
  func accepts(_ key: SortKey) -> Bool {
    entries.count < capacity || (entries.first.map { key < $0.key } ?? false)
  }

  /// Inserts what `accepts` accepted.
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
