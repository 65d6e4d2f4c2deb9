import DflatSQLite
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The numbers of the stored types; part of the file format.
enum TypeTag: UInt8 {
  case bool = 1
  case int, uint, float, double, string, data, propertyList, flatBuffers
}

/// Reads and writes a value in the columns `type`, `value` and `version` (docs/storage-format.md).
enum ValueColumns {
  /// Binds the parameters 3 to 5.
  static func bind(_ value: CachedValue, to statement: Statement) throws {
    try bindKind(of: value, to: statement)
    switch value {
    case .bool(let value): statement.bind(Int64(value ? 1 : 0), at: 4)
    case .int(let value): statement.bind(value, at: 4)
    case .uint(let value): statement.bind(Int64(bitPattern: value), at: 4)
    case .float(let value): statement.bind(Double(value), at: 4)
    case .double(let value): statement.bind(value, at: 4)
    case .boxed(let box):
      switch box.content {
      case .string(let text): try statement.bind(text, at: 4)
      case .data(let bytes), .propertyList(let bytes):
        try bytes.withUnsafeBytes { try statement.bind(blob: $0, at: 4) }
      case .flatBuffers(let bytes, _): try bytes.withBytes { try statement.bind(blob: $0, at: 4) }
      }
    case .absent, .deferred: break  // refused above
    }
  }

  /// Binds the parameters 3 and 5: the type and the schema version.
  static func bindKind(of value: CachedValue, to statement: Statement) throws {
    statement.bind(Int64(tag(of: value).rawValue), at: 3)
    if case .boxed(let box) = value, case .flatBuffers(_, let version?) = box.content {
      try statement.bind(version, at: 5)
    } else {
      statement.bindNull(at: 5)
    }
  }

  private static func tag(of value: CachedValue) -> TypeTag {
    switch value {
    case .absent: preconditionFailure("An absent value must be removed, not stored.")
    case .bool: return .bool
    case .int: return .int
    case .uint: return .uint
    case .float: return .float
    case .double: return .double
    case .boxed(let box):
      switch box.content {
      case .string: return .string
      case .data: return .data
      case .propertyList: return .propertyList
      case .flatBuffers: return .flatBuffers
      }
    case .deferred: preconditionFailure("A deferred value must be encoded before it is stored.")
    }
  }

  /// Reads columns 0 to 2 of a row. SQLite stores NaN as NULL, so a NULL of a floating-point type is a NaN.
  ///
  /// - Throws: ``WorkspaceError`` with code `.undecodable` if the type is unknown, `.corrupt` if the value isn't of its
  ///   type.
  static func read(_ statement: Statement) throws -> CachedValue {
    guard let tag = UInt8(exactly: statement.int64(at: 0)).flatMap(TypeTag.init) else {
      throw WorkspaceError(
        .undecodable,
        "The stored value is of type number \(statement.int64(at: 0)), which this version of the library doesn't know.")
    }
    switch (tag, statement.type(at: 1)) {
    case (.bool, .integer): return .bool(statement.int64(at: 1) != 0)
    case (.int, .integer): return .int(statement.int64(at: 1))
    case (.uint, .integer): return .uint(UInt64(bitPattern: statement.int64(at: 1)))
    case (.float, .null): return .float(.nan)
    case (.double, .null): return .double(.nan)
    case (.float, .real), (.float, .integer): return .float(Float(statement.double(at: 1)))
    case (.double, .real), (.double, .integer): return .double(statement.double(at: 1))
    case (.string, .text): return .boxed(ValueBox(.string(statement.string(at: 1))))
    case (.data, .blob): return .boxed(ValueBox(.data(data(statement))))
    case (.propertyList, .blob): return .boxed(ValueBox(.propertyList(data(statement))))
    case (.flatBuffers, .blob):
      let version = statement.type(at: 2) == .text ? statement.string(at: 2) : nil
      return .boxed(
        ValueBox(.flatBuffers(statement.withBytes(at: 1) { ByteBuffer(copying: $0) }, schemaVersion: version)))
    default:
      throw WorkspaceError(.corrupt, "The stored value doesn't match the type in its row; restore a backup.")
    }
  }

  private static func data(_ statement: Statement) -> Data { statement.withBytes(at: 1) { Data($0) } }
}
