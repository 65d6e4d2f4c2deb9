import DflatCore
import DflatSQLite
import DflatSchema
import DflatSupport

/// The dictionary's part of the file: a table that every file has, and the replaced values, which a file has once there
/// were any.
struct DictionaryTables: ParticipantTables {
  private static let dictionary = """
    CREATE TABLE dictionary (
      namespace TEXT NOT NULL, key TEXT NOT NULL, type INTEGER NOT NULL, value, version TEXT,
      commit_number INTEGER NOT NULL, PRIMARY KEY (namespace, key)) WITHOUT ROWID
    """

  var fixedTables: [FixedTable] {
    [FixedTable("dictionary", isInEveryFile: true), FixedTable(ReplacedTable.name, isInEveryFile: false)]
  }

  func createTables(on connection: Connection) throws { try connection.changeSchema(Self.dictionary) }

  func indexes(ofTable name: String, sql: String) -> TableFormat.Indexes? {
    let definition: String? =
      switch name {
      case "dictionary": Self.dictionary
      case ReplacedTable.name: ReplacedTable.definition
      default: nil
      }
    guard let definition, TableFormat.isSame(sql, definition) else { return nil }
    if name.hasSameBytes(as: ReplacedTable.name) { return .automatic(origin: "pk") }
    return .automaticAndOptional(origin: "pk", name: ExpiryIndex.name, sql: ExpiryIndex.definition)
  }

  /// Checks the columns against the file format. The dictionary's rows can't be repaired: nothing in the file says what
  /// was there.
  func problems(on connection: Connection, at commitNumber: UInt64) throws -> [IntegrityProblem] {
    var lines: [String] = []
    let newer = try connection.integer(
      "SELECT count(*) FROM dictionary WHERE commit_number > \(commitNumber) OR commit_number < 1")
    if newer > 0 { lines.append("\(newer) dictionary rows have a commit number that was never assigned.") }
    let unnamed = try connection.integer(
      "SELECT count(*) FROM dictionary WHERE typeof(namespace) <> 'text' OR typeof(key) <> 'text'")
    if unnamed > 0 { lines.append("\(unnamed) dictionary rows have a namespace or a key that is not text.") }
    let unreadable = try rowsNotInUTF8(on: connection)
    if unreadable > 0 { lines.append("\(unreadable) dictionary rows have a namespace or a key that is not UTF-8.") }
    let untyped = try connection.integer(
      "SELECT count(*) FROM dictionary WHERE NOT \(TypeTag.fitsValue)")
    if untyped > 0 { lines.append("\(untyped) dictionary rows have a value that doesn't match their type.") }
    let malformed = try connection.integer("SELECT count(*) FROM dictionary WHERE \(SealEnvelope.isMalformedRow)")
    if malformed > 0 { lines.append("\(malformed) dictionary rows have a sealed value whose envelope is damaged.") }
    let expiring = try damagedExpiringRows(on: connection)
    if expiring > 0 { lines.append("\(expiring) dictionary rows have a value that expires and can't be decoded.") }
    var problems = lines.map { IntegrityProblem(line: $0, isRepairable: false) }
    if try lacksExpiryIndex(connection) {
      problems.append(IntegrityProblem(line: "The index of values that expire is missing.", isRepairable: true))
    }
    return try problems + problemsOfReplaced(on: connection, at: commitNumber) + problemsOfSchemas(on: connection)
  }

  /// Counts the rows whose namespace or key is text of other bytes, which no program can name.
  private func rowsNotInUTF8(on connection: Connection) throws -> Int {
    var count = 0
    let statement = try connection.prepare(
      "SELECT namespace, key FROM dictionary WHERE typeof(namespace) = 'text' AND typeof(key) = 'text'")
    try statement.forEachRow { row in
      let isNamed = [0, 1].allSatisfy { column in
        row.withBytes(at: column) { UTF8Check.firstInvalid(in: $0) } == nil
      }
      if !isNamed { count += 1 }
    }
    return count
  }

  // MARK: Values that expire

  /// Counts the rows that hold a value that expires, and whose bytes no writer has made.
  private func damagedExpiringRows(on connection: Connection) throws -> Int {
    let statement = try connection.prepare(
      "SELECT type, value, version FROM dictionary WHERE \(ExpiryIndex.condition) AND typeof(value) = 'blob'")
    var count = 0
    try statement.forEachRow { row in
      do { _ = try ValueColumns.read(row) } catch is WorkspaceError { count += 1 }
    }
    return count
  }

