import DflatCore
import DflatKV

/// The events that wait to be printed, in commit order.
///
/// All of them wait up to a size. Beyond it, only the newest event of each key does: what a reader that stops reading takes
/// in memory is bounded by the values that there are. The number of the others is passed on with the next event.
struct WaitingEvents: WaitingOutput {
  struct Item {
    let record: ValueRecord
    /// The number of events that were left out since the last item.
    let skippedCount: Int
  }

  /// The size of the events that all wait, in bytes.
  static let standardCapacity = 16 << 20
  /// The size of an event without its key and its value, in bytes.
  private static let overhead = 128

  private let capacity: Int
  /// The events in two parts: the first ones, last first, and those that came later.
  private var first: [ValueRecord] = []
  private var later: [ValueRecord] = []
  private var byteCount = 0
  /// The size beyond which events are left out. With many large keys it is higher than the capacity: each pass over the
  /// events has to pay off.
  private var limit: Int
  private var skippedCount = 0

  init(capacity: Int = WaitingEvents.standardCapacity) {
    self.capacity = capacity
    limit = capacity
  }

  mutating func append(_ record: ValueRecord) {
    later.append(record)
    byteCount += Self.size(of: record)
    if byteCount > limit { keepNewest() }
  }

  mutating func next() -> Item? {
    if first.isEmpty {
      first = later.reversed()
      later = []
    }
    guard let record = first.popLast() else { return nil }
    byteCount -= Self.size(of: record)
    if first.isEmpty && later.isEmpty { limit = capacity }
    defer { skippedCount = 0 }
    return Item(record: record, skippedCount: skippedCount)
  }

  /// Leaves out the events whose keys have newer ones.
  private mutating func keepNewest() {
    // From the newest one on.
    var all = Array(later.reversed())
    all += first
    var keys: Set<ByteComparedString> = []
    let newest = all.filter { keys.insert(ByteComparedString($0.key)).inserted }
    (first, later) = (newest, [])
    byteCount = newest.reduce(0) { $0 + Self.size(of: $1) }
    skippedCount += all.count - newest.count
    limit = max(capacity, 2 * byteCount)
  }

  private static func size(of record: ValueRecord) -> Int {
    record.key.utf8.count + (record.value?.byteCount ?? 0) + overhead
  }
}
