/// An enum of a schema: a Swift `enum`, or for `bit_flags` an `OptionSet`. Generated code conforms to it.
public protocol FlatBufferEnum: RawRepresentable, Hashable, Sendable where RawValue: FlatBufferScalar {
  /// What stands for values that this version of the schema doesn't know, where a field has no default of its own: in
  /// vectors and structs. The value 0, or the first if there is none.
  static var flatBufferDefault: Self { get }
}

extension FlatBufferEnum {
  @inlinable
  static func flatBufferLoad(from bytes: UnsafeRawPointer, default standard: Self) -> Self {
    Self(rawValue: RawValue.flatBufferLoad(from: bytes)) ?? standard
  }
}
