package import DflatCore

// Subscriptions for publishers and sequences of other modules, which must learn when the workspace closes.

extension WorkspaceDictionary {
  package func observe(
    _ key: String, onEnd: @escaping @Sendable () -> Void, changeHandler: @escaping @Sendable (DictionaryChange) -> Void
  ) -> WorkspaceSubscription {
    store.observe(hashed(key), onEnd: onEnd, handler: openingChanges(for: changeHandler))
  }

  @_disfavoredOverload
  package func observe<Element: DictionaryCodable>(
    _ key: String, of type: Element.Type, onEnd: @escaping @Sendable () -> Void,
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<Element>) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key, by: CodableCoding<Element>.self, onEnd: onEnd, changeHandler: changeHandler)
  }

  package func observe<Element: DictionaryFlatBuffersCodable>(
    _ key: String, of type: Element.Type, onEnd: @escaping @Sendable () -> Void,
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<Element>) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key, by: FlatBuffersCoding<Element>.self, onEnd: onEnd, changeHandler: changeHandler)
  }

  package func observe<Value>(
    _ key: DictionaryKey<Value>, onEnd: @escaping @Sendable () -> Void,
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<Value>) -> Void
  ) -> WorkspaceSubscription {
    scope(of: key).subscribe(
      key.name, by: key.coding, migrating: key.migrations, completedBy: key.defaultValue, onEnd: onEnd,
      changeHandler: changeHandler)
  }
}
