package import DflatBuffers

extension FieldPath {
  /// Returns the value as queries see it: a number that the enum doesn't know is its default, a kind that the union
  /// doesn't know is null. To read many values, create a `PathReader`.
  ///
  /// - Throws: `FlatBufferError` if data on the path is damaged; never traps, whatever the bytes are.
  package func value(in root: FlatBufferTable) throws(FlatBufferError) -> QueryValue {
    try PathReader(self).value(in: root)
  }

  /// Returns the value as index and key columns store it: numbers and kinds as they are, known to the schema or not.
  ///
  /// - Throws: `FlatBufferError` if data on the path is damaged; never traps, whatever the bytes are.
  package func storedValue(in root: FlatBufferTable) throws(FlatBufferError) -> QueryValue {
    try PathReader(storedBy: self).value(in: root)
  }

  /// Returns the value as queries see it.
  package func value(in bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> QueryValue {
    try value(in: FlatBufferTable(rootOf: bytes))
  }

  /// Returns the value as index and key columns store it.
  package func storedValue(in bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> QueryValue {
    try storedValue(in: FlatBufferTable(rootOf: bytes))
  }
}
