/// A class that has the dictionary of its ``Persisted`` properties.
///
///     final class Player: DictionaryOwner {
///       let dictionary: WorkspaceDictionary
///       @Persisted(.volume) var volume
///
///       init(_ workspace: SQLiteWorkspace) { dictionary = workspace.dictionary }
///     }
public protocol DictionaryOwner: AnyObject {
  /// The dictionary of the properties that have none of their own. Each access of such a property gets it.
  var dictionary: WorkspaceDictionary { get }
}

/// A property that accesses a typed key of a dictionary.
///
///     struct Settings {
///       @Persisted(.volume, in: workspace.dictionary) var volume
///     }
///     settings.volume = 0.8
///     settings.$volume.reset()
///     for await volume in settings.$volume.stream { … }
///
/// The dictionary is that of the wrapper (`in:`), or, in a class that conforms to ``DictionaryOwner``, that of the
/// instance. Only `@Persisted` finds the instance: a constant `let volume = Persisted(.volume)` needs its own
/// dictionary, in such a class, too. A property with neither traps when it is accessed. With the module DflatCombine,
/// `settings.$volume.publisher` publishes the values.
///
/// Each access reads or writes the key, so the property can be used on any thread, and in a transaction's closure it is
/// part of the transaction. `settings.volume += 0.1` reads and writes in two steps; `WorkspaceDictionary.update` is
/// atomic.
///
/// **Sendable types.** `Persisted` is `Sendable`, and so is a struct of such properties. The properties of a constant
/// of this struct can be set. A class that is isolated to a global actor, such as the model of a view, is `Sendable` by
/// itself:
///
///     @MainActor final class Player: DictionaryOwner {
///       nonisolated let dictionary: WorkspaceDictionary
///       @Persisted(.volume) var volume
///       …
///     }
///
/// In any other class, the compiler treats each wrapped property as a mutable variable, and doesn't accept it if the
/// class is `Sendable`. Such a class can have a constant of a struct; a constant
/// `let volume = Persisted(.volume, in: dictionary)`, whose ``wrappedValue`` is the value; or be `@unchecked Sendable`,
/// which is safe for these properties if nothing assigns `_volume` after initialization.
@propertyWrapper
public struct Persisted<Value: Equatable & Sendable>: Sendable {
  package let key: DictionaryKey<Value>
  /// Nil if the enclosing instance has the dictionary.
  private let dictionary: WorkspaceDictionary?

  /// Creates a property that reads or writes the key at each access.
  public init(_ key: DictionaryKey<Value>, in dictionary: WorkspaceDictionary) {
    self.key = key
    self.dictionary = dictionary
  }

  /// Creates a property of a class that conforms to ``DictionaryOwner``, which reads or writes the key in the
  /// instance's dictionary at each access.
  public init(_ key: DictionaryKey<Value>) {
    self.key = key
    self.dictionary = nil
  }

  /// The value, or the key's default. Getting a value that isn't cached blocks the calling thread until it is loaded.
  public var wrappedValue: Value {
    get { knownDictionary[key] }
    nonmutating set { knownDictionary[key] = newValue }
  }

  /// The property itself, as `$volume`: its ``stream``, its ``reset()`` and, with the module DflatCombine, its
  /// publisher.
  public var projectedValue: Persisted<Value> { self }

  /// The committed value now, then each committed change, by any process; the key's default if there is no value.
  ///
  /// Each use is a subscription of its own, which keeps all values until they are consumed, and ends with the workspace
  /// or the iteration. Getting it blocks the calling thread as ``WorkspaceDictionary/subscribe(_:of:changeHandler:)``
  /// does.
  public var stream: AsyncStream<Value> { knownDictionary.subscribe(key) }

  /// Removes the stored value, so that the property has its default. Blocks only as a write in a transaction's closure
  /// does.
  public func reset() { knownDictionary.reset(key) }

  // MARK: Dictionaries

  package var knownDictionary: WorkspaceDictionary {
    guard let dictionary else {
      preconditionFailure(
        "A Persisted property has no dictionary for the key '\(key.name)': pass it (`in:`), or declare the property with "
          + "@Persisted in a class that conforms to DictionaryOwner.")
    }
    return dictionary
  }

  /// Returns this property with the dictionary of its owner, unless it has its own.
  private func belonging(to owner: some AnyObject) -> Persisted<Value> {
    guard dictionary == nil, let owner = owner as? any DictionaryOwner else { return self }
    return Persisted(key, in: owner.dictionary)
  }

  /// The compiler accesses properties of classes by this subscript.
  public static subscript<Owner: AnyObject>(
    _enclosingInstance owner: Owner, wrapped property: KeyPath<Owner, Value>,
    storage path: KeyPath<Owner, Persisted<Value>>
  ) -> Value {
    get { owner[keyPath: path].belonging(to: owner).wrappedValue }
    set { owner[keyPath: path].belonging(to: owner).wrappedValue = newValue }
  }

  /// The compiler accesses the `$` properties of classes by this subscript.
  public static subscript<Owner: AnyObject>(
    _enclosingInstance owner: Owner, projected property: KeyPath<Owner, Persisted<Value>>,
    storage path: KeyPath<Owner, Persisted<Value>>
  ) -> Persisted<Value> {
    owner[keyPath: path].belonging(to: owner)
  }
}
