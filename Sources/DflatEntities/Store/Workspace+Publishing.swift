package import DflatCore

// Subscriptions for publishers, with a callback for the end of the subscription.

extension Workspace {
  package func observe<Element: Atom>(
    fetchedResult: FetchedResult<Element>, onEnd: @escaping @Sendable () -> Void,
    changeHandler: @escaping @Sendable (_: FetchedResult<Element>) -> Void
  ) -> WorkspaceSubscription {
    EntityStore.of(core).observers.observe(fetchedResult, onEnd: onEnd, handler: changeHandler)
  }

  package func observe<Element: Atom>(
    object: Element, onEnd: @escaping @Sendable () -> Void,
    changeHandler: @escaping @Sendable (_: SubscribedObject<Element>) -> Void
  ) -> WorkspaceSubscription {
    EntityStore.of(core).observers.observe(object, onEnd: onEnd, handler: changeHandler)
  }
}
