import DflatCore
import DflatSQLite

/// The schemas that the file lists, one for each table of objects, as one connection shows them.
///
/// The file has the newest schema that a program has written a type's objects with. A program whose schema is older, or
/// may replace it, uses the objects; any other would misread them, or write what others misread.
enum SchemaCatalog {
  /// Throws unless the program's schema of a type fits the objects in the file.
  ///
  /// Runs on the connection's thread, in a transaction or a read view. Reads the file's digest once for each state of
  /// the list that the connection shows (`CatalogVersion`), and the schema's text only if it differs from the program's.
  ///
  /// - Returns: What the program's schema lacks of the file's; nil if that isn't newer.
  /// - Throws: ``WorkspaceError`` with code `.schemaVersionMismatch` if the schemas contradict each other; with code
  ///   `.newerFormat` if this program can't read the stored one; with code `.corrupt` if the stored one is damaged.
  @discardableResult
  static func requireFit(of entity: EntityDescription, on connection: Connection) throws -> UnknownFields? {
    guard let schema = entity.schema, case .newer(let fields) = try relation(of: schema, entity, on: connection) else {
      return nil
    }
    return fields
  }

  /// Requires the fit of the program's schema, and stores the schema if the file has none for the table, or one that it
  /// may replace.
  ///
  /// Called by the holder of the write token, before the first write to the table's rows. The change is a part of the
  /// group, and is undone with it.
  ///
  /// - Returns: As ``requireFit(of:on:)``.
  @discardableResult
  static func store(_ entity: EntityDescription, on connection: Connection) throws -> UnknownFields? {
    guard let schema = entity.schema else { return nil }
    switch try relation(of: schema, entity, on: connection) {
    case .same: return nil
    case .newer(let fields): return fields
    case .missing, .replaceable: break
    }
    defer { connection.dropCatalogs() }
    try connection.changeSchema(EntityTableFormat.schemaList.creatingIfMissing)
    let statement = try connection.statement(.storeSchema)
    try statement.bind(entity.table, at: 1)
    statement.bind(schema.digest, at: 2)
    try statement.withBound(schema.text, at: 3) { try statement.run() }
    return nil
  }

  // MARK: Comparing

  /// The relation of the file's schema of a table to the program's.
  private enum Relation {
    case missing, same, replaceable
    case newer(UnknownFields?)
  }

  private static func relation(
    of schema: DeclaredSchema, _ entity: EntityDescription, on connection: Connection
  ) throws -> Relation {
    guard let digest = try digest(of: entity, on: connection) else { return .missing }
    if digest == schema.digest { return .same }
    switch try verdict(of: schema, on: digest, of: entity, on: connection) {
    case .replaceable: return .replaceable
    case .newer(let fields): return .newer(fields)
    case .incompatible(let type, let problems):
      throw WorkspaceError.incompatibleSchema(of: type ?? entity.table, problems, path: connection.path)
    case .unreadable:
      throw WorkspaceError(
        .newerFormat,
        "A newer program stored the schema of '\(entity.table)' in '\(connection.path)', which this program can't "
          + "read; update the program.", path: connection.path)
    }
  }

  /// Returns the verdict on the file's schema of a table, whose digest has just been read.
  private static func verdict(
    of schema: DeclaredSchema, on digest: Int64, of entity: EntityDescription, on connection: Connection
  ) throws -> SchemaVerdict {
    let cache = SchemaCache.of(connection)
    if let judged = cache.tables[entity.number]?.judged, judged.schema === schema { return judged.verdict }
    let verdict = schema.verdict(on: try text(of: entity, on: connection), digest: digest)
    cache.tables[entity.number]?.judged = (schema, verdict)
    return verdict
  }

  // MARK: Reading

  /// Returns the digest of the file's schema of a table; nil if the file has none.
  private static func digest(of entity: EntityDescription, on connection: Connection) throws -> Int64? {
    let cache = SchemaCache.of(connection)
    let version = CatalogVersion.of(connection)
    if let known = cache.tables[entity.number], known.version == version, version != nil { return known.digest }
    let digest = try readDigest(of: entity, on: connection, cache)
    cache.tables[entity.number] = StoredDigest(digest, version: version)
    return digest
  }

  private static func readDigest(
    of entity: EntityDescription, on connection: Connection, _ cache: SchemaCache
  ) throws -> Int64? {
    if !cache.hasList { cache.hasList = try connection.statement(.hasSchemaList).hasRow() }
    guard cache.hasList else { return nil }
    return try connection.reading(table: "dflat_schema") {
      let statement = try connection.statement(.schemaDigest)
      try statement.bind(entity.table, at: 1)
      return try statement.firstRow { row in
        guard row.type(at: 0) == .integer else { throw damage(of: entity, on: connection) }
        return row.int64(at: 0)
      }
    }
  }

  /// Returns the text of the file's schema of a table.
  private static func text(of entity: EntityDescription, on connection: Connection) throws -> String {
    let statement = try connection.statement(.storedSchema)
    try statement.bind(entity.table, at: 1)
    let text = try statement.firstRow { row in
      guard let text = DeclaredSchema.stored(in: row, digestAt: 0, textAt: 1) else {
        throw damage(of: entity, on: connection)
      }
      return text
    }
    guard let text else { throw damage(of: entity, on: connection) }
    return text
  }

  private static func damage(of entity: EntityDescription, on connection: Connection) -> WorkspaceError {
    WorkspaceError(
      .corrupt,
      "The schema of '\(entity.table)' in '\(connection.path)' is damaged; repair the file with reindex() or "
        + "'kvtool repair'.", path: connection.path)
  }
}

extension WorkspaceError {
  /// The maximum number of problems in a message.
  private static let maximumProblems = 3

  /// Returns the error for objects of other programs whose schema contradicts this program's.
  fileprivate static func incompatibleSchema(of type: String, _ problems: [String], path: String) -> WorkspaceError {
    var sentences = problems.prefix(maximumProblems).joined(separator: " ")
    if problems.count > maximumProblems { sentences += " And \(problems.count - maximumProblems) more." }
    return WorkspaceError(
      .schemaVersionMismatch,
      "This program's schema of '\(type)' contradicts the one of the objects in '\(path)': \(sentences) Undo the edit "
        + "of the schema, or change 'v' of the table to start over with an empty one.", path: path)
  }
}

/// The schemas' part of a connection's cache.
private final class SchemaCache {
  /// True once the list has been found. A rollback drops the whole cache, and only other tools drop the list.
  var hasList = false
  /// The digests, by the tables' numbers.
  var tables: [Int: StoredDigest] = [:]

  static func of(_ connection: Connection) -> SchemaCache {
    let cache = ConnectionCache.of(connection)
    if let found = cache.schemas as? SchemaCache { return found }
    let made = SchemaCache()
    cache.schemas = made
    return made
  }
}

private struct StoredDigest {
  /// Nil if the file has no schema of the table.
  let digest: Int64?
  /// The version at which the digest was last read.
  let version: CatalogVersion?
  /// The last verdict of a program's schema on the file's at this version.
  var judged: (schema: DeclaredSchema, verdict: SchemaVerdict)?

  init(_ digest: Int64?, version: CatalogVersion?) {
    self.digest = digest
    self.version = version
  }
}
