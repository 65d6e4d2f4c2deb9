import Foundation
import Testing

@testable import DflatKVBenchmarks

/// The comparison of stores: all of them do what the workloads ask for.
@Suite struct StoreTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test(arguments: StoreName.allCases, RecordKind.allCases) func operations(name: StoreName, kind: RecordKind) throws {
    let store = try name.open(at: try scratch.newDatabasePath(), kind, name == .dictionary ? .process : .power)
    let session = try store.session()
    var random = SplitMix(seed: 1)
    let size = kind == .document ? StoreRecord.documentLength : 8
    let keys = (0..<50).map(StoreRecord.key)
    try session.load(keys.map { ($0, StoreWorker.value(kind, &random)) })
    #expect(try keys.allSatisfy { try session.read($0) == size })
    #expect(try session.read("user") == 0)
    try session.insert("v", StoreWorker.value(kind, &random))
    let change = RecordChange(field: 3, bytes: StoreRecord.field(&random), number: 7)
    try session.update("v", change)
    try session.modify("v", change)
    #expect(try session.read("v") == size)
    if name.supports(.e, processes: 1, durability: .process) {
      let sorted = keys.sorted()
      #expect(try session.scan(from: sorted[40], limit: 5) == 5)
      #expect(try session.scan(from: sorted[45], limit: 100) == 6)
      #expect(try session.scan(from: "w", limit: 5) == 0)
    }
    try store.finish()
    session.end()
    try store.close()
  }

  @Test(arguments: StoreName.allCases, RecordKind.allCases)
  func aClosedStoreHasItsRecords(name: StoreName, kind: RecordKind) throws {
    let path = try scratch.newDatabasePath()
    let work = StoreWork(name, at: path, kind, records: 100)
    try StoreWorker.load(work)
    let store = try name.open(at: path, kind, .process)
    let session = try store.session()
    #expect(try (0..<100).allSatisfy { try session.read(StoreRecord.key($0)) > 0 })
    session.end()
    try store.close()
    #expect(try FileSize.onDisk(inFolderOf: path) > 0)
  }

  @Test func keysAreDifferentAndRecordsFull() {
    #expect(Set((0..<100_000).map(StoreRecord.key)).count == 100_000)
    var random = SplitMix(seed: 2)
    #expect(StoreRecord.document(&random).count == 1_000)
  }

  @Test func workloadsHaveTheirShares() {
    func count(_ workload: YCSBWorkload, _ operation: YCSBWorkload.Operation) -> Int {
      (0..<100).count { workload.operation($0) == operation }
    }
    #expect(count(.a, .update) == 50 && count(.b, .update) == 5 && count(.c, .read) == 100)
    #expect(count(.d, .insert) == 5 && count(.e, .scan) == 95 && count(.f, .modify) == 50)
  }

  @Test func zipfianRanksFollowTheirLaw() {
    let zipfian = Zipfian(count: 1_000)
    var random = SplitMix(seed: 3)
    var counts = Array(repeating: 0, count: 1_000)
    for _ in 0..<200_000 { counts[zipfian.rank(random.unit())] += 1 }
    // The second is used 2^0.99 times less than the first, the tenth about 10^0.99 times less.
    #expect((1.9...2.1).contains(Double(counts[0]) / Double(counts[1])))
    #expect((7.5...12).contains(Double(counts[0]) / Double(counts[9])))
    #expect(counts.reduce(0, +) == 200_000 && counts.last! > 0)
  }

  @Test func theNewestRecordsAreReadMost() {
    let chooser = KeyChooser(.uniform, for: .d, records: 1_000)
    var random = SplitMix(seed: 4)
    let numbers = (0..<10_000).map { _ in chooser.next(&random, inserted: 1_000..<1_100) }
    #expect(numbers.allSatisfy { (0..<1_100).contains($0) })
    #expect(numbers.count { $0 >= 1_000 } > 5_000)
    #expect(numbers.count { $0 == 1_099 } > numbers.count { $0 == 1_050 })
  }

  @Test func quantilesAreCloseToTheirDurations() {
    var histogram = LatencyHistogram()
    #expect(histogram.quantile(0.5) == nil)
    for nanoseconds in 1...100_000 { histogram.add(nanoseconds: nanoseconds) }
    for share in [0.5, 0.99, 0.999] {
      let quantile = Double(histogram.quantile(share) ?? 0)
      #expect((1...1.017).contains(quantile / (share * 100_000)), "\(share): \(quantile)")
    }
    var other = LatencyHistogram()
    other.add(nanoseconds: 5)
    other.add(histogram)
    #expect(other.total == 100_001)
  }

  @Test func aPartialRunKeepsTheOtherRows() {
    func row(_ store: StoreName, _ workload: YCSBWorkload, _ speed: Double) -> StoreResults.Row {
      let setting = StoreResults.Setting(
        kind: .integer, records: 10, distribution: .uniform, durability: .process, processes: 1, threads: 1,
        workload: workload)
      return StoreResults.Row(
        setting: setting, store: store, operationsPerSecond: speed, ratio: nil, p50: 1, p99: 2, p999: 3, peakMemory: 4)
    }
    var older = StoreResults(seconds: 1, rounds: 1)
    older.rows = [row(.lmdb, .a, 1), row(.lmdb, .b, 1), row(.grdb, .a, 1)]
    var newer = StoreResults(seconds: 1, rounds: 1)
    newer.rows = [row(.lmdb, .a, 2)]
    let merged = newer.merged(into: older)
    #expect(merged.rows.map(\.operationsPerSecond) == [1, 1, 2])
    #expect(StoreTables(results: merged).text.contains("| LMDB | 2 | 1 |"))
  }

  @Test func numbersAreReadable() {
    #expect(Readable.grouped(1_234_567) == "1,234,567" && Readable.grouped(999) == "999")
    #expect(Readable.duration(900) == "0.9 µs" && Readable.duration(25_000_000) == "25 ms")
    #expect(Readable.size(1_300_000_000) == "1,300 MB")
  }
}
