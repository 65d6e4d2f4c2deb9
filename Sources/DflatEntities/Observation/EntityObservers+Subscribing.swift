import DflatCore
import DflatSQLite

extension EntityObservers {
  /// Observes a query, starting from one of its results.
  func observe<Element: Atom>(
    _ result: FetchedResult<Element>, onEnd: @escaping @Sendable () -> Void = {},
    handler: @escaping @Sendable (FetchedResult<Element>) -> Void
  ) -> WorkspaceSubscription {
    let callbacks = ObserverCallbacks(in: core, handler: handler, onEnd: onEnd)
    guard let origin = result.origin, origin.workspace == core.number else {
      core.report(
        WorkspaceError(
          .invalidRequest,
          "A result can't be observed unless a query of the workspace on '\(core.path)' returned it; subscribe to a "
            + "fetched one.",
          path: core.path))
      callbacks.end()
      return WorkspaceSubscription {}
    }
    let query = LiveQuery(from: result, origin, callbacks)
    return subscribe(callbacks, to: query, pendingIn: openGroup(of: result.commitNumber)) { _ in query }
  }

  /// Observes one stored object, identified by its row, which has to be in this file. An object that was never stored
  /// is identified by its primary key.
  func observe<Element: Atom>(
    _ object: Element, onEnd: @escaping @Sendable () -> Void = {},
    handler: @escaping @Sendable (SubscribedObject<Element>) -> Void
  ) -> WorkspaceSubscription {
    let callbacks = ObserverCallbacks(in: core, handler: handler, onEnd: onEnd)
    // An object with a row is known without reading the file, which must be the one of this workspace.
    if object._rowid != EntityIdentity.unsaved.rowid {
      guard object._identity.isStored(inFile: FileIdentity.of(core.file.location)) else {
        core.report(
          WorkspaceError(
            .invalidRequest,
            "A \(Element.self) that is not from '\(core.path)' can't be observed there; subscribe to an object that was "
              + "fetched from it.", path: core.path))
        callbacks.end()
        return WorkspaceSubscription {}
      }
      let observer = LiveObject(object, rowid: object._rowid, callbacks)
      return subscribe(callbacks, to: observer, pendingIn: openGroup(of: object._changesTimestamp)) { _ in observer }
    }
    // Find the row of any other object by the primary key.
    return subscribe(callbacks, to: nil, pendingIn: nil) { connection in
      let found = try connection.flatMap { connection in
        try SchemaCatalog.requireCompatibility(of: Element._entity, on: connection)
        return try EntityRows.find(keyOf: object, on: connection)
      }
      // No row has rowid -1, so the only callback will be `.deleted`.
      return LiveObject(object, rowid: found?.rowid ?? -1, callbacks)
    }
  }

  /// Returns the open group of the transaction whose closure this thread runs, if the observed state is the group's
  /// uncommitted one. The observer is then compared with the file when the group has ended. Anywhere else it is
  /// compared at once, because the end of a group would not be noticed.
  private func openGroup(of commitNumber: Int64) -> Group? {
    guard let group = ThreadContext.transaction(of: core)?.currentGroup else { return nil }
    return commitNumber == Int64(bitPattern: group.commitNumber) ? group : nil
  }

  /// Adds an observer and returns its subscription.
  ///
  /// - Parameters:
  ///   - callbacks: The observer's callbacks.
  ///   - known: The result of `make`, if it doesn't depend on the file.
  ///   - group: The open group that has yet to commit the observed state, if any.
  ///   - make: Creates the observer, with a connection at the published commit.
  private func subscribe<Change>(
    _ callbacks: ObserverCallbacks<Change>, to known: LiveObserver?, pendingIn group: Group?,
    _ make: (Connection?) throws -> LiveObserver
  ) -> WorkspaceSubscription {
    guard core.isOpen, !core.isForked else {
      callbacks.end()
      return WorkspaceSubscription {}
    }
    // Add the observer, and compare its object with the file.
    core.openForObserving()
    Failpoint.observerBeforeHolding.reach(in: core)
    var added: LiveObserver?
    do { added = try add(pendingIn: group, make) } catch {
      core.report(.wrapping(error, path: core.path, doing: "Observing"))
      // The observer may still catch up with the next commit.
      if let known, addBehind(known) { added = known }
    }
    guard let added else {
      callbacks.end()
      return WorkspaceSubscription {}
    }
    return WorkspaceSubscription { [core, self] in
      guard !core.isForked, callbacks.cancel() else { return }
      remove(added)
    }
  }
}
