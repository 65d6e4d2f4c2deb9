/// A value, and the JSON from which flatc builds the same value.
struct Sample<Value: Sendable>: Sendable {
  /// The name of the sample's files.
  let name: String
  let value: Value
  /// In the order of the slots, which is the order in which flatc writes strings, vectors and tables.
  let json: String
  let bytes: Bytes

  /// The expected relation of our bytes to flatc's.
  enum Bytes: Sendable {
    case equal
    /// A table contains a struct, and the padding differs. When flatc's JSON reader meets a struct, it builds the
    /// struct in the buffer, at its alignment, and removes its bytes until the table is written; the padding stays. The
    /// format doesn't prescribe padding.
    case padded
    /// The value has two forms, for the given reason, and flatc keeps the form of the JSON.
    case formed(because: String)
  }

  init(_ name: String, _ value: Value, _ json: String, bytes: Bytes = .equal) {
    self.name = name
    self.value = value
    self.json = json
    self.bytes = bytes
  }
}
