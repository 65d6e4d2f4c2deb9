package import DflatSQLite

/// The schemas that the file lists, one for each table of objects and for each type of values, as one connection shows
/// them.
///
/// The file has the newest schema that a program has written such objects or values with. A program whose schema is
/// older, or may replace it, uses them; any other would misread them, or write what others misread.
package enum SchemaList {
  /// Throws unless the program's schema fits what is in the file.
  ///
  /// Runs on the connection's thread, in a transaction or a read view. Reads the file's digest once for each state of
  /// the list that the connection shows (`CatalogVersion`), and the schema's text only if it differs from the
  /// program's.
  ///
  /// - Returns: The difference from the stored schema if that is newer; otherwise nil.
  /// - Throws: ``WorkspaceError`` with code `.schemaVersionMismatch` if the schemas contradict each other; with code
  ///   `.newerFormat` if this program can't read the stored one; with code `.corrupt` if the stored one is damaged.
  @discardableResult
  package static func requireCompatibility(
    of schema: DeclaredSchema, on connection: Connection
  ) throws -> (any SchemaDifference)? {
    guard case .newer(let difference) = try relation(of: schema, on: connection) else { return nil }
    return difference
  }

  /// Requires that the program's schema is compatible, and stores the schema if the file has none in its row, or one
  /// that it may replace.
  ///
  /// Called by the holder of the write token, with the first write of objects or values. The change is a part of the
  /// group, and is undone with it.
  ///
  /// - Returns: As ``requireCompatibility(of:on:)``.
  @discardableResult
  package static func store(
    _ schema: DeclaredSchema, on connection: Connection
  ) throws -> (any SchemaDifference)? {
    switch try relation(of: schema, on: connection) {
    case .same: return nil
    case .newer(let difference): return difference
    case .missing, .replaceable: break
    }
    defer { connection.dropCatalogs() }
    try connection.changeSchema(SchemaListTable.definition.creatingIfMissing)
    let statement = try connection.statement(.storeSchema)
    try statement.bind(schema.row, at: 1)
    statement.bind(schema.digest, at: 2)
    try statement.withBound(schema.text, at: 3) { try statement.run() }
    return nil
  }

  /// Returns true if the connection knows that the file has this very schema, so that there is nothing to compare or to
  /// store. Reads nothing, and takes less time than a comparison.
  package static func isKnown(_ schema: DeclaredSchema, on connection: Connection) -> Bool {
    guard let version = CatalogVersion.of(connection), let known = SchemaCache.of(connection).rows[schema.number] else {
      return false
    }
    return known.version == version && known.digest == schema.digest
  }

  /// Returns true if the file has this very schema.
  package static func contains(_ schema: DeclaredSchema, on connection: Connection) throws -> Bool {
    try digest(for: schema, on: connection) == schema.digest
  }

  // MARK: Rows

  /// A row of the list.
  package struct Row: Sendable {
    package let name: String
    /// The text; nil if it isn't the one that a program stored.
    package let text: String?
  }

  /// Calls `body` with each row whose name is text, in the order of the names. Keeps no texts: a damaged file may have
  /// many. Throws `.corrupt` if the rows don't come in this order: many paths of a tree may lead to the same page, and
  /// each text is read as a whole.
  package static func forEachRow(on connection: Connection, _ body: (Row) throws -> Void) throws {
    guard try connection.statement(.hasSchemaList).hasRow() else { return }
    var previous: [UInt8]?
    try connection.statement(.allSchemas).forEachRow { row in
      let name = row.withBytes(at: 0) { [UInt8]($0) }
      if let previous, !previous.lexicographicallyPrecedes(name) {
        throw WorkspaceError.rowsOutOfOrder(in: SchemaListTable.name, path: connection.path)
      }
      previous = name
      try body(Row(name: row.string(at: 0), text: storedText(in: row, digestAt: 1, textAt: 2)))
    }
  }

  /// Removes a row, which is damaged. The next program that writes such objects or values stores its own schema.
  package static func remove(_ name: String, on connection: Connection) throws {
    defer { connection.dropCatalogs() }
    let statement = try connection.statement(.removeSchema)
    try statement.bind(name, at: 1)
    try statement.run()
  }

  /// Returns true for the name of a table's row, and false for that of a type: a participant's name in lower case
  /// letters, a colon, and the type. A table's name has no colon, or only one in its version, behind a `_`.
  package static func isOfTable(_ name: String) -> Bool {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return true }
    return colon == name.startIndex
      || !name.utf8[..<colon].allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }

  // MARK: Comparing

  /// The relation of the file's schema to the program's.
  private enum Relation {
    case missing, same, replaceable
    case newer((any SchemaDifference)?)
  }

  private static func relation(of schema: DeclaredSchema, on connection: Connection) throws -> Relation {
    guard let digest = try digest(for: schema, on: connection) else { return .missing }
    if digest == schema.digest { return .same }
    switch try compatibility(of: schema, digest: digest, on: connection) {
    case .replaceable: return .replaceable
    case .newer(let difference): return .newer(difference)
    case .incompatible(let type, let problems):
      throw WorkspaceError.incompatibleSchema(schema, of: type, problems, path: connection.path)
    case .unreadable:
      throw WorkspaceError(
        .newerFormat,
        "A newer program stored the schema of '\(schema.wording.subject)' in '\(connection.path)', which this program "
          + "can't read; update the program.", path: connection.path)
    }
  }

  /// Compares the program's schema with the file's, whose digest has just been read.
  private static func compatibility(
    of schema: DeclaredSchema, digest: Int64, on connection: Connection
  ) throws -> SchemaCompatibility {
    let cache = SchemaCache.of(connection)
    if let compared = cache.rows[schema.number]?.compared, compared.schema === schema { return compared.result }
    let result = schema.compatibility(with: try text(for: schema, on: connection), digest: digest)
    cache.rows[schema.number]?.compared = (schema, result)
    return result
  }

  // MARK: Reading

  /// Returns the digest of the file's schema; nil if the file has none.
  private static func digest(for schema: DeclaredSchema, on connection: Connection) throws -> Int64? {
    let cache = SchemaCache.of(connection)
    let version = CatalogVersion.of(connection)
    if let known = cache.rows[schema.number], known.version == version, version != nil { return known.digest }
    let digest = try readDigest(for: schema, on: connection, cache)
    cache.rows[schema.number] = StoredDigest(digest, version: version)
    return digest
  }

  private static func readDigest(
    for schema: DeclaredSchema, on connection: Connection, _ cache: SchemaCache
  ) throws -> Int64? {
    if !cache.hasList { cache.hasList = try connection.statement(.hasSchemaList).hasRow() }
    guard cache.hasList else { return nil }
    return try connection.reading(table: SchemaListTable.name) {
      let statement = try connection.statement(.schemaDigest)
      try statement.bind(schema.row, at: 1)
      return try statement.firstRow { row in
        guard row.type(at: 0) == .integer else { throw damage(of: schema, on: connection) }
        return row.int64(at: 0)
      }
    }
  }

  /// Returns the text of the file's schema.
  private static func text(for schema: DeclaredSchema, on connection: Connection) throws -> String {
    let statement = try connection.statement(.storedSchema)
    try statement.bind(schema.row, at: 1)
    let text = try statement.firstRow { row in
      guard let text = storedText(in: row, digestAt: 0, textAt: 1) else { throw damage(of: schema, on: connection) }
      return text
    }
    guard let text else { throw damage(of: schema, on: connection) }
    return text
  }

  /// Returns the text in a row of the list; nil if it isn't the one that a program stored.
  private static func storedText(in row: Statement, digestAt digest: Int32, textAt text: Int32) -> String? {
    guard row.type(at: digest) == .integer, row.type(at: text) == .text else { return nil }
    let stored = row.string(at: text)
    return FlatBuffersSchema.digest(of: stored) == row.int64(at: digest) ? stored : nil
  }

  private static func damage(of schema: DeclaredSchema, on connection: Connection) -> WorkspaceError {
    WorkspaceError(
      .corrupt,
      "The schema of '\(schema.wording.subject)' in '\(connection.path)' is damaged; repair the file with reindex() or "
        + "'kvtool repair'.", path: connection.path)
  }
}

extension WorkspaceError {
  /// The maximum number of problems in a message.
  private static let maximumProblems = 3

  /// Returns the error for what other programs have stored with a schema that contradicts this program's.
  fileprivate static func incompatibleSchema(
    _ schema: DeclaredSchema, of type: String?, _ problems: [String], path: String
  ) -> WorkspaceError {
    let wording = schema.wording
    var sentences = problems.prefix(maximumProblems).joined(separator: " ")
    if problems.count > maximumProblems { sentences += " And \(problems.count - maximumProblems) more." }
    return WorkspaceError(
      .schemaVersionMismatch,
      "This program's schema of '\(type ?? wording.subject)' contradicts the one of the \(wording.contents) in "
        + "'\(path)': \(sentences) Undo the edit of the schema, or \(wording.remedy).", path: path)
  }
}
