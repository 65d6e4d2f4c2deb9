/// A field's value, whatever its type, as queries and index tables hold it.
///
/// Text is compared by its UTF-8 bytes, everywhere: two spellings of one character that Unicode calls equivalent differ.
/// `null` is what a field has that isn't there: an optional one without a value, or one of a struct, a table or a union's
/// member that is absent.
public enum QueryValue: Sendable {
  /// No value.
  case null
  /// `Bool` (0 or 1) and every integer but `UInt64`.
  case integer(Int64)
  /// `UInt64`.
  case unsigned(UInt64)
  /// `Float`, exactly, and `Double`.
  case real(Double)
  /// `String`.
  case text(String)
}

extension QueryValue: Hashable {
  public static func == (lhs: QueryValue, rhs: QueryValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.unsigned(let lhs), .unsigned(let rhs)): lhs == rhs
    case (.real(let lhs), .real(let rhs)): lhs == rhs
    case (.text(let lhs), .text(let rhs)): lhs.hasBytes(of: rhs)
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
  case bool = 1
  case int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double, string
}

extension String {
  fileprivate func hasBytes(of other: String) -> Bool {
    // A tenth of the time of comparing them one by one; other strings than native ones have no storage to compare.
    let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable {
        UnsafeRawBufferPointer(bytes).isEqual(to: UnsafeRawBufferPointer($0))
      }
    }
    return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
