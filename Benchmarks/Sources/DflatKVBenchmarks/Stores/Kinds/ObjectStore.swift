import DflatEntities
import DflatKV

/// Objects of a FlatBuffers schema, found by their primary key.
final class ObjectStore: Store, StoreSession {
  private let workspace: SQLiteWorkspace
  private let kind: RecordKind

  init(at path: String, _ kind: RecordKind, _ durability: StoreDurability) throws {
    workspace = try SQLiteWorkspace.open(filePath: path, options: .of(durability))
    self.kind = kind
  }

  func session() -> any StoreSession { self }

  func finish() {}

  func close() { workspace.shutdown() }

  func load(_ records: [(key: String, value: RecordValue)]) throws {
    try transact { transaction in
      for (key, value) in records { try Self.insert(value, for: key, in: transaction) }
    }
  }

  func read(_ key: String) throws -> Int {
    switch kind {
    case .document: workspace.fetch(for: StoreDocument.self).where(StoreDocument.id == key).first?.byteCount ?? 0
    case .integer: workspace.fetch(for: StoreNumber.self).where(StoreNumber.id == key).first == nil ? 0 : 8
    }
  }

  func update(_ key: String, _ change: RecordChange) throws {
    try self.change(key, change) { number in number = Int64(change.number) }
  }

  func insert(_ key: String, _ value: RecordValue) throws {
    try transact { try Self.insert(value, for: key, in: $0) }
  }

  func scan(from key: String, limit: Int) throws -> Int {
    switch kind {
    case .document:
      var count = 0
      let found = workspace.fetch(for: StoreDocument.self).where(
        StoreDocument.id >= key, limit: .limit(limit), orderBy: [StoreDocument.id.ascending])
      for document in found where document.byteCount == StoreRecord.documentLength { count += 1 }
      return count
    case .integer:
      return workspace.fetch(for: StoreNumber.self).where(
        StoreNumber.id >= key, limit: .limit(limit), orderBy: [StoreNumber.id.ascending]
      ).count
    }
  }

  func modify(_ key: String, _ change: RecordChange) throws {
    try self.change(key, change) { number in number &+= Int64(change.number) }
  }

  private func change(_ key: String, _ change: RecordChange, number: (inout Int64) -> Void) throws {
    try transact { transaction in
      switch kind {
      case .document:
        guard let document = try transaction.query(for: StoreDocument.self).where(StoreDocument.id == key).first()
        else { throw BenchmarkFailure("no record \(key)") }
        try transaction.update(document) { $0[keyPath: StoreDocument.fields[change.field]] = change.text }
      case .integer:
        guard let found = try transaction.query(for: StoreNumber.self).where(StoreNumber.id == key).first()
        else { throw BenchmarkFailure("no record \(key)") }
        try transaction.update(found) { number(&$0.value) }
      }
    }
  }

  private func transact(_ body: (TransactionContext) throws -> Void) throws {
    switch kind {
    case .document: try workspace.transactAndWait([StoreDocument.self]) { try body($0) }
    case .integer: try workspace.transactAndWait([StoreNumber.self]) { try body($0) }
    }
  }

  private static func insert(_ value: RecordValue, for key: String, in transaction: TransactionContext) throws {
    switch value {
    case .document:
      let texts = (0..<StoreRecord.fieldCount).map(value.text(ofField:))
      try transaction.insert(
        StoreDocument(
          id: key, field0: texts[0], field1: texts[1], field2: texts[2], field3: texts[3], field4: texts[4],
          field5: texts[5], field6: texts[6], field7: texts[7], field8: texts[8], field9: texts[9]))
    case .integer(let number): try transaction.insert(StoreNumber(id: key, value: Int64(number)))
    }
  }
}

extension StoreDocument {
  fileprivate static let fields: [WritableKeyPath<StoreDocumentBuilder, String?> & Sendable] = [
    \.field0, \.field1, \.field2, \.field3, \.field4, \.field5, \.field6, \.field7, \.field8, \.field9,
  ]

  fileprivate var byteCount: Int {
    [field0, field1, field2, field3, field4, field5, field6, field7, field8, field9]
      .reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
