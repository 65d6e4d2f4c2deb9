public import DflatBuffers

/// A value that can be read from a FlatBuffers buffer. Generated types conform to it.
public protocol FlatBuffersDecodable {
  /// The schema version of the type (`v` in the schema), or nil if it has none. It is stored with the value. Values of
  /// other versions aren't read.
  static var flatBuffersSchemaVersion: String? { get }

  /// The schema of the type, or nil if there is none. Generated roots (`root_type`) have one, always the same object.
  /// Files keep it with the values that the dictionary stores, and compare the schemas of other programs with it.
  static var flatBuffersSchema: FlatBuffersSchema? { get }

  /// Verifies the bytes, and reads the value. The value doesn't refer to the bytes afterwards.
  ///
  /// - Throws: `FlatBufferError` if the bytes aren't a valid buffer.
  static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self

  /// Verifies the bytes, and reads the value within the limits.
  ///
  /// - Throws: `FlatBufferError` if the bytes aren't a valid buffer, or exceed the limits.
  static func from(verifying bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits) throws(FlatBufferError) -> Self
}

extension FlatBuffersDecodable {
  /// Nil: values of the type aren't compared with a schema.
  public static var flatBuffersSchema: FlatBuffersSchema? { nil }

  /// Calls `from(verifying:)`, which applies its own limits and ignores `limits`.
  ///
  /// - Throws: `FlatBufferError` if the bytes aren't a valid buffer.
  public static func from(
    verifying bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits
  ) throws(FlatBufferError) -> Self {
    try from(verifying: bytes)
  }
}

/// A value that can be written to a FlatBuffers builder. Generated types conform to it.
public protocol FlatBuffersEncodable {
  /// The four-character file identifier of buffers whose root is the value (`file_identifier`), or nil if there is
  /// none.
  static var flatBuffersIdentifier: String? { get }

  /// Writes the value as an object in the builder's buffer, without finishing the buffer.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset
}

/// A value that can be written to and read from FlatBuffers.
public typealias FlatBuffersCodable = FlatBuffersDecodable & FlatBuffersEncodable

extension FlatBuffersEncodable {
  /// Nil: a value that isn't a table can't be the root of a buffer that `flatc` knows.
  public static var flatBuffersIdentifier: String? { nil }
}

extension FlatBuffersEncodable where Self: FlatBufferTableValue {
  /// The file identifier of the layout.
  public static var flatBuffersIdentifier: String? { flatBufferLayout.identifier }
}

extension FlatBuffersDecodable where Self: FlatBufferTableValue {
  /// Verifies the bytes, and reads the value as its layout describes.
  ///
  /// - Throws: `FlatBufferError` if the bytes aren't a valid buffer, or exceed the default limits.
  @inlinable
  public static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes)
  }

  /// Verifies the bytes, and reads the value as its layout describes, within the limits.
  ///
  /// - Throws: `FlatBufferError` if the bytes aren't a valid buffer, or exceed the limits.
  @inlinable
  public static func from(
    verifying bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits
  ) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes, limits: limits)
  }
}

extension FlatBuffersDecodable where Self: FlatBufferStructure {
  /// Reads a buffer whose root is the struct.
  ///
  /// - Throws: `FlatBufferError` if the bytes aren't a valid buffer, or exceed the default limits.
  @inlinable
  public static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes)
  }

  /// Reads a buffer whose root is the struct, within the limits.
  ///
  /// - Throws: `FlatBufferError` if the bytes aren't a valid buffer, or exceed the limits.
  @inlinable
  public static func from(
    verifying bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits
  ) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes, limits: limits)
  }
}

extension FlatBuffersEncodable where Self: FlatBufferStructure {
  /// Writes the struct on its own, as the root of a buffer or a member of a union.
  @inlinable
  public func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    builder.create(self)
  }
}
