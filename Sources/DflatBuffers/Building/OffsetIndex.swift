/// A hash set of a builder's objects, keyed by their contents: vtables and shared strings.
///
/// It uses open addressing, and keeps its memory for the next buffer. Each entry carries the generation that it belongs
/// to, so that emptying the set takes constant time.
struct OffsetIndex: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var generation: UInt32 = 0
    var hash: UInt32 = 0
    var location: UInt32 = 0
  }

  private var entries: UnsafeMutableBufferPointer<Entry>
  private var generation: UInt32 = 1
  private var count = 0

  init() {
    entries = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  deinit {
    entries.deallocate()
  }

  mutating func removeAll() {
    count = 0
    generation &+= 1
    if generation == 0 {
      entries.update(repeating: Entry())
      generation = 1
    }
  }

  /// Returns the location of an object with that hash that satisfies the condition, or nil.
  func location(hash: UInt32, where isSame: (Int) -> Bool) -> Int? {
    guard count > 0 else { return nil }
    var index = Int(hash) & (entries.count - 1)
    while entries[index].generation == generation {
      if entries[index].hash == hash, isSame(Int(entries[index].location)) { return Int(entries[index].location) }
      index = (index + 1) & (entries.count - 1)
    }
    return nil
  }

  mutating func insert(_ location: Int, hash: UInt32) {
    if (count + 1) * 2 > entries.count { grow() }
    insert(Entry(generation: generation, hash: hash, location: UInt32(truncatingIfNeeded: location)))
    count += 1
  }

  private func insert(_ entry: Entry) {
    var index = Int(entry.hash) & (entries.count - 1)
    while entries[index].generation == generation { index = (index + 1) & (entries.count - 1) }
    entries[index] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = .allocate(capacity: max(16, old.count * 2))
    entries.initialize(repeating: Entry())
    for entry in old where entry.generation == generation { insert(entry) }
    old.deallocate()
  }
}