  private func lacksExpiryIndex(_ connection: Connection) throws -> Bool {
    try FileFormat.features(on: connection).contains(.expiringValues) && !ExpiryIndex.exists(on: connection)
  }

  private func createExpiryIndex(in group: Group) throws -> [String] {
    guard try lacksExpiryIndex(group.connection) else { return [] }
    try ExpiryIndex.create(on: group.connection)
    group.hasChanges = true
    return ["Created the index of values that expire, which was missing."]
  }

  // MARK: Schemas

  /// Returns the damaged schemas of the dictionary's values, and those that this program can't read.
  private func problemsOfSchemas(on connection: Connection) throws -> [IntegrityProblem] {
    var problems: [IntegrityProblem] = []
    try forEachSchema(on: connection) { type, text in
      let subject = "The stored schema of the dictionary's '\(type)'"
      if let text {
        if SchemaRelation.isReadable(text) { return }
        let line = "\(subject) can't be read by this program: a newer program stored it."
        problems.append(IntegrityProblem(line: line, isRepairable: false))
      } else {
        problems.append(IntegrityProblem(line: "\(subject) is damaged.", isRepairable: true))
      }
    }
    return problems
  }

  /// Removes the damaged schemas. The next program that writes such a value stores its own.
  private func removeDamagedSchemas(in group: Group) throws -> [String] {
    var damaged: [String] = []
    try forEachSchema(on: group.connection) { type, text in
      if text == nil { damaged.append(type) }
    }
    return try damaged.map { type in
      try SchemaList.remove(DeclaredSchema.valueRowPrefix + type, on: group.connection)
      group.hasChanges = true
      return "Removed the stored schema of the dictionary's '\(type)', which was damaged."
    }
  }

  /// Calls `body` with each type of the dictionary's values for which the file has a schema, and the schema's text; nil
  /// for a damaged one.
  private func forEachSchema(
    on connection: Connection, _ body: (_ type: String, _ text: String?) throws -> Void
  ) throws {
    let prefix = DeclaredSchema.valueRowPrefix.utf8
    try SchemaList.forEachRow(on: connection) { row in
      guard row.name.utf8.starts(with: prefix) else { return }
      try body(String(decoding: row.name.utf8.dropFirst(prefix.count), as: UTF8.self), row.text)
    }
  }

  // MARK: Replaced values

  /// Counts the replaced values that can't be restored, or whose commit was never assigned. What values they have is
  /// not checked: a damaged row may have been replaced.
  private func problemsOfReplaced(on connection: Connection, at commitNumber: UInt64) throws -> [IntegrityProblem] {
    guard try connection.hasTable(ReplacedTable.name) else { return [] }
    let count = try connection.integer(
      "SELECT count(*) FROM dflat_replaced WHERE \(ReplacedTable.isDamaged(at: commitNumber))")
    if count == 0 { return [] }
    let line = count == 1 ? "1 replaced value is damaged." : "\(count) replaced values are damaged."
    return [IntegrityProblem(line: line, isRepairable: true)]
  }

  func repair(in transaction: TransactionContext) throws -> [String] {
    let group = try transaction.joinedGroup()
    return try removeDamagedReplaced(in: group) + removeDamagedSchemas(in: group) + createExpiryIndex(in: group)
  }

  private func removeDamagedReplaced(in group: Group) throws -> [String] {
    guard try group.connection.hasTable(ReplacedTable.name) else { return [] }
    try group.connection.execute("DELETE FROM dflat_replaced WHERE \(ReplacedTable.isDamaged(at: group.commitNumber))")
    let count = group.connection.changedRows
    if count == 0 { return [] }
    group.hasChanges = true
    return [count == 1 ? "Removed 1 damaged replaced value." : "Removed \(count) damaged replaced values."]
  }

  /// Counts the rows of the dictionary, and the replaced values if the file has the table.
  func rowCounts(on connection: Connection) throws -> [RowCount] {
    let counts = [try connection.rowCount(of: "dictionary")]
    guard try connection.hasTable(ReplacedTable.name) else { return counts }
    return counts + [try connection.rowCount(of: ReplacedTable.name)]
  }
}
