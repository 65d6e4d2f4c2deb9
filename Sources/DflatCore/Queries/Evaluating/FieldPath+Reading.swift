package import DflatBuffers

extension FieldPath {
  /// The value as queries see it: a number that the enum doesn't have is its default, a kind that the union doesn't have is
  /// null. Whoever reads many makes a `PathReader`.
  ///
  /// - Throws: `FlatBufferError`, whatever the bytes are.
  package func value(in root: FlatBufferTable) throws(FlatBufferError) -> QueryValue {
    try PathReader(self).value(in: root)
  }

  /// The value as index and key columns hold it: numbers and kinds as they are stored, whatever the schema knows.
  ///
  /// - Throws: `FlatBufferError`, whatever the bytes are.
  package func storedValue(in root: FlatBufferTable) throws(FlatBufferError) -> QueryValue {
    try PathReader(storedBy: self).value(in: root)
  }

  /// The value as queries see it.
  package func value(in bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> QueryValue {
    try value(in: FlatBufferTable(rootOf: bytes))
  }

  /// The value as index and key columns hold it.
  package func storedValue(in bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> QueryValue {
    try storedValue(in: FlatBufferTable(rootOf: bytes))
  }
}
