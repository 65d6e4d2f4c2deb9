public import DflatBuffers

/// A value that is read from a FlatBuffers buffer. Generated code conforms to it.
public protocol FlatBuffersDecodable {
  /// The version that the schema gives the type (`v`), nil if none. Stored with the value; values of other versions are not
  /// read.
  static var flatBuffersSchemaVersion: String? { get }

  /// Verifies the bytes and reads the value. They are not held after the call.
  static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self
}

/// A value that is written to a FlatBuffers builder. Generated code conforms to it.
public protocol FlatBuffersEncodable {
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset
}

public typealias FlatBuffersCodable = FlatBuffersDecodable & FlatBuffersEncodable

extension FlatBuffersDecodable where Self: FlatBufferTableValue {
  @inlinable
  public static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes)
  }
}

extension FlatBuffersDecodable where Self: FlatBufferStructure {
  @inlinable
  public static func from(verifying bytes: UnsafeRawBufferPointer) throws(FlatBufferError) -> Self {
    try FlatBuffer.decode(Self.self, from: bytes)
  }
}

extension FlatBuffersEncodable where Self: FlatBufferStructure {
  @inlinable
  public func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    builder.create(self)
  }
}
