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

/// A key with the type of its value and a default. The values of a key without a default are optional.
///
///     extension DictionaryKeys {
///       static let volume = DictionaryKey("volume", namespace: "audio", default: 0.5)
///       static let nickname = DictionaryKey("nickname", of: String.self)  // a DictionaryKey<String?>
///     }
///
/// A key without a namespace belongs to the dictionary that it is used with. A key with a namespace belongs to that
/// namespace, whichever dictionary of the workspace or transaction it is used with. Names and namespaces are compared
/// by their UTF-8 bytes.
///
/// Declare keys as constants. A key remembers where its namespace is in the workspace that it was used with last, and a
/// workspace keeps up to 1,024 names of such namespaces. Without that, each access looks up the namespace, as
/// ``WorkspaceDictionary/namespace(_:)`` does.
public final class DictionaryKey<Value: Equatable & Sendable>: DictionaryKeys, @unchecked Sendable {  // immutable
  /// The key in the dictionary.
  public let name: String
  /// The namespace of the key; "" is the root. Nil means the namespace of the dictionary that it is used with.
  public let namespace: String?
  /// The value that reads return if none is stored; nil if the key has no default. Fields that a stored value lacks
  /// have their values here.
  public let defaultValue: Value
  let coding: any ValueCoding<Value>.Type
  let migrations: [DictionaryMigration<Value>]
  /// An atomic.
  let rememberedNamespace = RememberedNamespace()

  /// Creates a key. Reading the default doesn't store it. ``DictionaryMigration`` describes migrations.
  @_disfavoredOverload
  public convenience init(
    _ name: String, namespace: String? = nil, default value: Value,
    migrating migrations: [DictionaryMigration<Value>] = []
  ) where Value: DictionaryCodable {
    self.init(name, namespace: namespace, default: value, by: CodableCoding<Value>.self, migrations)
  }

  /// Creates a key of FlatBuffers values. Reading the default doesn't store it. ``DictionaryMigration`` describes
  /// migrations.
  public convenience init(
    _ name: String, namespace: String? = nil, default value: Value,
    migrating migrations: [DictionaryMigration<Value>] = []
  ) where Value: DictionaryFlatBuffersCodable {
    self.init(name, namespace: namespace, default: value, by: FlatBuffersCoding<Value>.self, migrations)
  }

  /// Creates a key without a default: reads return nil if no value is stored, and setting nil removes the key.
  @_disfavoredOverload
  public convenience init<Wrapped: DictionaryCodable>(
    _ name: String, of type: Wrapped.Type, namespace: String? = nil,
    migrating migrations: [DictionaryMigration<Wrapped>] = []
  ) where Value == Wrapped? {
    self.init(
      name, namespace: namespace, default: nil, by: OptionalCoding<CodableCoding<Wrapped>>.self,
      migrations.map(\.toOptional))
  }

  /// Creates a key of FlatBuffers values without a default: reads return nil if no value is stored, and setting nil
  /// removes the key.
  public convenience init<Wrapped: DictionaryFlatBuffersCodable>(
    _ name: String, of type: Wrapped.Type, namespace: String? = nil,
    migrating migrations: [DictionaryMigration<Wrapped>] = []
  ) where Value == Wrapped? {
    self.init(
      name, namespace: namespace, default: nil, by: OptionalCoding<FlatBuffersCoding<Wrapped>>.self,
      migrations.map(\.toOptional))
  }

  private init(
    _ name: String, namespace: String?, default value: Value, by coding: any ValueCoding<Value>.Type,
    _ migrations: [DictionaryMigration<Value>]
  ) {
    self.name = name
    self.namespace = namespace
    self.defaultValue = value
    self.coding = coding
    self.migrations = migrations
    super.init()
  }
}
