/// A value, and the JSON from which flatc makes the same.
struct Sample<Value: Sendable>: Sendable {
  /// A name for files.
  let name: String
  let value: Value
  /// In the order of the slots, which is the order in which flatc writes strings, vectors and tables.
  let json: String
  let bytes: Bytes

  /// Whether our bytes and flatc's are compared.
  enum Bytes: Sendable {
    case equal
    /// There is a struct in a table. flatc's JSON reader builds it, at its alignment, in the buffer when it comes by, and
    /// takes its bytes away until their table is written; the padding stays. The format leaves it free where padding is.
    case padded
    /// One value has two forms, and flatc keeps the one that its JSON has, for the reason given.
    case formed(because: String)
  }

  init(_ name: String, _ value: Value, _ json: String, bytes: Bytes = .equal) {
    self.name = name
    self.value = value
    self.json = json
    self.bytes = bytes
  }
}
