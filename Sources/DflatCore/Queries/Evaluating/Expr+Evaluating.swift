import DflatBuffers

extension Expr where ResultType: DflatFriendlyValue {
  /// The expression's value for an object; nil when it is unknown.
  ///
  /// It is evaluated on the object's bytes, as queries do: for conditions that are used in memory too. Nil as well for an
  /// object that can't be encoded, which is none that was fetched.
  public func evaluate(object: Element) -> ResultType? {
    try? object.withEncodedBytes { try evaluate(bytes: $0) }
  }

  /// The expression's value for an object's bytes; nil when it is unknown. They need not be verified.
  ///
  /// - Throws: `FlatBufferError` where what the expression reads is damaged.
  public func evaluate(bytes: UnsafeRawBufferPointer) throws -> ResultType? {
    let root = try FlatBufferTable(rootOf: bytes)
    return ResultType(_queryValue: try CompiledExpression(node, type: ResultType._queryValueType).value(in: root))
  }
}

extension Atom {
  /// Lends the object's bytes.
  func withEncodedBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
    var builder = FlatBufferBuilder()
    try encode(in: &builder)
    return try builder.withFinishedBytes { try body($0) }
  }
}
