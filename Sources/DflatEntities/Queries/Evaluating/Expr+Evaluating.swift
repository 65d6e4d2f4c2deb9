import DflatBuffers

extension Expr where ResultType: DflatFriendlyValue {
  /// Evaluates the expression for an object. Returns nil if its value is unknown, or if the object can't be encoded; a
  /// fetched object always can.
  ///
  /// Evaluates the object's bytes, as queries do, so that a condition has the same result in memory.
  public func evaluate(object: Element) -> ResultType? {
    try? object.withEncodedBytes { try evaluate(bytes: $0) }
  }

  /// Evaluates the expression for an object's bytes, which need not be verified. Returns nil if its value is unknown.
  ///
  /// - Throws: `FlatBufferError` if data that the expression reads is damaged.
  public func evaluate(bytes: UnsafeRawBufferPointer) throws -> ResultType? {
    let root = try FlatBufferTable(rootOf: bytes)
    return ResultType(_queryValue: try CompiledExpression(node, type: ResultType._queryValueType).value(in: root))
  }
}

extension Atom {
  /// Encodes the object and lends its bytes to `body`.
  func withEncodedBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    var builder = FlatBufferBuilder()
    try encode(in: &builder)
    return try builder.withFinishedBytes { try body($0) }
  }
}
