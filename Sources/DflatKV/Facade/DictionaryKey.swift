import DflatCore

/// The declarations of typed keys. `dictionary[.volume]` finds keys in extensions of this class.
///
///     extension DictionaryKeys {
///       static let volume = DictionaryKey("volume", default: 0.5)
///     }
///     workspace.dictionary[.volume] += 0.1
public class DictionaryKeys: @unchecked Sendable {  // its only subclass is immutable, with Sendable values
  fileprivate init() {}
}

/// A key with the type of its value and a default.
public final class DictionaryKey<Value: Equatable & Sendable>: DictionaryKeys, @unchecked Sendable {  // immutable
  /// The key in the dictionary.
  public let name: String
  /// The value that reads return if none is stored. Fields that a stored value lacks have their values here.
  public let defaultValue: Value
  let coding: any ValueCoding<Value>.Type
  let migrations: [DictionaryMigration<Value>]

  /// Creates a key. Reading the default doesn't store it. ``DictionaryMigration`` describes migrations.
  @_disfavoredOverload
  public convenience init(
    _ name: String, default value: Value, migrating migrations: [DictionaryMigration<Value>] = []
  ) where Value: DictionaryCodable {
    self.init(name, default: value, by: CodableCoding<Value>.self, migrations)
  }

  /// Creates a key of FlatBuffers values. Reading the default doesn't store it. ``DictionaryMigration`` describes
  /// migrations.
  public convenience init(
    _ name: String, default value: Value, migrating migrations: [DictionaryMigration<Value>] = []
  ) where Value: DictionaryFlatBuffersCodable {
    self.init(name, default: value, by: FlatBuffersCoding<Value>.self, migrations)
  }

  private init(
    _ name: String, default value: Value, by coding: any ValueCoding<Value>.Type,
    _ migrations: [DictionaryMigration<Value>]
  ) {
    self.name = name
    self.defaultValue = value
    self.coding = coding
    self.migrations = migrations
    super.init()
  }
}

extension WorkspaceDictionary {
  /// Accesses the value of a typed key, or its default. Setting the nil of an optional type removes the key, which then
  /// reads as its default.
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public subscript<Value>(_ key: DictionaryKey<Value>) -> Value {
    get { get(key.name, by: key.coding, migrating: key.migrations, default: { key.defaultValue }) }
    nonmutating set { set(newValue, forKey: key.name, by: key.coding) }
  }

  /// Removes a typed key, which then reads as its default. Blocks only as a write in a transaction's closure does.
  public func removeValue<Value>(forKey key: DictionaryKey<Value>) { removeValue(forKey: key.name) }

  /// Observes a typed key: delivers its value, or its default if there is none, and blocks the calling thread, as
  /// ``WorkspaceDictionary/subscribe(_:of:changeHandler:)`` does. Fields that a value lacks have their values in the
  /// default.
  public func subscribe<Value>(
    _ key: DictionaryKey<Value>, changeHandler: @escaping @Sendable (Value) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key, by: key.coding, changeHandler: changeHandler)
  }

  private func subscribe<C: ValueCoding>(
    _ key: DictionaryKey<C.Value>, by coding: C.Type, changeHandler: @escaping @Sendable (C.Value) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key.name, by: coding, migrating: key.migrations, completedBy: key.defaultValue) { change in
      switch change {
      case .initial(let value): changeHandler(value ?? key.defaultValue)
      case .updated(let value): changeHandler(value)
      case .deleted: changeHandler(key.defaultValue)
      }
    }
  }
}

/// A property that accesses a typed key of a dictionary.
///
///     struct Settings {
///       @Persisted(.volume, in: workspace.dictionary) var volume
///     }
@propertyWrapper
public struct Persisted<Value: Equatable & Sendable>: Sendable {
  private let key: DictionaryKey<Value>
  private let dictionary: WorkspaceDictionary

  /// Creates a property that reads or writes the key at each access.
  public init(_ key: DictionaryKey<Value>, in dictionary: WorkspaceDictionary) {
    self.key = key
    self.dictionary = dictionary
  }

  /// The value, or the key's default. Getting a value that isn't cached blocks the calling thread until it is loaded.
  public var wrappedValue: Value {
    get { dictionary[key] }
    nonmutating set { dictionary[key] = newValue }
  }
}
