/// The scalar types. The sized aliases (`int8` … `float64`) stand for the same types.
public enum ScalarType: String, Sendable, CaseIterable {
  /// A scalar type, by its name in schemas.
  case bool, byte, ubyte, short, ushort, int, uint, long, ulong, float, double

  /// The size in bytes, which is also the alignment.
  public var size: Int {
    switch self {
    case .bool, .byte, .ubyte: 1
    case .short, .ushort: 2
    case .int, .uint, .float: 4
    case .long, .ulong, .double: 8
    }
  }

  /// True for `byte` to `ulong`.
  public var isInteger: Bool { self != .bool && !isFloatingPoint }
  /// True for `float` and `double`.
  public var isFloatingPoint: Bool { self == .float || self == .double }

  /// The range of an integer type, 0 and 1 for `bool`; nil for floating-point types.
  public var range: ClosedRange<Int128>? {
    switch self {
    case .bool: 0...1
    case .byte: Int128(Int8.min)...Int128(Int8.max)
    case .ubyte: 0...Int128(UInt8.max)
    case .short: Int128(Int16.min)...Int128(Int16.max)
    case .ushort: 0...Int128(UInt16.max)
    case .int: Int128(Int32.min)...Int128(Int32.max)
    case .uint: 0...Int128(UInt32.max)
    case .long: Int128(Int64.min)...Int128(Int64.max)
    case .ulong: 0...Int128(UInt64.max)
    case .float, .double: nil
    }
  }
}
