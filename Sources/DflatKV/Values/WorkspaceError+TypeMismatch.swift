import DflatCore

extension WorkspaceError {
  /// Returns the error of a read that asks for another type than the stored one, without the key. Raised where values
  /// are converted: `ValueCoder` and `FlatBuffersCoding` throw it, and the subscripts for native types report it and
  /// return nil (`WorkspaceDictionary+Subscripts`).
  static func typeMismatch(
    _ value: CachedValue, _ type: Any.Type, underlying: (any Error)? = nil
  ) -> WorkspaceError {
    if value.kind == .sealed { return .sealed }
    let kind = value.kind?.rawValue ?? "nothing"
    let isNumberType = type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
    let reason = value.isNumber && isNumberType ? "which \(type) can't represent exactly" : "not \(type)"
    return WorkspaceError(
      .typeMismatch, "The stored value is of type \(kind), \(reason).", underlying: underlying)
  }
}
