import CLMDB

/// LMDB, with a read transaction per thread that is renewed for each read.
final class LMDBStore: Store, @unchecked Sendable {
  /// The largest size of the file. It is an address range, not memory.
  private static let mapSize = 64 << 30

  private let environment: OpaquePointer
  private let database: MDB_dbi
  private let kind: RecordKind

  init(at path: String, _ kind: RecordKind, _ durability: StoreDurability) throws {
    var created: OpaquePointer?
    try Self.check(mdb_env_create(&created))
    guard let created else { throw BenchmarkFailure("LMDB: no environment") }
    environment = created
    self.kind = kind
    try Self.check(mdb_env_set_mapsize(environment, Self.mapSize))
    // Without the wait for the disk, LMDB promises less than the others: a loss of power can damage its file.
    let flags = MDB_NOSUBDIR | MDB_NOTLS | (durability == .process ? MDB_NOSYNC : 0)
    try Self.check(mdb_env_open(environment, path, UInt32(flags), 0o644))
    var opened: MDB_dbi = 0
    let transaction = try Self.begin(environment)
    try Self.check(mdb_dbi_open(transaction, nil, 0, &opened))
    try Self.check(mdb_txn_commit(transaction))
    database = opened
  }

  func session() throws -> any StoreSession { try LMDBSession(environment, database, kind) }

  func finish() {}

  func close() { mdb_env_close(environment) }

  fileprivate static func begin(_ environment: OpaquePointer, flags: Int32 = 0) throws -> OpaquePointer {
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, UInt32(flags), &transaction))
    guard let transaction else { throw BenchmarkFailure("LMDB: no transaction") }
    return transaction
  }

  fileprivate static func check(_ status: Int32) throws {
    guard status == 0 else { throw BenchmarkFailure("LMDB: " + String(cString: mdb_strerror(status))) }
  }
}

private final class LMDBSession: StoreSession {
  private let environment: OpaquePointer
  private let database: MDB_dbi
  private let kind: RecordKind
  private let reader: OpaquePointer

  init(_ environment: OpaquePointer, _ database: MDB_dbi, _ kind: RecordKind) throws {
    self.environment = environment
    self.database = database
    self.kind = kind
    reader = try LMDBStore.begin(environment, flags: MDB_RDONLY)
    mdb_txn_reset(reader)
  }

  func end() { mdb_txn_abort(reader) }

  func load(_ records: [(key: String, value: RecordValue)]) throws {
    try write { transaction in
      for (key, value) in records { try put(RecordBytes.bytes(value), for: key, in: transaction) }
    }
  }

  func read(_ key: String) throws -> Int {
    try reading { try get(key, in: $0)?.count ?? 0 }
  }

  func update(_ key: String, _ change: RecordChange) throws {
    switch kind {
    case .document: try modify(key, change)
    case .integer: try write { try put(RecordBytes.bytes(.integer(change.number)), for: key, in: $0) }
    }
  }

  func insert(_ key: String, _ value: RecordValue) throws {
    try write { try put(RecordBytes.bytes(value), for: key, in: $0) }
  }

  func scan(from key: String, limit: Int) throws -> Int {
    try reading { transaction in
      var opened: OpaquePointer?
      try LMDBStore.check(mdb_cursor_open(transaction, database, &opened))
      defer { mdb_cursor_close(opened) }
      var count = 0
      var (found, value) = (MDB_val(), MDB_val())
      var status = try withValue(Array(key.utf8)) { start in
        found = start
        return mdb_cursor_get(opened, &found, &value, MDB_SET_RANGE)
      }
      while status == 0 {
        if Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)).isEmpty { break }
        count += 1
        if count == limit { break }
        status = mdb_cursor_get(opened, &found, &value, MDB_NEXT)
      }
      if status != MDB_NOTFOUND { try LMDBStore.check(status) }
      return count
    }
  }

  func modify(_ key: String, _ change: RecordChange) throws {
    try write { transaction in
      guard let bytes = try get(key, in: transaction) else { throw BenchmarkFailure("no record \(key)") }
      try put(RecordBytes.changed(bytes, kind, change), for: key, in: transaction)
    }
  }

  private func reading<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
    try LMDBStore.check(mdb_txn_renew(reader))
    defer { mdb_txn_reset(reader) }
    return try body(reader)
  }

  private func write(_ body: (OpaquePointer) throws -> Void) throws {
    let transaction = try LMDBStore.begin(environment)
    do { try body(transaction) } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDBStore.check(mdb_txn_commit(transaction))
  }

  /// Returns a copy of a value; nil if there is none.
  private func get(_ key: String, in transaction: OpaquePointer) throws -> [UInt8]? {
    var value = MDB_val()
    let status = try withValue(Array(key.utf8)) { key in
      var key = key
      return mdb_get(transaction, database, &key, &value)
    }
    if status == MDB_NOTFOUND { return nil }
    try LMDBStore.check(status)
    return Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
  }

  private func put(_ bytes: [UInt8], for key: String, in transaction: OpaquePointer) throws {
    let status = try withValue(Array(key.utf8)) { key in
      try withValue(bytes) { value in
        var (key, value) = (key, value)
        return mdb_put(transaction, database, &key, &value, 0)
      }
    }
    try LMDBStore.check(status)
  }

  private func withValue<Result>(_ bytes: [UInt8], _ body: (MDB_val) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { buffer in
      try body(MDB_val(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress)))
    }
  }
}
