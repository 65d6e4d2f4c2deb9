import DflatCore
import DflatSQLite

/// Compares the program's schemas of FlatBuffers types with those that the file has for the dictionary's values, and
/// keeps the results while the file's list of schemas is the same.
final class ValueSchemas: Sendable {
  /// The result of a comparison.
  private struct Comparison {
    /// Identifies the state of the file's list (`Publication.publishedCatalogNumber`).
    let catalogs: UInt64
    /// Nil if the schema fits.
    let incompatibility: WorkspaceError?
  }

  private let comparisons = Lock<[ObjectIdentifier: Comparison]>([:])

  /// Throws unless the program's schema of a type fits the one in the state that this thread's reads see: that of its
  /// transaction or snapshot, or else the published one.
  ///
  /// - Throws: As ``requirePublishedCompatibility(of:in:)``.
  func requireCompatibility<T: FlatBuffersCodable>(of type: T.Type, in core: WorkspaceCore) throws {
    switch try core.readingRole() {
    case .transaction(let transaction):
      guard let schema = DeclaredSchema.ofValues(of: type) else { return }
      try transaction.reading {
        let incompatibility = try transaction.joinedGroup().reading { try Self.incompatibility(of: schema, on: $0) }
        if let incompatibility { throw incompatibility }
      }
    case .snapshot(let snapshot):
      guard let schema = DeclaredSchema.ofValues(of: type) else { return }
      let incompatibility = try snapshot.read { connection, _ in try Self.incompatibility(of: schema, on: connection) }
      if let incompatibility, let incompatibility { throw incompatibility }
    case .callback, .worker, .encoding, nil: try requirePublishedCompatibility(of: type, in: core)
    }
  }

  /// Throws unless the program's schema of a type fits the one in the published state. The state is at least that of
  /// any value that is in the cache, or was delivered. Reads the file only if its list of schemas may have changed
  /// since the last comparison. After the workspace was closed, the last comparison stands, if there was one.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with the codes of `SchemaList.requireCompatibility(of:on:)`, or the error
  ///   of reading the file.
  func requirePublishedCompatibility<T: FlatBuffersCodable>(of type: T.Type, in core: WorkspaceCore) throws {
    let id = ObjectIdentifier(type)
    if let catalogs = core.publication.publishedCatalogNumber, let known = comparisons.withLock({ $0[id] }),
      known.catalogs == catalogs
    {
      if let incompatibility = known.incompatibility { throw incompatibility }
      return
    }
    guard let schema = DeclaredSchema.ofValues(of: type) else { return }
    let found: (catalogs: UInt64?, incompatibility: WorkspaceError?)?
    do {
      found = try core.withView { connection, _ in
        (catalogs: connection.catalogNumber, incompatibility: try Self.incompatibility(of: schema, on: connection))
      }
    } catch {
      if core.isOpen { throw error }
      // The last values are delivered while the workspace closes its connections, and observers may keep them.
      if let incompatibility = comparisons.withLock({ $0[id] })?.incompatibility { throw incompatibility }
      return
    }
    // Without a file there are no schemas yet.
    guard let found else { return }
    if let catalogs = found.catalogs {
      comparisons.withLock { $0[id] = Comparison(catalogs: catalogs, incompatibility: found.incompatibility) }
    }
    if let incompatibility = found.incompatibility { throw incompatibility }
  }

  /// Returns the error for a schema that doesn't fit the file's, as the connection shows it; nil if it fits.
  ///
  /// - Throws: SQLite's errors.
  static func incompatibility(of schema: DeclaredSchema, on connection: Connection) throws -> WorkspaceError? {
    do { try SchemaList.requireCompatibility(of: schema, on: connection) } catch let error as WorkspaceError {
      return error
    }
    return nil
  }
}
