import DflatBuffers
import DflatCore
import DflatSQLite
import DflatSupport

/// The state that writing entities keeps from group to group. Only the holder of the write token uses it.
final class EncodingState: @unchecked Sendable {  // guarded by the write token
  /// The maximum size of a builder that is kept between payloads, in bytes.
  private static let maximumMemory = 1 << 20

  private var builder = FlatBufferBuilder()
  /// True if the builder has taken more memory than that.
  private var isLarge = false
  /// The sequences, by the tables' numbers.
  private var sequences: [Int: RowSequence] = [:]

  /// Encodes an object in place of the previous one.
  func encode(_ object: some Atom) throws { isLarge = try encodes(object, in: &builder) }

  /// Encodes an object, and returns true if the builder takes more than the maximum memory.
  private func encodes(_ object: some Atom, in builder: inout FlatBufferBuilder) throws -> Bool {
    try object.encode(in: &builder)
    return builder.memorySize > Self.maximumMemory
  }

  /// Adds to the last encoded object what a stored one has and the program's schema lacks.
  ///
  /// - Throws: `FlatBufferError` if the object becomes too large. The last encoded object stays as it was.
  func keep(_ unknownFields: UnknownFields, of stored: FlatBufferTable) throws {
    var merged = FlatBufferBuilder()
    try write(unknownFields, of: stored, to: &merged)
    isLarge = isLarge || merged.memorySize > Self.maximumMemory
    builder = merged
  }

  private func write(
    _ unknownFields: UnknownFields, of stored: FlatBufferTable, to merged: inout FlatBufferBuilder
  ) throws {
    try withEncoded { written in
      try unknownFields.write(written, over: stored, with: &merged)
    }
  }

  /// Lends the bytes of the last encoded object.
  func withEncoded<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    try builder.withFinishedBytes { bytes in try body(bytes) }
  }

  /// Returns true if the last encoded object has these bytes.
  func hasEncoded(_ bytes: [UInt8]) -> Bool { builder.withFinishedBytes { $0.isSame(as: bytes) } }

  /// Drops the encoded object if the builder has taken much memory.
  func trim() {
    guard isLarge else { return }
    builder = FlatBufferBuilder()
    isLarge = false
  }

  /// Returns the group's state for a table, which is read from the file at its first use.
  func table(_ entity: EntityDescription, in group: Group) throws -> GroupTable {
    if let found = group.entities.tables[entity.number] { return found }
    let last = try group.connection.reading(table: "dflat_entity") {
      let statement = try group.connection.statement(.lastRowid)
      try statement.bind(entity.table, at: 1)
      return try statement.firstRow { row in
        guard row.type(at: 0) == .integer, row.int64(at: 0) >= 0 else {
          throw WorkspaceError(
            .corrupt, "'dflat_entity' in '\(row.path)' has no rowid for '\(entity.table)'; restore a backup.",
            path: row.path)
        }
        return row.int64(at: 0)
      }
    }
    if let last { sequence(ofTable: entity.number).note(last) }
    let table = GroupTable(entity: entity, lastCommitted: last ?? 0, exists: last != nil)
    group.entities.tables[entity.number] = table
    return table
  }

  /// Notes that rowids of a table up to this one were assigned.
  func noteGivenOut(_ rowid: Int64, in table: String) {
    sequence(ofTable: TableNumbers.number(of: table)).note(rowid)
  }

  func sequence(ofTable number: Int) -> RowSequence {
    if let found = sequences[number] { return found }
    let made = RowSequence()
    sequences[number] = made
    return made
  }

  /// Returns the next rowid of a table.
  func nextRowid(in table: TransactionTable, path: String) throws -> Int64 {
    guard let rowid = table.sequence.next() else {
      throw WorkspaceError(
        .corrupt, "'\(table.entity.table)' in '\(path)' has no rowids left; restore a backup.", path: path)
    }
    table.usesSequence = true
    return rowid
  }

  /// Creates a table and its indexes. If this fails, the caller's transaction undoes it.
  func create(_ table: TransactionTable, on connection: Connection) throws {
    let entity = table.entity
    try connection.changeSchema(SQL.createSequences)
    try connection.changeSchema(entity.sql.create)
    table.sequence.note(try connection.integer(entity.sql.highestRowid))
    try storeLastRowid(of: entity, on: connection)
    try IndexCatalog.create(for: entity, on: connection)
    table.noteCreation()
  }

  func storeLastRowid(of entity: EntityDescription, on connection: Connection) throws {
    let statement = try connection.statement(.storeLastRowid)
    try statement.bind(entity.table, at: 1)
    statement.bind(sequence(ofTable: entity.number).last, at: 2)
    try statement.run()
  }
}

/// Assigns the rowids of a table. Guarded by the write token.
final class RowSequence {
  /// The highest rowid that this process assigned, committed or not: an object of an undone transaction must not be
  /// mistaken for a later one.
  private(set) var last: Int64 = 0

  /// Notes that rowids up to this one were assigned.
  func note(_ rowid: Int64) { last = max(last, rowid) }

  /// Returns the next rowid, or nil if none is left.
  func next() -> Int64? {
    guard last < Int64.max else { return nil }
    last += 1
    return last
  }
}
