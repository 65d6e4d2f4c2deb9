/// An enum of a schema: a Swift `enum`, or an `OptionSet` for `bit_flags`. Generated code conforms to it.
public protocol FlatBufferEnum: RawRepresentable, Hashable, Sendable where RawValue: FlatBufferScalar {
  /// The substitute for values that this version of the schema doesn't know, in vectors and structs, where fields have
  /// no default of their own: the value 0, or the first value of an enum without 0.
  static var flatBufferDefault: Self { get }
}

extension FlatBufferEnum {
  @inlinable
  static func flatBufferLoad(from bytes: UnsafeRawPointer, default standard: Self) -> Self {
    Self(rawValue: RawValue.flatBufferLoad(from: bytes)) ?? standard
  }
}
