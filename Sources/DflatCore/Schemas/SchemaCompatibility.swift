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

/// The parts of the difference between a participant's schema and a newer one in the file that the participant needs.
package protocol SchemaDifference: AnyObject, Sendable {}
