#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A value that takes no list: an object of a property list that is neither an array nor a dictionary, a date, nor an
/// absence.
package enum PropertyListScalar {
  case bool(Bool)
  case integer(Int64)
  /// An integer that its type encoded as an unsigned one.
  case unsigned(UInt64)
  case real(Double)
  case shortReal(Float)
  case string(String)
  case data(Data)

  /// Returns nil for another object, and for a string whose bytes are not valid.
  ///
  /// - Parameter isUnsigned: True if an integer's type is unsigned, which lists don't store.
  init?(_ contents: ObjectReader.Contents, isUnsigned: Bool) {
    switch contents {
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = isUnsigned && value >= 0 ? .unsigned(UInt64(value)) : .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .real(let value): self = .real(value)
    case .shortReal(let value): self = .shortReal(value)
    case .ascii, .utf16, .utf8:
      guard let text = contents.text else { return nil }
      self = .string(text)
    case .data(let bytes): self = .data(Data(bytes))
    case .null, .wideInteger, .date, .uid, .array, .dictionary: return nil
    }
  }

  /// Calls `body` with the object that the value is in a list. It refers to the bytes of a text or data, which are not
  /// copied.
  func withContents<Result>(_ body: (ObjectReader.Contents) throws -> Result) rethrows -> Result {
    switch self {
    case .bool(let value): return try body(.bool(value))
    case .integer(let value): return try body(.integer(value))
    case .unsigned(let value):
      return try body(Int64(exactly: value).map { ObjectReader.Contents.integer($0) } ?? .unsigned(value))
    case .real(let value): return try body(.real(value))
    case .shortReal(let value): return try body(.shortReal(value))
    case .string(var text): return try text.withUTF8 { try body(.utf8(UnsafeRawBufferPointer($0))) }
    case .data(let data): return try data.withUnsafeBytes { try body(.data($0)) }
    }
  }
}
