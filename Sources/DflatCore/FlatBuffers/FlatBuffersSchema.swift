/// The schema of a FlatBuffers type, as `dflatc` writes it into generated code.
///
/// Files keep the schemas of the values that they store. A program whose schema contradicts the stored one gets
/// ``WorkspaceError`` with code `.schemaVersionMismatch` when it reads or writes such a value.
public final class FlatBuffersSchema: Sendable {
  /// The name of the root type, with its namespace.
  public let root: String
  /// The canonical text: the root type, and every type that it reaches.
  public let text: String
  /// The text's digest, which the file stores with it. Schemas with the same digest are the same.
  package let digest: Int64

  /// Creates a schema.
  ///
  /// - Parameters:
  ///   - root: The name of the root type, with its namespace.
  ///   - text: The canonical text of the schema, from `dflatc`.
  public init(root: String, text: String) {
    self.root = root
    self.text = text
    digest = Self.digest(of: text)
  }

  /// Returns the 64-bit FNV-1a hash of a text's UTF-8 bytes (Fowler, Noll and Vo), as a signed number for SQLite.
  package static func digest(of text: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int64(bitPattern: hash)
  }
}
