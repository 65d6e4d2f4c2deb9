/// The relation of the schema that a file stores to the program's.
package enum SchemaVerdict: Sendable {
  /// The program's schema may replace the stored one. It is newer, or each may replace the other.
  case replaceable
  /// The stored schema may replace the program's, which is older. The object is what the participant has to know of the
  /// difference, if anything.
  case newer((any AnyObject & Sendable)?)
  /// Neither may replace the other. The problems are those of the program's schema, as sentences.
  case incompatible(type: String?, problems: [String])
  /// This program can't read the stored schema.
  case unreadable
}
