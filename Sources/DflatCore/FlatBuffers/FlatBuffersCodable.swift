public import DflatBuffers

/// A value that is read from a FlatBuffers buffer. Generated code conforms to it.
public protocol FlatBuffersDecodable {
  /// The version that the schema gives the type (`v`), nil if none. Stored with the value; values of other versions are not
  /// read.
  static var flatBuffersSchemaVersion: String? { get }

  /// Verifies the bytes and reads the value. They are not held after the call.
  static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self

  /// The same, refusing what exceeds the limits.
  static func from(verifying bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits) throws(FlatBufferError) -> Self
}

extension FlatBuffersDecodable {
  /// By `from(verifying:)`, with the limits that it applies.
  public static func from(
    verifying bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits
  ) throws(FlatBufferError) -> Self {
    try from(verifying: bytes)
  }
}

/// A value that is written to a FlatBuffers builder. Generated code conforms to it.
public protocol FlatBuffersEncodable {
  /// The four letters that mark a buffer of which the value is the root (`file_identifier`), nil if there are none.
  static var flatBuffersIdentifier: String? { get }

  /// Writes the value as an object of the builder's buffer, without finishing the buffer.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset
}

/// A value that FlatBuffers are written of and read to.
public typealias FlatBuffersCodable = FlatBuffersDecodable & FlatBuffersEncodable

extension FlatBuffersEncodable {
  /// None: what is no table is no root that `flatc` knows.
  public static var flatBuffersIdentifier: String? { nil }
}

extension FlatBuffersEncodable where Self: FlatBufferTableValue {
  /// The layout's.
  public static var flatBuffersIdentifier: String? { flatBufferLayout.identifier }
}

extension FlatBuffersDecodable where Self: FlatBufferTableValue {
  /// Verifies and reads by the layout.
  @inlinable
  public static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes)
  }

  @inlinable
  public static func from(
    verifying bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits
  ) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes, limits: limits)
  }
}

extension FlatBuffersDecodable where Self: FlatBufferStructure {
  /// Reads a buffer whose root is the struct.
  @inlinable
  public static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes)
  }

  @inlinable
  public static func from(
    verifying bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits
  ) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes, limits: limits)
  }
}

extension FlatBuffersEncodable where Self: FlatBufferStructure {
  /// Writes the struct by itself, as the root of a buffer or a member of a union.
  @inlinable
  public func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    builder.create(self)
  }
}
