/// A value, and the JSON from which flatc makes the same.
struct Sample<Value: Sendable>: Sendable {
  /// A name for files.
  let name: String
  let value: Value
  /// In the order of declaration, which is the order in which flatc writes strings, vectors and tables.
  let json: String
  let bytes: Bytes

  /// Whether our bytes and flatc's are compared.
  enum Bytes: Sendable {
    case equal
    /// The format leaves freedom, and flatc took another way, for the reason given.
    case different(because: String)
  }

  init(_ name: String, _ value: Value, _ json: String, bytes: Bytes = .equal) {
    self.name = name
    self.value = value
    self.json = json
    self.bytes = bytes
  }
}
