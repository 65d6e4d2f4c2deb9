import ArgumentParser

/// A store that a process has open.
protocol Store: AnyObject, Sendable {
  /// Returns the access of one thread.
  func session() throws -> any StoreSession
  /// Blocks until everything that was written survives the process.
  func finish() throws
  func close() throws
}

/// One thread's access to a store.
protocol StoreSession: AnyObject {
  /// Adds records in one transaction.
  func load(_ records: [(key: String, value: RecordValue)]) throws
  /// Reads all fields of a record. Returns their number of bytes.
  func read(_ key: String) throws -> Int
  func update(_ key: String, _ change: RecordChange) throws
  func insert(_ key: String, _ value: RecordValue) throws
  /// Reads all fields of records in the order of their keys. Returns their number.
  func scan(from key: String, limit: Int) throws -> Int
  /// Reads a record, and writes it back changed.
  func modify(_ key: String, _ change: RecordChange) throws
  /// Ends the access, before the store is closed.
  func end()
}

extension StoreSession {
  func end() {}
}

/// The value of a record: the fields of a document, one after the other, or a number.
enum RecordValue {
  case document([UInt8])
  case integer(Int)

  /// Returns the text of a document's field.
  func text(ofField field: Int) -> String {
    guard case .document(let bytes) = self else { return "" }
    return String(decoding: bytes[StoreRecord.range(ofField: field)], as: UTF8.self)
  }
}

/// The failures that a commit survives.
enum StoreDurability: String, CaseIterable, Codable, ExpressibleByArgument {
  /// A commit survives the end of the process; a loss of power may take the newest ones.
  case process
  /// A commit survives a loss of power: it waits for the disk.
  case power
}

/// The stores that are compared.
enum StoreName: String, CaseIterable, Codable, ExpressibleByArgument {
  case dictionary, transactions, objects, sqlite, grdb, lmdb, rocksdb

  /// The store that the ratios are taken to.
  static let baseline = StoreName.sqlite

  var title: String {
    switch self {
    case .dictionary: "DflatKV, plain writes"
    case .transactions: "DflatKV, transactions"
    case .objects: "DflatKV, objects"
    case .sqlite: "SQLite by hand"
    case .grdb: "GRDB"
    case .lmdb: "LMDB"
    case .rocksdb: "RocksDB"
    }
  }

  /// The store whose file this one uses.
  var file: StoreName { self == .transactions ? .dictionary : self }

  func supports(_ workload: YCSBWorkload, processes: Int, durability: StoreDurability) -> Bool {
    switch self {
    // The dictionary has no order from one key on, only below a prefix; and a plain write never waits for the disk.
    case .dictionary: workload != .e && durability == .process
    case .transactions: workload != .e
    case .rocksdb: processes == 1
    case .objects, .sqlite, .grdb, .lmdb: true
    }
  }

  func open(at path: String, _ kind: RecordKind, _ durability: StoreDurability) throws -> any Store {
    switch self {
    case .dictionary: try DictionaryStore(at: path, kind, durability, writesInTransactions: false)
    case .transactions: try DictionaryStore(at: path, kind, durability, writesInTransactions: true)
    case .objects: try ObjectStore(at: path, kind, durability)
    case .sqlite: SQLiteStore(at: path, kind, durability)
    case .grdb: try GRDBStore(at: path, kind, durability)
    case .lmdb: try LMDBStore(at: path, kind, durability)
    case .rocksdb: try RocksDBStore(at: path, kind, durability)
    }
  }
}

/// The bytes of records in stores that know no fields.
enum RecordBytes {
  static func bytes(_ value: RecordValue) -> [UInt8] {
    switch value {
    case .document(let bytes): bytes
    case .integer(let number): withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
  }

  /// Returns a record after a change.
  static func changed(_ bytes: [UInt8], _ kind: RecordKind, _ change: RecordChange) -> [UInt8] {
    guard kind == .document else { return self.bytes(.integer(change.number)) }
    var bytes = bytes
    bytes.replaceSubrange(StoreRecord.range(ofField: change.field), with: change.bytes)
    return bytes
  }
}
