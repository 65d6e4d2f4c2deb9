/// A type that the format stores in place: `Bool`, the integers, `Float` and `Double`.
///
/// The format has no other scalars, so don't add conformances.
public protocol FlatBufferScalar: BitwiseCopyable, Sendable, Hashable {
  /// True if a value in memory has the format's bytes, on little-endian machines, for every bit pattern.
  static var flatBufferIsRaw: Bool { get }
  /// Reads `MemoryLayout<Self>.size` bytes at an address, which need not be aligned.
  static func flatBufferLoad(from bytes: UnsafeRawPointer) -> Self
  /// Writes `MemoryLayout<Self>.size` bytes at an address, which need not be aligned.
  func flatBufferStore(to bytes: UnsafeMutableRawPointer)
  /// Returns true if a field with this value is omitted when `standard` is its default. Compares by `==`, as `flatc`
  /// does, except that NaN equals NaN.
  func flatBufferIsDefault(_ standard: Self) -> Bool
}

extension FlatBufferScalar where Self: FixedWidthInteger {
  @inlinable
  public static var flatBufferIsRaw: Bool { true }

  @inlinable
  public static func flatBufferLoad(from bytes: UnsafeRawPointer) -> Self {
    Self(littleEndian: bytes.loadUnaligned(as: Self.self))
  }

  @inlinable
  public func flatBufferStore(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: littleEndian, as: Self.self)
  }

  @inlinable
  public func flatBufferIsDefault(_ standard: Self) -> Bool { self == standard }
}

extension Int8: FlatBufferScalar {}
extension UInt8: FlatBufferScalar {}
extension Int16: FlatBufferScalar {}
extension UInt16: FlatBufferScalar {}
extension Int32: FlatBufferScalar {}
extension UInt32: FlatBufferScalar {}
extension Int64: FlatBufferScalar {}
extension UInt64: FlatBufferScalar {}

extension Bool: FlatBufferScalar {
  // A byte other than 0 and 1 is not a valid `Bool`.
  @inlinable
  public static var flatBufferIsRaw: Bool { false }

  @inlinable
  public static func flatBufferLoad(from bytes: UnsafeRawPointer) -> Bool {
    bytes.load(as: UInt8.self) != 0
  }

  @inlinable
  public func flatBufferStore(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: self ? 1 : 0, as: UInt8.self)
  }

  @inlinable
  public func flatBufferIsDefault(_ standard: Bool) -> Bool { self == standard }
}

extension Float: FlatBufferScalar {
  @inlinable
  public static var flatBufferIsRaw: Bool { true }

  @inlinable
  public static func flatBufferLoad(from bytes: UnsafeRawPointer) -> Float {
    Float(bitPattern: .flatBufferLoad(from: bytes))
  }

  @inlinable
  public func flatBufferStore(to bytes: UnsafeMutableRawPointer) {
    bitPattern.flatBufferStore(to: bytes)
  }

  @inlinable
  public func flatBufferIsDefault(_ standard: Float) -> Bool {
    self == standard || (isNaN && standard.isNaN)
  }
}

extension Double: FlatBufferScalar {
  @inlinable
  public static var flatBufferIsRaw: Bool { true }

  @inlinable
  public static func flatBufferLoad(from bytes: UnsafeRawPointer) -> Double {
    Double(bitPattern: .flatBufferLoad(from: bytes))
  }

  @inlinable
  public func flatBufferStore(to bytes: UnsafeMutableRawPointer) {
    bitPattern.flatBufferStore(to: bytes)
  }

  @inlinable
  public func flatBufferIsDefault(_ standard: Double) -> Bool {
    self == standard || (isNaN && standard.isNaN)
  }
}

/// True if scalars in memory have the format's byte order.
@inlinable
var isLittleEndian: Bool { Int32(littleEndian: 1) == 1 }
