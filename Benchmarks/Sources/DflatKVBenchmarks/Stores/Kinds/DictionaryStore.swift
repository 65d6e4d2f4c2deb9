import DflatKV
import Foundation

/// The dictionary: an integer is stored natively, a document as data. It is also the access of a thread, as all share it.
final class DictionaryStore: Store, StoreSession {
  private let workspace: SQLiteWorkspace
  private let kind: RecordKind
  private let writesInTransactions: Bool

  init(at path: String, _ kind: RecordKind, _ durability: StoreDurability, writesInTransactions: Bool) throws {
    workspace = try SQLiteWorkspace.open(filePath: path, options: .of(durability))
    self.kind = kind
    self.writesInTransactions = writesInTransactions
  }

  func session() -> any StoreSession { self }

  func finish() throws { try workspace.dictionary.synchronize() }

  func close() { workspace.shutdown() }

  func load(_ records: [(key: String, value: RecordValue)]) throws {
    try workspace.transactAndWait { transaction in
      for (key, value) in records { Self.set(value, for: key, in: transaction.dictionary) }
    }
  }

  func read(_ key: String) throws -> Int {
    switch kind {
    case .document: workspace.dictionary[key, Data.self]?.count ?? 0
    case .integer: workspace.dictionary[key, Int.self] == nil ? 0 : 8
    }
  }

  func update(_ key: String, _ change: RecordChange) throws {
    try write { dictionary in
      switch kind {
      case .document:
        guard var data = dictionary[key, Data.self] else { throw BenchmarkFailure("no record \(key)") }
        data.replaceSubrange(StoreRecord.range(ofField: change.field), with: change.bytes)
        dictionary[key] = data
      case .integer: dictionary[key] = change.number
      }
    }
  }

  func insert(_ key: String, _ value: RecordValue) throws {
    try write { Self.set(value, for: key, in: $0) }
  }

  func scan(from key: String, limit: Int) throws -> Int { throw BenchmarkFailure("no scans") }

  func modify(_ key: String, _ change: RecordChange) throws {
    // An update of a field reads the document, too.
    if kind == .document { return try update(key, change) }
    try write { dictionary in
      guard let number = dictionary[key, Int.self] else { throw BenchmarkFailure("no record \(key)") }
      dictionary[key] = number &+ change.number
    }
  }

  private func write(_ body: (WorkspaceDictionary) throws -> Void) throws {
    if writesInTransactions {
      try workspace.transactAndWait { try body($0.dictionary) }
    } else {
      try body(workspace.dictionary)
    }
  }

  private static func set(_ value: RecordValue, for key: String, in dictionary: WorkspaceDictionary) {
    switch value {
    case .document(let bytes): dictionary[key] = Data(bytes)
    case .integer(let number): dictionary[key] = number
    }
  }
}

extension SQLiteWorkspace.Options {
  static func of(_ durability: StoreDurability) -> Self {
    var options = Self()
    options.synchronous = durability == .power ? .full : .normal
    options.busyTimeout = .seconds(60)
    return options
  }
}
