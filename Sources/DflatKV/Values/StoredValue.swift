#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value with its stored type, for tools and for code that doesn't know a key's type.
///
///     if case .int(let count)? = workspace.dictionary["count"] { print(count) }
public enum StoredValue: Hashable, Sendable {
  /// A `Bool`.
  case bool(Bool)
  /// A signed integer of any width.
  case int(Int64)
  /// An unsigned integer of any width.
  case uint(UInt64)
  /// A `Float`.
  case float(Float)
  /// A `Double`.
  case double(Double)
  /// A `String`.
  case string(String)
  /// A `Data`.
  case data(Data)
  /// A `Codable` value as a binary property list. The top object is an array or dictionary, or a single object that has
  /// no native type, such as a date. Versions up to 0.2 stored every single object in an array of one.
  case propertyList(Data)
  /// A FlatBuffer, with the version of its schema if it has one.
  case flatBuffers(Data, schemaVersion: String?)
  /// The envelope of a sealed value, as a dictionary without the key reads it. Of use only as a whole: a copy has to go
  /// to the same key of the same namespace. Dictionaries with the key (product `DflatSealing`) read the value in it.
  case sealed(Data)

  /// The stored types, without values.
  public enum Kind: String, Sendable, CaseIterable {
    /// A natively stored type.
    case bool, int, uint, float, double, string, data
    /// A binary property list.
    case propertyList = "plist"
    /// A FlatBuffer.
    case flatBuffers = "flatbuffers"
    /// The envelope of a sealed value.
    case sealed
  }

  /// The stored type.
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
    case .sealed: .sealed
    }
  }

  /// The size of the value in bytes: its width in memory, or the length of its text or data.
  public var byteCount: Int {
    switch self {
    case .bool: 1
    case .int, .uint, .double: 8
    case .float: 4
    case .string(let text): text.utf8.count
    case .data(let bytes), .propertyList(let bytes), .flatBuffers(let bytes, _), .sealed(let bytes): bytes.count
    }
  }

  /// Returns true for the same type and the same bits; any two NaNs are identical. In contrast, `==` distinguishes
  /// neither zeros of both signs nor the spellings of a text.
  package func isIdentical(to other: StoredValue) -> Bool { CachedValue(self).isIdentical(to: CachedValue(other)) }
}
