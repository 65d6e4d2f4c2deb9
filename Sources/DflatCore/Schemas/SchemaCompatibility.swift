/// The result of comparing the schema that a file stores with the program's.
package enum SchemaCompatibility: Sendable {
  /// The program's schema may replace the stored one. It is newer, or each may replace the other.
  case replaceable
  /// The stored schema may replace the program's, which is older.
  case newer((any SchemaDifference)?)
  /// Neither may replace the other. The problems are those of the program's schema, as sentences.
  case incompatible(type: String?, problems: [String])
  /// This program can't read the stored schema.
  case unreadable
}

/// What a participant has to know of the difference between its schema and a newer one in the file, if anything.
package protocol SchemaDifference: AnyObject, Sendable {}
