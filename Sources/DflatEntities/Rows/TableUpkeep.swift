import DflatCore
import DflatSQLite

/// The indexes and unknown fields that a program's writes of a type's rows have to keep up. Types of one table differ
/// in their schemas.
final class TableUpkeep {
  let entity: EntityDescription
  /// The table's indexes in the file.
  let indexes: [MaintainedIndex]
  /// The table's full-text indexes in the file.
  let searches: [MaintainedSearch]
  /// The fields of the rows that the program's schema lacks; nil if the file's schema isn't newer.
  let unknownFields: UnknownFields?

  init(
    entity: EntityDescription, indexes: [MaintainedIndex], searches: [MaintainedSearch], unknownFields: UnknownFields?
  ) {
    self.entity = entity
    self.indexes = indexes
    self.searches = searches
    self.unknownFields = unknownFields
  }
}

extension TableUpkeep {
  /// Returns what `remember(on:)` kept for a type, unless a list in the file has changed since.
  static func known(for entity: EntityDescription, on connection: Connection) -> TableUpkeep? {
    UpkeepCache.current(on: connection)?.upkeep.first { $0.entity === entity }
  }

  /// Keeps the upkeep for later transactions.
  func remember(on connection: Connection) {
    guard let cache = UpkeepCache.current(on: connection) else { return }
    // Programs that describe a type again and again look up none of the earlier descriptions.
    if cache.upkeep.count >= UpkeepCache.maximumCount { cache.upkeep = [] }
    cache.upkeep.append(self)
  }
}

/// The upkeep of tables in a connection's schema cache.
private final class UpkeepCache {
  /// The maximum number of types.
  static let maximumCount = 64

  private var version: CatalogVersion?
  var upkeep: [TableUpkeep] = []

  /// Returns the cache, emptied if a list in the file has changed; nil if that is unknown.
  static func current(on connection: Connection) -> UpkeepCache? {
    guard let version = CatalogVersion.of(connection) else { return nil }
    let cache = connection.schemaCache.state(orAdding: UpkeepCache())
    if cache.version != version {
      cache.version = version
      cache.upkeep = []
    }
    return cache
  }
}
