import DflatBuffers
import DflatCore

/// One committed change of a key, for observers that don't know its type.
///
///     let subscription = dictionary.subscribe(withPrefix: "window.") { change in
///       print(change.commitNumber, change.key, change.value as Any)
///     }
public struct DictionaryChange: Sendable {
  /// What happened.
  public enum Event: String, Sendable {
    /// The value when the subscription began.
    case initial
    /// The key has a new value.
    case updated
    /// The key was removed.
    case deleted
  }

  /// What happened.
  public let event: Event
  /// The namespace of the key; "" is the root.
  public let namespace: String
  /// The key.
  public let key: String
  /// The commit that did it. Changes of one transaction carry the same number; for `initial` it is the newest commit then.
  public let commitNumber: UInt64
  let cached: CachedValue
  let limits: FlatBufferLimits

  /// The new value; nil when there is none.
  public var value: StoredValue? { cached.stored }

  /// The new value as a type; nil when there is none.
  ///
  /// - Throws: ``WorkspaceError`` `.typeMismatch` or `.undecodable`.
  @_disfavoredOverload
  public func value<T: DictionaryCodable>(as type: T.Type) throws -> T? { try value(by: CodableCoding<T>.self) }

  /// The new value as a FlatBuffers type; nil when there is none.
  ///
  /// - Throws: ``WorkspaceError`` `.typeMismatch`, `.schemaVersionMismatch` or `.undecodable`.
  public func value<T: DictionaryFlatBuffersCodable>(as type: T.Type) throws -> T? {
    try value(by: FlatBuffersCoding<T>.self)
  }

  func value<C: ValueCoding>(by coding: C.Type) throws -> C.Value? {
    do { return try C.decode(cached, limits: limits) } catch let error as WorkspaceError {
      throw error.about(key: key, namespace: namespace, path: error.path ?? "")
    }
  }
}

/// What an observer of one key is told.
public enum SubscribedDictionaryValue<Element: Equatable>: Equatable {
  /// The value when the subscription began; nil when there was none.
  case initial(_: Element?)
  /// A committed value.
  case updated(_: Element)
  /// The key was removed.
  case deleted
}

extension SubscribedDictionaryValue: Sendable where Element: Sendable {}
