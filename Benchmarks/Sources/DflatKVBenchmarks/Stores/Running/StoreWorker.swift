import Dispatch
import Foundation
import Synchronization

/// The process that works on a store.
enum StoreWorker {
  private static let recordsPerTransaction = 1_000
  /// The share of the measured time for which each thread works before.
  private static let warmUp = 0.5

  /// Fills a new store.
  static func load(_ work: StoreWork) throws {
    let store = try work.store.open(at: work.path, work.kind, work.durability)
    let session = try store.session()
    var random = SplitMix(seed: 1)
    for first in stride(from: 0, to: work.records, by: recordsPerTransaction) {
      try session.load(
        (first..<min(first + recordsPerTransaction, work.records)).map { number in
          (StoreRecord.key(number), value(work.kind, &random))
        })
    }
    try store.finish()
    session.end()
    try store.close()
  }

  /// Works until the time is over. The process announces that it is ready, and starts when it is told to.
  static func run(_ work: StoreWork) throws -> StoreMeasurement {
    let store = try work.store.open(at: work.path, work.kind, work.durability)
    let threads = try (0..<work.threads).map { StoreThread(work, try store.session(), number: work.firstThread + $0) }
    try runAll(threads, for: work.seconds * warmUp)
    try store.finish()
    for thread in threads { thread.latencies = LatencyHistogram() }
    try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
    guard readLine() != nil else { throw BenchmarkFailure("nobody started the work") }
    let start = MonotonicClock.nanoseconds
    try runAll(threads, for: work.seconds)
    // What was written has to be in the file.
    try store.finish()
    var measurement = StoreMeasurement()
    measurement.seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
    for thread in threads { measurement.latencies.add(thread.latencies) }
    measurement.operations = measurement.latencies.total
    measurement.peakMemory = peakMemory
    for thread in threads { thread.session.end() }
    try store.close()
    return measurement
  }

  private static func runAll(_ threads: [StoreThread], for seconds: Double) throws {
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: threads.count) { index in
      do { try threads[index].run(for: seconds) } catch { failure.withLock { $0 = error } }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  static func value(_ kind: RecordKind, _ random: inout SplitMix) -> RecordValue {
    switch kind {
    case .document: .document(StoreRecord.document(&random))
    case .integer: .integer(Int(random.next() >> 1))
    }
  }

  /// The most memory that the process has had, in bytes.
  private static var peakMemory: Int {
    #if os(Linux)
      // Not that of `getrusage`, which is at least that of the process that has started this one.
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
      return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
    #else
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }
}

/// One thread of a worker, which alone uses it while it runs.
private final class StoreThread: @unchecked Sendable {
  private let work: StoreWork
  let session: any StoreSession
  private let chooser: KeyChooser
  private var random: SplitMix
  /// The numbers of this thread's records, in steps: each thread inserts every n-th one.
  private var inserted: Range<Int>
  private let firstInsert: Int
  var latencies = LatencyHistogram()

  init(_ work: StoreWork, _ session: any StoreSession, number: Int) {
    self.work = work
    self.session = session
    chooser = KeyChooser(work.distribution, for: work.workload, records: work.records)
    random = SplitMix(seed: UInt64(work.firstInsert) &+ UInt64(number) &* 7_919)
    firstInsert = work.firstInsert + number
    inserted = 0..<0
  }

  func run(for seconds: Double) throws {
    var now = MonotonicClock.nanoseconds
    let end = now + Int(seconds * 1e9)
    while now < end {
      let operation = work.workload.operation(Int(random.next() % 100))
      let key = operation == .insert ? nextKey() : chosenKey()
      let bytes = operation == .update || operation == .modify ? change() : nil
      let start = MonotonicClock.nanoseconds
      try perform(operation, key, bytes)
      now = MonotonicClock.nanoseconds
      latencies.add(nanoseconds: now - start)
    }
  }

  private func perform(_ operation: YCSBWorkload.Operation, _ key: String, _ change: RecordChange?) throws {
    switch operation {
    case .read:
      let expected = work.kind == .document ? StoreRecord.documentLength : 8
      guard try session.read(key) == expected else { throw BenchmarkFailure("\(work.store.title): no record \(key)") }
    case .update: if let change { try session.update(key, change) }
    case .modify: if let change { try session.modify(key, change) }
    case .insert: try session.insert(key, StoreWorker.value(work.kind, &random))
    case .scan:
      let limit = Int(random.next() % UInt64(YCSBWorkload.maximumScanLength)) + 1
      guard try session.scan(from: key, limit: limit) > 0 else { throw BenchmarkFailure("no records from \(key)") }
    }
  }

  private func change() -> RecordChange {
    let field = Int(random.next() % UInt64(StoreRecord.fieldCount))
    return RecordChange(
      field: field, bytes: work.kind == .document ? StoreRecord.field(&random) : [],
      number: Int(random.next() >> 1))
  }

  private func nextKey() -> String {
    inserted = 0..<inserted.upperBound + 1
    return key(ofInserted: inserted.upperBound - 1)
  }

  private func chosenKey() -> String {
    // Inserted records follow the loaded ones here.
    let number = chooser.next(&random, inserted: work.records..<work.records + inserted.count)
    return number < work.records ? StoreRecord.key(number) : key(ofInserted: number - work.records)
  }

  private func key(ofInserted index: Int) -> String { StoreRecord.key(firstInsert + index * work.allThreads) }
}
