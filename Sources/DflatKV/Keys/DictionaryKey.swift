import DflatCore

/// Where typed keys are declared, so that `dictionary[.volume]` finds them.
///
///     extension DictionaryKeys {
///       static let volume = DictionaryKey("volume", default: 0.5)
///     }
///     workspace.dictionary[.volume] += 0.1
public class DictionaryKeys: @unchecked Sendable {  // its one subclass is immutable and made of Sendable values
  fileprivate init() {}
}

/// A key with the type of its value, and the value that stands in for none.
public final class DictionaryKey<Value: Equatable & Sendable>: DictionaryKeys, @unchecked Sendable {  // immutable
  /// The key.
  public let name: String
  /// What is read while nothing is stored.
  public let defaultValue: Value
  let coding: any ValueCoding<Value>.Type

  /// A key; the default is never stored.
  @_disfavoredOverload
  public convenience init(_ name: String, default value: Value) where Value: DictionaryCodable {
    self.init(name, default: value, by: CodableCoding<Value>.self)
  }

  /// A key of FlatBuffers values; the default is never stored.
  public convenience init(_ name: String, default value: Value) where Value: DictionaryFlatBuffersCodable {
    self.init(name, default: value, by: FlatBuffersCoding<Value>.self)
  }

  private init(_ name: String, default value: Value, by coding: any ValueCoding<Value>.Type) {
    self.name = name
    self.defaultValue = value
    self.coding = coding
    super.init()
  }
}

extension WorkspaceDictionary {
  /// The value of a typed key, or its default.
  public subscript<Value>(_ key: DictionaryKey<Value>) -> Value {
    get { get(key.name, by: key.coding) ?? key.defaultValue }
    nonmutating set { set(newValue, forKey: key.name, by: key.coding) }
  }

  /// Removes a typed key; it reads as its default again.
  public func removeValue<Value>(forKey key: DictionaryKey<Value>) { removeValue(forKey: key.name) }

  /// Observes a typed key: its value, or its default while there is none.
  public func subscribe<Value>(
    _ key: DictionaryKey<Value>, changeHandler: @escaping @Sendable (Value) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key, by: key.coding, changeHandler: changeHandler)
  }

  private func subscribe<C: ValueCoding>(
    _ key: DictionaryKey<C.Value>, by coding: C.Type, changeHandler: @escaping @Sendable (C.Value) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key.name, by: coding) { change in
      switch change {
      case .initial(let value): changeHandler(value ?? key.defaultValue)
      case .updated(let value): changeHandler(value)
      case .deleted: changeHandler(key.defaultValue)
      }
    }
  }
}

/// A property that is a typed key of a dictionary.
///
///     struct Settings {
///       @Persisted(.volume, in: workspace.dictionary) var volume
///     }
@propertyWrapper
public struct Persisted<Value: Equatable & Sendable>: Sendable {
  private let key: DictionaryKey<Value>
  private let dictionary: WorkspaceDictionary

  /// A property for a key of a dictionary, which is read and written at each access.
  public init(_ key: DictionaryKey<Value>, in dictionary: WorkspaceDictionary) {
    self.key = key
    self.dictionary = dictionary
  }

  /// The value, or the key's default.
  public var wrappedValue: Value {
    get { dictionary[key] }
    nonmutating set { dictionary[key] = newValue }
  }
}
