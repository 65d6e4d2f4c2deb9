import ArgumentParser
import DflatKV
import Foundation

/// The first transaction of a process, and its first reads. Most programs never run thousands of transactions, so what a
/// process does for the first time (creating a table, preparing statements, touching memory) counts for them.
enum FreshProcess {
  /// What a process does before it ends.
  enum Work: String, CaseIterable, ExpressibleByArgument {
    case setAndSynchronize = "fresh-set-synchronize"
    case tenKeys = "fresh-transaction-10"
    case readInt = "fresh-read-int"
    case insertInt = "fresh-insert-int"
    case insertObjects = "fresh-insert"
    case updateObjects = "fresh-update"
    case deleteObjects = "fresh-delete"

    var title: String {
      switch self {
      case .setAndSynchronize: "set + synchronize, first write of a process"
      case .tenKeys: "transaction of 10 keys (transactAndWait), first transaction of a process"
      case .readInt: "Read 10,000 Int, Cold, one thread, first reads of a process"
      case .insertInt: "Insert 10,000 Int in one transaction, first transaction of a process"
      case .insertObjects: "Insert 10,000 Objects, first transaction of a process"
      case .updateObjects: "Update 10,000 Objects, first transaction of a process"
      case .deleteObjects: "Delete 10,000 Objects, first transaction of a process"
      }
    }

    var limit: Double { self == .readInt ? 1.3 : 1.5 }

    var note: String {
      if beginsWithDocuments { return "the objects are fetched before, as on the baseline's side" }
      return self == .readInt ? "opening the file isn't counted" : "the file is new; opening it isn't counted"
    }

    /// True if the transaction finds the documents in its file.
    var beginsWithDocuments: Bool { self == .updateObjects || self == .deleteObjects }

    /// True if the file isn't new.
    var beginsWithFile: Bool { beginsWithDocuments || self == .readInt }

    /// The number of keys that it reads or writes, for works on keys.
    fileprivate var keyCount: Int {
      switch self {
      case .setAndSynchronize: 1
      case .tenKeys: 10
      default: FreshProcess.count
      }
    }
  }

  private static let count = 10_000
  private static let rounds = 11

  static func row(_ work: Work, _ scratch: ScratchFolder, rounds: Int?) throws -> Row {
    let files = [false: try scratch.newDatabasePath(), true: try scratch.newDatabasePath()]
    if work.beginsWithFile { try fill(files[false]!, raw: files[true]!, for: work) }
    defer { for path in files.values { scratch.removeDatabase(at: path) } }
    var seconds: [Bool: [Double]] = [:]
    for _ in 0..<(rounds ?? Self.rounds) {
      for isRaw in [false, true] {
        // Each process gets a file of its own.
        let path = try scratch.newDatabasePath()
        defer { scratch.removeDatabase(at: path) }
        if work.beginsWithFile { try FileManager.default.copyItem(atPath: files[isRaw]!, toPath: path) }
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
      id: work.rawValue, title: work.title,
      baseline: "raw SQLite, the same in a process of its own", unit: .ratio, measured: ratios.median,
      lowerQuartile: ratios.quantile(0.25), upperQuartile: ratios.quantile(0.75), limit: work.limit,
      rounds: workloads.count,
      workloadSeconds: Samples(workloads).median, baselineSeconds: Samples(baselines).median,
      note: work.note)
  }

  /// Writes the keys or the documents to both files, and closes them.
  private static func fill(_ path: String, raw rawPath: String, for work: Work) throws {
    if work == .readInt {
      let keys = KeyNames.list(count: count)
      let workspace = try SQLiteWorkspace.open(filePath: path)
      try write(keys, to: workspace)
      workspace.shutdown(flags: .truncate)
      return try write(keys, to: RawDatabase(path: rawPath))
    }
    let drafts = DocumentDraft.list(count)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait([BenchDoc.self]) { try EntityWorks.create(BenchDoc.self, drafts, in: $0) }
    workspace.shutdown(flags: .truncate)
    let raw = try RawDocuments(path: rawPath)
    try RawWorks.fill(raw, drafts)
  }

  private static func write(_ keys: [String], to workspace: SQLiteWorkspace) throws {
    try workspace.transactAndWait { transaction in
      for (number, key) in keys.enumerated() { transaction.dictionary[key, Int.self] = number }
    }
  }

  private static func write(_ keys: [String], to raw: RawDatabase) throws {
    try raw.write { for (number, key) in keys.enumerated() { try raw.insert(key, number) } }
  }

  // MARK: In the process

  /// Runs the transaction, and returns its time in nanoseconds.
  static func run(_ work: Work, path: String, isRaw: Bool) throws -> Int {
    isRaw ? try runRaw(work, path) : try runWorkspace(work, path)
  }

  private static func runWorkspace(_ work: Work, _ path: String) throws -> Int {
    let keys = KeyNames.list(count: work.keyCount)
    let drafts = DocumentDraft.list(count)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    let documents = work.beginsWithDocuments ? EntityWorks.all(BenchDoc.self, in: workspace) : []
    if work.beginsWithDocuments { try BenchmarkFailure.check(documents.count, count) }
    let start = MonotonicClock.nanoseconds
    switch work {
    case .setAndSynchronize:
      workspace.dictionary[keys[0], Int.self] = 1
      try workspace.dictionary.synchronize()
    case .readInt:
      for (number, key) in keys.enumerated() where workspace.dictionary[key, Int.self] != number {
        throw BenchmarkFailure("\(key) has a wrong value")
      }
    case .tenKeys, .insertInt: try write(keys, to: workspace)
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
    switch work {
    case .setAndSynchronize, .tenKeys, .readInt, .insertInt: return try runRawKeys(work, path)
    case .insertObjects, .updateObjects, .deleteObjects: return try runRawDocuments(work, path)
    }
  }

  private static func runRawKeys(_ work: Work, _ path: String) throws -> Int {
    let keys = KeyNames.list(count: work.keyCount)
    let raw = try RawDatabase(path: path)
    let start = MonotonicClock.nanoseconds
    if work == .readInt {
      try raw.read {
        for (number, key) in keys.enumerated() where try raw.select(key) != number {
          throw BenchmarkFailure("\(key) has a wrong value")
        }
      }
    } else {
      try write(keys, to: raw)
    }
    return MonotonicClock.nanoseconds - start
  }

  private static func runRawDocuments(_ work: Work, _ path: String) throws -> Int {
    let drafts = DocumentDraft.list(count)
    let raw = try RawDocuments(path: path)
    let documents = work.beginsWithDocuments ? try raw.scan { _ in true } : []
    if work.beginsWithDocuments { try BenchmarkFailure.check(documents.count, count) }
    let revision = DocumentRevision(1)
    let start = MonotonicClock.nanoseconds
    switch work {
    case .updateObjects:
      try raw.connection.write {
        for (index, document) in documents.enumerated() {
          try raw.update(document.revised(revision), at: Int64(index + 1))
        }
      }
    case .deleteObjects:
      try raw.connection.write { for rowid in 1...Int64(count) { try raw.delete(at: rowid) } }
    default: try RawWorks.fill(raw, drafts)
    }
    return MonotonicClock.nanoseconds - start
  }
}

extension String {
  /// The text without white space at its ends.
  func trimming() -> String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
