import DflatSQLite
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
      case .data(let bytes), .propertyList(let bytes), .sealed(let bytes, _):
        try bytes.withUnsafeBytes { try statement.bind(blob: $0, at: 4) }
      case .flatBuffers(let bytes, _): try bytes.withBytes { try statement.bind(blob: $0, at: 4) }
      case .expiring(let expiration, let value):
        guard let stored = value.stored else { preconditionFailure("An absent value can't expire.") }
        try (expiration.stored + TaggedValue.encode(stored)).withUnsafeBytes { try statement.bind(blob: $0, at: 4) }
      }
    case .absent, .deferred: break  // refused above
    }
  }

  /// Binds the parameters 3 and 5: the type and the schema version.
  static func bindKind(of value: CachedValue, to statement: Statement) throws {
    guard let kind = value.kind else { preconditionFailure("An absent value must be removed, not stored.") }
    precondition(!value.isDeferred, "A deferred value must be encoded before it is stored.")
    let tag = value.expiration == nil ? TypeTag(kind) : .expiring
    statement.bind(Int64(tag.rawValue), at: 3)
    if case .boxed(let box) = value, case .flatBuffers(_, let version?) = box.content {
      try statement.bind(version, at: 5)
    } else {
      statement.bindNull(at: 5)
    }
  }

  /// Reads columns 0 to 2 of a row. SQLite stores NaN as NULL, so a NULL of a floating-point type is a NaN.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` if the type is unknown, `.corrupt` if the value
  ///   isn't of its type.
  static func read(_ statement: Statement) throws -> CachedValue {
    guard let tag = UInt8(exactly: statement.int64(at: 0)).flatMap(TypeTag.init) else {
      throw WorkspaceError(
        .undecodable,
        "The stored value is of type number \(statement.int64(at: 0)), which this version of the library doesn't know.")
    }
    let type = statement.type(at: 1)
    guard tag.storage.includes(type) else {
      throw WorkspaceError(.corrupt, "The stored value doesn't match the type in its row; restore a backup.")
    }
    switch tag {
    case .bool: return .bool(statement.int64(at: 1) != 0)
    case .int: return .int(statement.int64(at: 1))
    case .uint: return .uint(UInt64(bitPattern: statement.int64(at: 1)))
    case .float: return .float(type == .null ? .nan : Float(statement.double(at: 1)))
    case .double: return .double(type == .null ? .nan : statement.double(at: 1))
    case .string: return .boxed(ValueBox(.string(statement.string(at: 1))))
    case .data: return .boxed(ValueBox(.data(data(statement))))
    case .propertyList: return .boxed(ValueBox(.propertyList(data(statement))))
    case .sealed: return .boxed(ValueBox(.sealed(data(statement), by: nil)))
    case .expiring:
      guard let value = expiring(statement.withBytes(at: 1) { Array($0) }) else {
        throw WorkspaceError(.corrupt, "The stored value, which expires, is damaged; restore a backup.")
      }
      return value
    case .flatBuffers:
      let version = statement.type(at: 2) == .text ? statement.string(at: 2) : nil
      return .boxed(
        ValueBox(.flatBuffers(statement.withBytes(at: 1) { ByteBuffer(copying: $0) }, schemaVersion: version)))
    }
  }

  /// Decodes a value that expires.
  fileprivate static func expiring(_ bytes: [UInt8]) -> CachedValue? {
    guard let expiration = Expiration(stored: bytes.prefix(Expiration.byteCount)) else { return nil }
    return TaggedValue.decode(Array(bytes.dropFirst(Expiration.byteCount)))?.expiring(at: expiration)
  }

  private static func data(_ statement: Statement) -> Data { statement.withBytes(at: 1) { Data($0) } }
}

extension StoredValue {
  /// Returns true if bytes can be those of a value of a type, which an integrity check then accepts.
  package static func isSound(_ bytes: [UInt8], ofType type: Int64) -> Bool {
    switch UInt8(exactly: type).flatMap(TypeTag.init) {
    case .data, .propertyList, .flatBuffers: true
    case .sealed: SealEnvelope.isWellFormed(Data(bytes))
    case .expiring: ValueColumns.expiring(bytes) != nil
    case .bool, .int, .uint, .float, .double, .string, nil: false
    }
  }
}
