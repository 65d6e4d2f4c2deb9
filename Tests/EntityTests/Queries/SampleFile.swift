import DflatBuffers
import DflatEntities
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport

typealias Sample = QuerySamples.Sample

/// A file of samples, some with numbers that their schema doesn't know, with complete, partial or missing indexes.
final class SampleFile: Sendable {
  enum Indexes: CaseIterable { case complete, partial, missing }

  let directory: TemporaryDirectory
  /// The decoded objects, in the order of their rows.
  let samples: [Sample]

  init(_ samples: [Sample], patches: [(inout SamplePatcher) throws -> Void] = []) throws {
    directory = try TemporaryDirectory("samples")
    let workspace = try TestWorkspace.open(directory.file("complete.db"))
    try workspace.transactAndWait([Sample.self]) { txn in for sample in samples { try txn.insert(sample) } }
    workspace.shutdown(flags: .truncate)
    let connection = try Connection(path: directory.file("complete.db"), mode: .readWrite, busyTimeout: .zero)
    var patcher = SamplePatcher(connection: connection)
    for patch in patches { try patch(&patcher) }
    self.samples = try SampleFile.objects(on: connection)
    connection.close()
    for indexes in Indexes.allCases where indexes != .complete {
      let path = directory.file("\(indexes).db")
      try FileManager.default.copyItem(atPath: directory.file("complete.db"), toPath: path)
      try SampleFile.remove(indexes, in: path)
    }
  }

  /// Returns a read-only workspace, which fills no indexes.
  func open(_ indexes: Indexes) throws -> SQLiteWorkspace {
    try TestWorkspace.open(directory.file("\(indexes).db")) { $0.isReadOnly = true }
  }

  private static func objects(on connection: Connection) throws -> [Sample] {
    var samples: [Sample] = []
    try connection.prepare("SELECT rowid, payload FROM \(quoted(Sample._entity.table)) ORDER BY rowid").forEachRow {
      row in
      try row.withBytes(at: 1) { bytes in
        let table = try FlatBufferVerifier().verify(root: Sample.flatBufferLayout, in: bytes)
        samples.append(try Sample(table, identity: EntityIdentity(rowid: row.int64(at: 0), commitNumber: 1)))
      }
    }
    return samples
  }

  private static func remove(_ indexes: Indexes, in path: String) throws {
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .zero)
    defer { connection.close() }
    let names = Sample._entity.indexes.map { quoted("\(Sample._entity.table)__\($0.paths.name)") }
    if indexes == .missing {
      try connection.execute("DELETE FROM dflat_index")
      for name in names { try connection.execute("DROP TABLE \(name)") }
    } else {
      try connection.execute("UPDATE dflat_index SET filled_to = 20, last = 60")
      for name in names { try connection.execute("DELETE FROM \(name) WHERE rowid > 20 AND rowid <= 60") }
    }
  }
}

/// Changes stored bytes behind the library's back, and the indexes with them, as a program with a newer schema would.
struct SamplePatcher {
  let connection: Connection

  /// Overwrites the byte at a slot of a row's root table. Returns false if the field isn't stored.
  @discardableResult
  mutating func set(_ byte: UInt8, atSlot slot: Int, ofRow rowid: Int64) throws -> Bool {
    try set(byte, ofRow: rowid) { $0.position(of: slot) }
  }

  /// Overwrites the first byte of the vector at a slot of a row's root table. Returns false if the vector is empty.
  @discardableResult
  mutating func set(_ byte: UInt8, inVectorAtSlot slot: Int, ofRow rowid: Int64) throws -> Bool {
    try set(byte, ofRow: rowid) { table in
      guard let target = try table.targetPosition(slot) else { return nil }
      let (start, count) = try table.elements(at: target, size: 1)
      return count == 0 ? nil : start
    }
  }

  private mutating func set(
    _ byte: UInt8, ofRow rowid: Int64, at find: (FlatBufferTable) throws -> Int?
  ) throws -> Bool {
    let table = quoted(Sample._entity.table)
    guard
      var payload = try connection.prepare("SELECT payload FROM \(table) WHERE rowid = \(rowid)")
        .firstRow({ $0.withBytes(at: 0) { Array($0) } }),
      let position = try payload.withUnsafeBytes({ try find(FlatBufferTable(rootOf: $0)) })
    else { return false }
    payload[position] = byte
    let update = try connection.prepare("UPDATE \(table) SET payload = ?1 WHERE rowid = \(rowid)")
    try payload.withUnsafeBytes { try update.bind(blob: $0, at: 1) }
    try update.run()
    try payload.withUnsafeBytes { bytes in
      for index in Sample._entity.indexes {
        for path in index.paths.fields {
          let column = quoted(path.name)
          let statement = try connection.prepare(
            "UPDATE \(quoted("\(Sample._entity.table)__\(index.paths.name)")) SET \(column) = ?1 WHERE rowid = \(rowid)"
          )
          try ColumnValue.bind(path.storedValue(in: bytes), to: statement, at: 1)
          try statement.run()
        }
      }
    }
    return true
  }
}
