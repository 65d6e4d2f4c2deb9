public import DflatCore

// Overloads that the compiler chooses only where no other fits, for the sentence in their attribute: without them, it
// often reports an ambiguity, or a protocol that programs don't know.
//
// An unavailable declaration is not considered as long as another one fits, so these make no correct program ambiguous,
// and cost its compilation nothing. Among themselves they need an order, for where several fit. The compiler prefers,
// in this order: no correction of the source; an available declaration; one without `@_disfavoredOverload`; no wrapping
// of a value in an optional. It ignores constraints of a type that no parameter has, such as that of `dictionary["k"]`,
// hence:
//
// - Types that are Codable but not Equatable have overloads without the attribute, all others overloads with it.
// - Of the overloads that take typed keys, the one for optional keys has no attribute: the one for any type fits, too.
// - The overload for reading a key as if it couldn't be absent has the attribute, and only takes types that can be
//   stored: for others it would be as good as the one that returns an optional.
//
// The messages are literals of one line, as the compiler demands. The bodies are never called.

// MARK: Types that can't be stored

extension WorkspaceDictionary {
  /// Unavailable: the type is not `Equatable`.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare this one as Equatable, too."
  )
  public subscript<T: Codable>(_ key: String) -> T? {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: the type can't be stored.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare it so; instead of Any, use an enum."
  )
  @_disfavoredOverload
  public subscript<T>(_ key: String) -> T? {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: the type is not `Equatable`.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare this one as Equatable, too."
  )
  public subscript<T: Codable>(_ key: String, _ type: T.Type) -> T? {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: the type can't be stored.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare it so; instead of Any, use an enum."
  )
  @_disfavoredOverload
  public subscript<T>(_ key: String, _ type: T.Type) -> T? {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: the type is not `Equatable`.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare this one as Equatable, too."
  )
  public subscript<T: Codable>(_ key: String, default value: @autoclosure () -> T) -> T {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: the type can't be stored.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare it so; instead of Any, use an enum."
  )
  @_disfavoredOverload
  public subscript<T>(_ key: String, default value: @autoclosure () -> T) -> T {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: the type can't be stored.
  ///
  /// - Throws: Nothing.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare it so; instead of Any, use an enum."
  )
  @_disfavoredOverload
  public func value<T>(forKey key: String, as type: T.Type) throws -> T? { fatalError("Unavailable.") }

  /// Unavailable: the type can't be stored.
  ///
  /// - Throws: Nothing.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare it so; instead of Any, use an enum."
  )
  @_disfavoredOverload
  @discardableResult
  public func update<T>(_ key: String, default value: T, _ body: (inout T) throws -> Void) throws -> T {
    fatalError("Unavailable.")
  }

  /// Unavailable: the type can't be stored.
  ///
  /// - Throws: Nothing.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare it so; instead of Any, use an enum."
  )
  @_disfavoredOverload
  public func compareAndSet<T>(_ key: String, expected: T?, new: T?) throws -> Bool { fatalError("Unavailable.") }

  /// Unavailable: the type can't be stored.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare it so; instead of Any, use an enum."
  )
  @_disfavoredOverload
  public func subscribe<Element: Equatable>(
    _ key: String, of type: Element.Type,
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<Element>) -> Void
  ) -> WorkspaceSubscription { fatalError("Unavailable.") }

  /// Unavailable: the type can't be stored.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare it so; instead of Any, use an enum."
  )
  @_disfavoredOverload
  public func subscribe<Element>(
    _ key: String, of type: Element.Type,
    bufferingPolicy: AsyncStream<Element?>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Element?> { fatalError("Unavailable.") }
}

extension DictionaryKey {
  /// Unavailable: the type is not `Codable`.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare this one as Codable, too."
  )
  @_disfavoredOverload
  public convenience init(_ name: String, namespace: String? = nil, default value: Value) { fatalError("Unavailable.") }

  /// Unavailable: the type is not `Codable`.
  @available(
    *, unavailable,
    message:
      "A stored type is Equatable, Sendable, and Codable or a FlatBuffers type. Declare this one as Codable, too."
  )
  @_disfavoredOverload
  public convenience init<Wrapped: Equatable & Sendable>(
    _ name: String, of type: Wrapped.Type, namespace: String? = nil
  ) where Value == Wrapped? { fatalError("Unavailable.") }

  /// Unavailable: a key of optional FlatBuffers values has no default.
  @available(
    *, unavailable,
    message: "The key of a FlatBuffers value that may be nil has no default: DictionaryKey(name, of: Type.self)."
  )
  public convenience init<Wrapped: DictionaryFlatBuffersCodable>(
    _ name: String, namespace: String? = nil, default value: Wrapped?
  ) where Value == Wrapped? { fatalError("Unavailable.") }
}

// MARK: Keys

extension WorkspaceDictionary {
  /// Unavailable: a key may be absent.
  @available(
    *, unavailable,
    message: "A key may have no value. Read it as an optional, or give a default: dictionary[key, default: value]."
  )
  @_disfavoredOverload
  public subscript<T: DictionaryCodable>(_ key: String) -> T {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: keys are strings.
  @available(
    *, unavailable, message: "A key is a string. Use the rawValue of this one, or declare a DictionaryKey."
  )
  @_disfavoredOverload
  public subscript<Name: RawRepresentable, T>(_ key: Name) -> T where Name.RawValue == String {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: the key's value may be nil.
  @available(
    *, unavailable, message: "The value of this key may be nil. Give one for that case: dictionary[key] ?? value."
  )
  public subscript<Value: Equatable & Sendable>(_ key: DictionaryKey<Value?>) -> Value {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: the key's values are of another type.
  @available(
    *, unavailable, message: "The values of this key are of another type: that in its declaration as a DictionaryKey."
  )
  @_disfavoredOverload
  public subscript<Value, Other>(_ key: DictionaryKey<Value>) -> Other {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }

  /// Unavailable: a typed key has its default.
  @available(
    *, unavailable,
    message: "A typed key declares its default: write dictionary[key], or dictionary[key] ?? value if it has none."
  )
  @_disfavoredOverload
  public subscript<Value, Other>(_ key: DictionaryKey<Value>, default value: @autoclosure () -> Other) -> Other {
    get { fatalError("Unavailable.") }
    nonmutating set { fatalError("Unavailable.") }
  }
}
