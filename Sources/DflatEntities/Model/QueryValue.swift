import DflatSupport

/// A field's value of any type, as queries and index tables hold it.
///
/// Text compares by its UTF-8 bytes everywhere: canonically equivalent spellings of a character differ. `null` stands
/// for an absent value: an optional field without a value, or a field of an absent struct, table or union member.
public enum QueryValue: Sendable {
  /// No value.
  case null
  /// A `Bool` (0 or 1), or an integer of any type but `UInt64`.
  case integer(Int64)
  /// A `UInt64`.
  case unsigned(UInt64)
  /// A `Float`, converted exactly, or a `Double`.
  case real(Double)
  /// A `String`.
  case text(String)
}

extension QueryValue: Hashable {
  public static func == (lhs: QueryValue, rhs: QueryValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.unsigned(let lhs), .unsigned(let rhs)): lhs == rhs
    case (.real(let lhs), .real(let rhs)): lhs == rhs
    case (.text(let lhs), .text(let rhs)): lhs.hasSameBytes(as: rhs)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .unsigned(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .text(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }
}

/// The type of a field's values.
public enum QueryValueType: UInt8, Hashable, Sendable {
  /// `Bool`.
  case bool = 1
  /// The sized integers, `Float`, `Double`, and `String`.
  case int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double, string
}
