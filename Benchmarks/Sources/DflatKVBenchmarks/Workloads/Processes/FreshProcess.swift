import ArgumentParser
import DflatKV
import Foundation

/// The first transaction of a process. Most programs never run thousands of transactions, so what a process does for the
/// first time (creating a table, preparing statements, touching memory) counts for them.
enum FreshProcess {
  /// The transaction that a process runs, and then ends.
  enum Work: String, CaseIterable, ExpressibleByArgument {
    case insertInt = "fresh-insert-int"
    case insertObjects = "fresh-insert"
    case updateObjects = "fresh-update"
    case deleteObjects = "fresh-delete"

    var title: String {
      switch self {
      case .insertInt: "Insert 10,000 Int in one transaction"
      case .insertObjects: "Insert 10,000 Objects"
      case .updateObjects: "Update 10,000 Objects"
      case .deleteObjects: "Delete 10,000 Objects"
      }
    }

    /// True if the transaction finds the documents in its file.
    var beginsWithDocuments: Bool { self == .updateObjects || self == .deleteObjects }
  }

  private static let count = 10_000
  private static let rounds = 11

  static func row(_ work: Work, _ scratch: ScratchFolder, rounds: Int?) throws -> Row {
    let files = [false: try scratch.newDatabasePath(), true: try scratch.newDatabasePath()]
    if work.beginsWithDocuments { try fill(files[false]!, raw: files[true]!) }
    defer { for path in files.values { scratch.removeDatabase(at: path) } }
    var seconds: [Bool: [Double]] = [:]
    for _ in 0..<(rounds ?? Self.rounds) {
      for isRaw in [false, true] {
        // Each process gets a file of its own.
        let path = try scratch.newDatabasePath()
        defer { scratch.removeDatabase(at: path) }
        if work.beginsWithDocuments { try FileManager.default.copyItem(atPath: files[isRaw]!, toPath: path) }
        let output = try ChildProcess.run(["fresh", work.rawValue, path] + (isRaw ? ["--raw"] : []))
        guard let nanoseconds = Double(String(decoding: output, as: UTF8.self).trimming()) else {
          throw BenchmarkFailure("a process printed no time")
        }
        seconds[isRaw, default: []].append(nanoseconds / 1e9)
      }
    }
    let (workloads, baselines) = (seconds[false] ?? [], seconds[true] ?? [])
    let ratios = Samples(zip(workloads, baselines).map { $0 / $1 })
    return Row(
      id: work.rawValue, title: "\(work.title), first transaction of a process",
      baseline: "raw SQLite, the same in a process of its own", unit: .ratio, measured: ratios.median,
      lowerQuartile: ratios.quantile(0.25), upperQuartile: ratios.quantile(0.75), limit: 1.5,
      rounds: workloads.count,
      workloadSeconds: Samples(workloads).median, baselineSeconds: Samples(baselines).median,
      note: work.beginsWithDocuments
        ? "the objects are fetched before, as on the baseline's side" : "the file is new; opening it isn't counted")
  }

  /// Writes the documents to both files, and closes them.
  private static func fill(_ path: String, raw rawPath: String) throws {
    let drafts = DocumentDraft.list(count)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait([BenchDoc.self]) { try EntityWorks.create(BenchDoc.self, drafts, in: $0) }
    workspace.shutdown(flags: .truncate)
    let raw = try RawDocuments(path: rawPath)
    try RawWorks.fill(raw, drafts)
  }

  // MARK: In the process

  /// Runs the transaction, and returns its time in nanoseconds.
  static func run(_ work: Work, path: String, isRaw: Bool) throws -> Int {
    isRaw ? try runRaw(work, path) : try runWorkspace(work, path)
  }

  private static func runWorkspace(_ work: Work, _ path: String) throws -> Int {
    let keys = KeyNames.list(count: count)
    let drafts = DocumentDraft.list(count)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    let documents = work.beginsWithDocuments ? EntityWorks.all(BenchDoc.self, in: workspace) : []
    if work.beginsWithDocuments { try BenchmarkFailure.check(documents.count, count) }
    let start = MonotonicClock.nanoseconds
    switch work {
    case .insertInt:
      try workspace.transactAndWait { transaction in
        for (number, key) in keys.enumerated() { transaction.dictionary[key, Int.self] = number }
      }
    case .insertObjects:
      try workspace.transactAndWait([BenchDoc.self]) { try EntityWorks.create(BenchDoc.self, drafts, in: $0) }
    case .updateObjects:
      try workspace.transactAndWait([BenchDoc.self]) { try EntityWorks.revise(documents, DocumentRevision(1), in: $0) }
    case .deleteObjects:
      try workspace.transactAndWait([BenchDoc.self]) { try EntityWorks.delete(documents, in: $0) }
    }
    return MonotonicClock.nanoseconds - start
  }

  private static func runRaw(_ work: Work, _ path: String) throws -> Int {
    if work == .insertInt {
      let keys = KeyNames.list(count: count)
      let raw = try RawDatabase(path: path)
      let start = MonotonicClock.nanoseconds
      try raw.write { for (number, key) in keys.enumerated() { try raw.insert(key, number) } }
      return MonotonicClock.nanoseconds - start
    }
    let drafts = DocumentDraft.list(count)
    let raw = try RawDocuments(path: path)
    let documents = work.beginsWithDocuments ? try raw.scan { _ in true } : []
    if work.beginsWithDocuments { try BenchmarkFailure.check(documents.count, count) }
    let revision = DocumentRevision(1)
    let start = MonotonicClock.nanoseconds
    switch work {
    case .insertInt, .insertObjects: try RawWorks.fill(raw, drafts)
    case .updateObjects:
      try raw.connection.write {
        for (index, document) in documents.enumerated() {
          try raw.update(document.revised(revision), at: Int64(index + 1))
        }
      }
    case .deleteObjects:
      try raw.connection.write { for rowid in 1...Int64(count) { try raw.delete(at: rowid) } }
    }
    return MonotonicClock.nanoseconds - start
  }
}

extension String {
  /// The text without white space at its ends.
  func trimming() -> String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
