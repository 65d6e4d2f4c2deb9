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
public final class DictionaryKey<Value: DictionaryCodable>: DictionaryKeys, @unchecked Sendable {  // immutable
  /// The key.
  public let name: String
  /// What is read while nothing is stored.
  public let defaultValue: Value

  /// A key; the default is never stored.
  public init(_ name: String, default value: Value) {
    self.name = name
    self.defaultValue = value
    super.init()
  }
}

extension WorkspaceDictionary {
  /// The value of a typed key, or its default.
  public subscript<Value: DictionaryCodable>(_ key: DictionaryKey<Value>) -> Value {
    get { self[key.name, default: key.defaultValue] }
    nonmutating set { self[key.name] = newValue }
  }

  /// Removes a typed key; it reads as its default again.
  public func removeValue<Value: DictionaryCodable>(forKey key: DictionaryKey<Value>) { removeValue(forKey: key.name) }

  /// Observes a typed key: its value, or its default while there is none.
  public func subscribe<Value: DictionaryCodable>(
    _ key: DictionaryKey<Value>, changeHandler: @escaping @Sendable (Value) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key.name, of: Value.self) { change in
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
public struct Persisted<Value: DictionaryCodable>: Sendable {
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
