#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value with its stored type, for tools and for code that does not know the type of a key.
///
///     if case .int(let count)? = workspace.dictionary["count"] { print(count) }
public enum StoredValue: Hashable, Sendable {
  /// `Bool`.
  case bool(Bool)
  /// A signed integer of any width.
  case int(Int64)
  /// An unsigned integer of any width.
  case uint(UInt64)
  /// `Float`.
  case float(Float)
  /// `Double`.
  case double(Double)
  /// `String`.
  case string(String)
  /// `Data`.
  case data(Data)
  /// A `Codable` value as a binary property list. A value that is no array or dictionary at its top, which property lists
  /// don't allow, stands in an array of one.
  case propertyList(Data)
  /// A FlatBuffer, with the version of its schema.
  case flatBuffers(Data, schemaVersion: String?)

  /// The stored types.
  public enum Kind: String, Sendable, CaseIterable {
    case bool, int, uint, float, double, string, data
    case propertyList = "plist"
    case flatBuffers = "flatbuffers"
  }

  /// The type alone.
  public var kind: Kind {
    switch self {
    case .bool: .bool
    case .int: .int
    case .uint: .uint
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .propertyList: .propertyList
    case .flatBuffers: .flatBuffers
    }
  }

  /// Bytes of the value itself: its width in memory, or the length of its text or data.
  public var byteCount: Int {
    switch self {
    case .bool: 1
    case .int, .uint, .double: 8
    case .float: 4
    case .string(let text): text.utf8.count
    case .data(let bytes), .propertyList(let bytes), .flatBuffers(let bytes, _): bytes.count
    }
  }
}
