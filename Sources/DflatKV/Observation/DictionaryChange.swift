import DflatCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A committed change of one key, for observers that don't know its type.
///
///     let subscription = dictionary.subscribe(withPrefix: "window.") { change in
///       print(change.commitNumber, change.key, change.value as Any)
///     }
///
/// A change that outlives its workspace keeps what that has in memory, because it is decoded on demand; the file is
/// closed all the same. Keep `value` instead.
public struct DictionaryChange: Sendable {
  /// The kind of a change.
  public enum Event: String, Sendable {
    /// The key's value when the subscription began.
    case initial
    /// The key has a new value.
    case updated
    /// The key was removed.
    case deleted
    /// The key's value had expired, and was removed from the file. Readers have not seen it since it expired. Whatever
    /// removes it after that instant is reported so.
    case expired
  }

  /// The kind of this change.
  public let event: Event
  /// The key's namespace; "" is the root.
  public let namespace: String
  /// The key.
  public let key: String
  /// The number of the commit. All changes of one transaction share it. For `initial`, it is the newest commit at that
  /// time.
  public let commitNumber: UInt64
  /// The instant at which the new value expires, if it does. A change that is delivered later has the value all the same.
  public let expirationDate: Date?
  /// The new value, without its expiration.
  let cached: CachedValue
  let context: DecodingContext

  init(
    event: Event, namespace: String, key: String, commitNumber: UInt64, value: CachedValue, context: DecodingContext
  ) {
    self.event = event
    self.namespace = namespace
    self.key = key
    self.commitNumber = commitNumber
    expirationDate = value.expiration?.date
    cached = value.lasting
    self.context = context
  }

  /// Creates a change with another value.
  init(_ change: DictionaryChange, event: Event, value: CachedValue) {
    self.event = event
    namespace = change.namespace
    key = change.key
    commitNumber = change.commitNumber
    expirationDate = value.isAbsent ? nil : change.expirationDate
    cached = value
    context = change.context
  }

  /// The new value; nil if there is none.
  public var value: StoredValue? { cached.stored }

  /// Returns the new value as a type; nil if there is none. If `T` is also a FlatBuffers type, the call may read the
  /// file, as the overload for FlatBuffers types does.
  ///
  /// An error doesn't mark the key's value as unreadable, so a later write of its kind doesn't keep it
  /// (``ReplacedValue``): reads of the dictionary, and subscriptions to a key and a type, do.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.typeMismatch` if the value is of another type, `.undecodable`
  ///   if its bytes can't be decoded; where `T` is also a FlatBuffers type, the errors of the overload for these types.
  @_disfavoredOverload
  public func value<T: DictionaryCodable>(as type: T.Type) throws -> T? { try value(by: CodableCoding<T>.self) }

  /// Returns the new value as a FlatBuffers type; nil if there is none. An error doesn't mark the value as unreadable,
  /// as for the overload for other types.
  ///
  /// If the file's list of schemas may have changed since it was last compared with `T`'s schema, the call blocks the
  /// calling thread until the list is read. It may wait for a commit that is being written.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.typeMismatch` if the value is of another type,
  ///   `.schemaVersionMismatch` if its schema has another version than `T`'s or contradicts it, `.newerFormat` if only
  ///   a newer program can read the schema, `.corrupt` if the file's schema is damaged, `.undecodable` if the value's
  ///   bytes are; while the workspace is open, also the errors of reading the file, such as `.busy`.
  public func value<T: DictionaryFlatBuffersCodable>(as type: T.Type) throws -> T? {
    try value(by: FlatBuffersCoding<T>.self)
  }

  func value<C: ValueCoding>(
    by coding: C.Type, migrating migrations: [DictionaryMigration<C.Value>] = [],
    completedBy defaultValue: C.Value? = nil
  ) throws -> C.Value? {
    do {
      return try C.decode(cached, migrating: migrations, completedBy: defaultValue, in: context)
    } catch let error as WorkspaceError {
      throw error.about(key: key, namespace: namespace, path: error.path ?? "")
    }
  }
}

/// A change that an observer of one key receives.
public enum SubscribedDictionaryValue<Element: Equatable>: Equatable {
  /// The value when the subscription began; nil if there was none.
  case initial(_: Element?)
  /// The newly committed value.
  case updated(_: Element)
  /// The key was removed.
  case deleted
  /// The key's value had expired, and was removed from the file. Readers have not seen it since it expired.
  case expired
}

extension SubscribedDictionaryValue: Sendable where Element: Sendable {}
