import DflatCore
import DflatSQLite

/// The schemas of entities in the file's list: each table of objects has a row, with the table's name (`SchemaList`).
///
/// A program whose schema of a type is older than the file's, or may replace it, uses the objects. A program with an
/// older one keeps what it lacks (`UnknownFields`).
enum SchemaCatalog {
  /// Throws unless the program's schema of a type fits the objects in the file, as
  /// `SchemaList.requireCompatibility(of:on:)` does.
  ///
  /// - Returns: The parts of the file's schema that the program's lacks; nil if the file's isn't newer.
  @discardableResult
  static func requireCompatibility(of entity: EntityDescription, on connection: Connection) throws -> UnknownFields? {
    guard let schema = entity.schema else { return nil }
    return try SchemaList.requireCompatibility(of: schema, on: connection) as? UnknownFields
  }

  /// Requires that the program's schema is compatible, and stores the schema if the file has none for the table, or one
  /// that it may replace, as `SchemaList.store(_:on:)` does.
  ///
  /// Called by the holder of the write token, before the first write to the table's rows.
  ///
  /// - Returns: As ``requireCompatibility(of:on:)``.
  @discardableResult
  static func store(_ entity: EntityDescription, on connection: Connection) throws -> UnknownFields? {
    guard let schema = entity.schema else { return nil }
    return try SchemaList.store(schema, on: connection) as? UnknownFields
  }
}
