import DflatBuffers
import DflatSQLite

/// What writing entities needs from group to group. Used by the holder of the baton alone, which is what makes it safe to
/// share.
final class EntityWriter: @unchecked Sendable {  // guarded by the baton
  /// More memory than this isn't kept between payloads.
  private static let maximumMemory = 1 << 20

  private var builder = FlatBufferBuilder()
  /// The builder has taken much memory.
  private var isLarge = false
  /// By the tables' numbers.
  private var sequences: [Int: RowSequence] = [:]

  /// Writes an object's bytes, in the place of those of the one before.
  func encode(_ object: some Atom) throws { isLarge = try encodes(object, in: &builder) }

  /// True when it took much memory.
  private func encodes(_ object: some Atom, in builder: inout FlatBufferBuilder) throws -> Bool {
    try object.encode(in: &builder)
    return builder.memorySize > Self.maximumMemory
  }

  /// Lends the bytes of the object that was encoded last.
  func withEncoded<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    try builder.withFinishedBytes { bytes in try body(bytes) }
  }

  /// True when these are the bytes of the object that was encoded last.
  func hasEncoded(_ bytes: [UInt8]) -> Bool { builder.withFinishedBytes { $0.isSame(as: bytes) } }

  /// Forgets what was encoded, if it took much memory.
  func trim() {
    guard isLarge else { return }
    builder = FlatBufferBuilder()
    isLarge = false
  }

  /// What the group knows of a table; read from the file at its first use.
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

  /// Rows of a table up to here were given out.
  func noteGivenOut(_ rowid: Int64, in table: String) {
    sequence(ofTable: TableNumbers.number(of: table)).note(rowid)
  }

  func sequence(ofTable number: Int) -> RowSequence {
    if let found = sequences[number] { return found }
    let made = RowSequence()
    sequences[number] = made
    return made
  }

  /// The next rowid of a table that the group knows.
  func nextRowid(in table: TransactionTable, path: String) throws -> Int64 {
    guard let rowid = table.sequence.next() else {
      throw WorkspaceError(
        .corrupt, "'\(table.entity.table)' in '\(path)' has no rowids left; restore a backup.", path: path)
    }
    table.usesSequence = true
    return rowid
  }

  /// Makes a table and its indexes. The caller's transaction undoes it if anything fails.
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

/// The rowids of a table. Used by the holder of the baton alone.
final class RowSequence {
  /// The highest rowid that this process gave out, committed or not: an object of a transaction that was undone must not be
  /// taken for a later one.
  private(set) var last: Int64 = 0

  /// Rows up to here were given out.
  func note(_ rowid: Int64) { last = max(last, rowid) }

  /// Nil when there are none left.
  func next() -> Int64? {
    guard last < Int64.max else { return nil }
    last += 1
    return last
  }
}
