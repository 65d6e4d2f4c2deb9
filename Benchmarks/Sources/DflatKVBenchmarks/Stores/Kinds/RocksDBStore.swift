import CRocksDB

/// RocksDB with its own defaults, and a Bloom filter of ten bits per key. One process can have it open.
final class RocksDBStore: Store, StoreSession, @unchecked Sendable {
  private let handle: OpaquePointer
  private let kind: RecordKind
  private let reading = rocksdb_readoptions_create()
  private let writing = rocksdb_writeoptions_create()

  init(at path: String, _ kind: RecordKind, _ durability: StoreDurability) throws {
    let options = rocksdb_options_create()
    defer { rocksdb_options_destroy(options) }
    rocksdb_options_set_create_if_missing(options, 1)
    let table = rocksdb_block_based_options_create()
    rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10))
    rocksdb_options_set_block_based_table_factory(options, table)
    handle = try Self.checked { rocksdb_open(options, path, &$0) }
    rocksdb_writeoptions_set_sync(writing, durability == .power ? 1 : 0)
    self.kind = kind
  }

  func session() -> any StoreSession { self }

  func finish() {}

  func close() { rocksdb_close(handle) }

  func load(_ records: [(key: String, value: RecordValue)]) throws {
    let batch = rocksdb_writebatch_create()
    defer { rocksdb_writebatch_destroy(batch) }
    for (key, value) in records {
      Self.withCharacters(Array(key.utf8)) { key in
        Self.withCharacters(RecordBytes.bytes(value)) { value in
          rocksdb_writebatch_put(batch, key.baseAddress, key.count, value.baseAddress, value.count)
        }
      }
    }
    try Self.check { rocksdb_write(handle, writing, batch, &$0) }
  }

  func read(_ key: String) throws -> Int { try get(key)?.count ?? 0 }

  func update(_ key: String, _ change: RecordChange) throws {
    switch kind {
    case .document: try modify(key, change)
    case .integer: try put(RecordBytes.bytes(.integer(change.number)), for: key)
    }
  }

  func insert(_ key: String, _ value: RecordValue) throws { try put(RecordBytes.bytes(value), for: key) }

  func scan(from key: String, limit: Int) throws -> Int {
    let iterator = rocksdb_create_iterator(handle, reading)
    defer { rocksdb_iter_destroy(iterator) }
    Self.withCharacters(Array(key.utf8)) { rocksdb_iter_seek(iterator, $0.baseAddress, $0.count) }
    var count = 0
    while count < limit, rocksdb_iter_valid(iterator) != 0 {
      var length = 0
      guard let value = rocksdb_iter_value(iterator, &length),
        !Array(UnsafeRawBufferPointer(start: value, count: length)).isEmpty
      else { break }
      count += 1
      rocksdb_iter_next(iterator)
    }
    return count
  }

  /// Reads and writes in two steps, as YCSB does: another thread may write in between.
  func modify(_ key: String, _ change: RecordChange) throws {
    guard let bytes = try get(key) else { throw BenchmarkFailure("no record \(key)") }
    try put(RecordBytes.changed(bytes, kind, change), for: key)
  }

  private func get(_ key: String) throws -> [UInt8]? {
    var length = 0
    var message: UnsafeMutablePointer<CChar>?
    let found = Self.withCharacters(Array(key.utf8)) { key in
      rocksdb_get(handle, reading, key.baseAddress, key.count, &length, &message)
    }
    if let message { throw Self.failure(message) }
    guard let found else { return nil }
    defer { rocksdb_free(found) }
    return Array(UnsafeRawBufferPointer(start: found, count: length))
  }

  private func put(_ bytes: [UInt8], for key: String) throws {
    try Self.check { message in
      Self.withCharacters(Array(key.utf8)) { key in
        Self.withCharacters(bytes) { value in
          rocksdb_put(handle, writing, key.baseAddress, key.count, value.baseAddress, value.count, &message)
        }
      }
    }
  }

  private static func withCharacters<Result>(
    _ bytes: [UInt8], _ body: (UnsafeBufferPointer<CChar>) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { body($0.bindMemory(to: CChar.self)) }
  }

  private static func check(_ body: (inout UnsafeMutablePointer<CChar>?) -> Void) throws {
    var message: UnsafeMutablePointer<CChar>?
    body(&message)
    if let message { throw failure(message) }
  }

  private static func checked(_ body: (inout UnsafeMutablePointer<CChar>?) -> OpaquePointer?) throws -> OpaquePointer {
    var opened: OpaquePointer?
    try check { opened = body(&$0) }
    guard let opened else { throw BenchmarkFailure("RocksDB: cannot open") }
    return opened
  }

  private static func failure(_ message: UnsafeMutablePointer<CChar>) -> BenchmarkFailure {
    defer { rocksdb_free(message) }
    return BenchmarkFailure("RocksDB: " + String(cString: message))
  }
}
