import CSQLiteBaseline
import DflatKV
import Foundation

/// Measures which times and sizes grow with the number of keys in a file, and which don't.
struct LargeFile: Codable {
  private static let keysPerTransaction = 50_000
  private static let readCount = 100_000
  private static let transactionCount = 20_000
  private static let keysPerCommit = 10
  /// The digits of a key that leave a thousand keys with one prefix.
  private static let prefixDigits = 7

  var count: Int
  var loadSeconds = 0.0
  var rawLoadSeconds = 0.0
  var fileBytes = 0
  var rawFileBytes = 0
  /// The median time from the call that opens the file to the first value, in nanoseconds.
  var open = 0
  /// Reads of keys that aren't cached, at random.
  var reads = LatencyHistogram()
  var rawReads = LatencyHistogram()
  /// The growth of the heap from before the file is opened until all keys of `reads` are in the cache, in bytes.
  var memory = 0
  /// The time for a thousand keys with one prefix.
  var prefix = 0
  /// Transactions of ten keys at random, checkpoints included.
  var commits = LatencyHistogram()
  var rawCommits = LatencyHistogram()
  var longestCommit = 0
  var longestRawCommit = 0

  static func key(_ number: Int) -> String {
    let digits = String(number)
    return "item." + String(repeating: "0", count: 10 - digits.count) + digits
  }

  /// Fills a file, and the baseline's.
  static func fill(_ path: String, raw rawPath: String, count: Int) throws -> LargeFile {
    var result = LargeFile(count: count)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    result.loadSeconds = try timing {
      try inSteps(of: count) { numbers in
        try workspace.transactAndWait { transaction in
          for number in numbers { transaction.dictionary[key(number), Int.self] = number }
        }
      }
    }
    workspace.shutdown(flags: .truncate)
    do {
      let raw = try RawDatabase(path: rawPath)
      result.rawLoadSeconds = try timing {
        try inSteps(of: count) { numbers in
          try raw.write { for number in numbers { try raw.insert(key(number), number) } }
        }
      }
    }
    result.fileBytes = try FileSize.onDisk(inFolderOf: path)
    result.rawFileBytes = try FileSize.onDisk(inFolderOf: rawPath)
    return result
  }

  /// Measures in a process that has read nothing of the file.
  mutating func probe(_ path: String, raw rawPath: String) throws {
    var random = SplitMix(seed: 1)
    open = try median(ofRuns: 21) {
      let workspace = try SQLiteWorkspace.open(filePath: path)
      let number = Int(random.next() % UInt64(count))
      guard workspace.dictionary[Self.key(number), Int.self] == number else { throw BenchmarkFailure("a wrong value") }
      return { workspace.shutdown() }
    }
    // Each key once, so that none is cached. The step has no divisor in common with the counts.
    let numbers = (0..<Self.readCount).map { ($0 + 1) &* 48_271 % count }
    let heap = baseline_heap_bytes_in_use()
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    try measure(&reads, numbers) { workspace.dictionary[Self.key($0), Int.self] }
    memory = Int(baseline_heap_bytes_in_use() - heap)
    let raw = try RawDatabase(path: rawPath)
    try raw.read { try measure(&rawReads, numbers) { try raw.select(Self.key($0)) } }
    prefix = try median(ofRuns: 21) {
      let prefix = Self.key(Int(random.next() % UInt64(count))).prefix(5 + Self.prefixDigits)
      guard workspace.dictionary.keys(withPrefix: String(prefix)).count == 1_000 else {
        throw BenchmarkFailure("a wrong number of keys")
      }
      return {}
    }
    // In alternation.
    for round in 0..<10 {
      let range = round * Self.transactionCount / 10..<(round + 1) * Self.transactionCount / 10
      longestCommit = max(
        longestCommit,
        try commit(range, &random, to: &commits) { keys, number in
          try workspace.transactAndWait { transaction in
            for key in keys { transaction.dictionary[key, Int.self] = number }
          }
        })
      longestRawCommit = max(
        longestRawCommit,
        try commit(range, &random, to: &rawCommits) { keys, number in
          try raw.write { for key in keys { try raw.insert(key, number) } }
        })
    }
  }

  private func measure(
    _ histogram: inout LatencyHistogram, _ numbers: [Int], _ read: (Int) throws -> Int?
  ) throws {
    for number in numbers {
      let start = MonotonicClock.nanoseconds
      let value = try read(number)
      histogram.add(nanoseconds: MonotonicClock.nanoseconds - start)
      guard value == number else { throw BenchmarkFailure("a wrong value") }
    }
  }

  /// Runs transactions, and returns the longest time of one.
  private func commit(
    _ numbers: Range<Int>, _ random: inout SplitMix, to histogram: inout LatencyHistogram,
    _ body: ([String], Int) throws -> Void
  ) throws -> Int {
    var longest = 0
    for number in numbers {
      let keys = (0..<Self.keysPerCommit).map { _ in Self.key(Int(random.next() % UInt64(count))) }
      let start = MonotonicClock.nanoseconds
      try body(keys, -number - 1)
      let time = MonotonicClock.nanoseconds - start
      histogram.add(nanoseconds: time)
      longest = max(longest, time)
    }
    return longest
  }

  private func median(ofRuns count: Int, _ body: () throws -> () -> Void) throws -> Int {
    let times = try (0..<count).map { _ in
      let start = MonotonicClock.nanoseconds
      let end = try body()
      let time = Double(MonotonicClock.nanoseconds - start)
      end()
      return time
    }
    return Int(Samples(times).median)
  }

  private static func inSteps(of count: Int, _ body: (Range<Int>) throws -> Void) throws {
    for first in stride(from: 0, to: count, by: keysPerTransaction) {
      try body(first..<min(first + keysPerTransaction, count))
    }
  }

  private static func timing(_ body: () throws -> Void) rethrows -> Double {
    let start = MonotonicClock.nanoseconds
    try body()
    return Double(MonotonicClock.nanoseconds - start) / 1e9
  }
}
