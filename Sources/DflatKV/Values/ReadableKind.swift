import DflatCore

/// The kind of a stored value that is known without decoding its bytes: a type that reads values of one kind normally
/// reads none of another.
enum ReadableKind: Equatable {
  /// All types of numbers: each is read as any other that represents it exactly.
  case bool, number, string, data, propertyList, sealed
  case flatBuffers(schemaVersion: ByteComparedString?)

  /// Nil for an absence.
  init?(_ content: ValueBox.Content) {
    switch content {
    case .expiring(_, let value):
      guard let kind = value.readableKind else { return nil }
      self = kind
    case .string: self = .string
    case .data: self = .data
    case .propertyList: self = .propertyList
    case .sealed: self = .sealed
    case .flatBuffers(_, let version): self = .flatBuffers(schemaVersion: version.map { ByteComparedString($0) })
    }
  }
}

extension CachedValue {
  /// Nil for an absence, and for a deferred value.
  var readableKind: ReadableKind? {
    switch self {
    case .absent, .deferred: nil
    case .bool: .bool
    case .int, .uint, .float, .double: .number
    case .boxed(let box): ReadableKind(box.content)
    }
  }
}
