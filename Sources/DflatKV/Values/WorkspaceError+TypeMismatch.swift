import DflatCore

extension WorkspaceError {
  /// Returns the error of a read that asks for another type than the stored one, without the key. Raised where values
  /// are converted: by the dictionary's subscripts for native types (`native`, in `Facade`), by `ValueCoder` and
  /// `FlatBuffersCoding` for the others.
  static func typeMismatch(
    _ value: CachedValue, _ type: Any.Type, underlying: (any Error)? = nil
  ) -> WorkspaceError {
    let kind = value.kind?.rawValue ?? "nothing"
    let isNumberType = type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
    let reason = value.isNumber && isNumberType ? "which \(type) can't represent exactly" : "not \(type)"
    return WorkspaceError(
      .typeMismatch, "The stored value is of type \(kind), \(reason).", underlying: underlying)
  }
}
