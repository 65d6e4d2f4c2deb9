/// Decides when a snapshot is due: counts the records since the newest one that this process knows of.
struct SnapshotSchedule {
  /// The number of records after which a snapshot is due, however small they are.
  static let mostRecords: UInt64 = 50_000

  /// More than any log has, in bytes.
  private static let mostBytes = 0x1p60

  /// The commit of the newest snapshot, or the one before the log's first record; nil until the counting begins.
  private(set) var start: UInt64?
  /// The bytes of the records since then.
  private(set) var bytes = 0
  /// The bytes of records with which a program asks, before it ends, whether a snapshot is due.
  private static let leastBytesAtTheEnd = 1 << 16
  /// The number of commits of which one lets the program that has made it ask.
  private static let commitsPerEnd: UInt64 = 64

  /// True if the program asks, before it ends, whether a snapshot is due. Those that commit little and end leave it to one
  /// in many, because it takes some calls to find out.
  private(set) var countsAtTheEnd = false
  /// True between `begins` and `end`.
  private var isRunning = false
  /// The start at the newest `begins`.
  private var startOfAttempt: UInt64?

  /// Begins to count. How large the records are that the log has already is judged by some of them.
  mutating func begin(after start: UInt64, head: UInt64, sample: [CommitRecord]) {
    self.start = start
    bytes = 0
    if sample.isEmpty || head <= start { return }
    let size = sample.reduce(0) { $0 + $1.bytes.count }
    // Foreign content can make the numbers as large as it likes.
    bytes = Int(min(Double(size) * Double(head - start) / Double(sample.count), Self.mostBytes))
  }

  /// Notes a record that was appended or applied.
  mutating func note(_ record: CommitRecord) {
    bytes += record.bytes.count
    if bytes >= Self.leastBytesAtTheEnd || record.number % Self.commitsPerEnd == 0 { countsAtTheEnd = true }
  }

  /// Returns true if a snapshot is due: the records since the last one are larger than `limit`, or too many.
  func isDue(at head: UInt64, limit: Int) -> Bool {
    guard let start else { return false }
    return bytes > limit || head > start && head - start > Self.mostRecords
  }

  /// Returns true if this process is to make a snapshot, or to begin to count first. The caller then calls `end`.
  mutating func begins(at head: UInt64, limit: Int) -> Bool {
    guard !isRunning, start == nil || isDue(at: head, limit: limit) else { return false }
    (isRunning, startOfAttempt) = (true, start)
    return true
  }

  /// Goes on after a snapshot, of this process or of another one. The records since then are taken for as large as those
  /// before.
  mutating func note(snapshot number: UInt64, head: UInt64) {
    guard let start, number > start else { return }
    bytes = head > number ? Int(Double(bytes) * Double(head - number) / Double(head - start)) : 0
    self.start = number
  }

  /// Ends the attempt to make a snapshot. If there is no newer one, because it failed or another process is making one, the
  /// next attempt begins when half as much has come again.
  mutating func end(at head: UInt64) {
    isRunning = false
    guard let start, start == startOfAttempt else { return }
    bytes /= 2
    self.start = start + (max(head, start) - start) / 2
  }
}
