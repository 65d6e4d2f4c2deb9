public import DflatCore

extension Workspace {
  /// Observes a query: the handler gets whole new results, each as of one commit.
  ///
  ///     let urgent = workspace.fetch(for: Post.self).where(Post.priority > 100, limit: .limit(10))
  ///     let subscription = workspace.subscribe(fetchedResult: urgent) { posts in
  ///       print(posts.map(\.title), posts.changes as Any)
  ///     }
  ///
  /// After every commit, of any process, that changes the result, the handler gets the result that a fetch would
  /// return, with its differences from the previous one. If the given result is outdated, the handler first gets the
  /// newest one. Objects that a commit didn't change are the same (`===`) from result to result.
  ///
  /// The handler runs on the workspace's delivery queue, in commit order, together with the callbacks for the
  /// dictionary's keys of the same transaction, and before its completion handler. Keep it short: callbacks run one at
  /// a time. Keep the subscription: releasing it cancels.
  ///
  /// The call blocks the calling thread until it has compared the result with the file; commits of this workspace wait
  /// meanwhile. If the workspace hasn't opened its file yet, it first waits until running transactions are done and the
  /// file is open, unless a transaction's closure calls it.
  ///
  /// A result that was created by hand, or fetched from another workspace, can't be observed: the workspace's error
  /// handler gets `.invalidRequest`, and the handler is never called. If rows can't be read, the error handler gets the
  /// error, and the next commit of entities tries again.
  public func subscribe<Element: Atom>(
    fetchedResult: FetchedResult<Element>, changeHandler: @escaping @Sendable (_: FetchedResult<Element>) -> Void
  ) -> Subscription {
    EntityStore.of(core).observers.observe(fetchedResult, handler: changeHandler)
  }

  /// Observes one stored object.
  ///
  ///     let subscription = workspace.subscribe(object: post) { change in
  ///       switch change {
  ///       case .updated(let post): print(post.title)
  ///       case .deleted: print("is gone")
  ///       }
  ///     }
  ///
  /// The handler gets each new version, and finally `.deleted` once. An object that is inserted again under the same
  /// primary key is another object. If the given object is outdated, the handler first gets the newest version. An
  /// object that was never stored is found by its primary key; if there is none, the handler gets `.deleted`. An object
  /// from another file can't be observed: the workspace's error handler gets `.invalidRequest`, and the handler is
  /// never called.
  ///
  /// Threads, order and blocking are those of ``subscribe(fetchedResult:changeHandler:)``. Keep the subscription:
  /// releasing it cancels.
  public func subscribe<Element: Atom>(
    object: Element, changeHandler: @escaping @Sendable (_: SubscribedObject<Element>) -> Void
  ) -> Subscription {
    EntityStore.of(core).observers.observe(object, handler: changeHandler)
  }

  /// Returns a stream of a query's results, from the next one that differs from the given one.
  ///
  ///     for await posts in workspace.subscribe(fetchedResult: urgent) { … }
  ///
  /// The elements are those of ``subscribe(fetchedResult:changeHandler:)``, and the call blocks as that does. The
  /// policy decides about results that are not consumed in time; the `changes` of the next result are then relative to
  /// one that was dropped. The stream ends when the workspace closes, or at once if the result can't be observed.
  /// Ending the iteration cancels the subscription.
  public func subscribe<Element: Atom>(
    fetchedResult: FetchedResult<Element>,
    bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<FetchedResult<Element>> {
    AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = EntityStore.of(core).observers.observe(
        fetchedResult, onEnd: { continuation.finish() }, handler: { continuation.yield($0) })
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }

  /// Returns a stream of an object's new versions.
  ///
  ///     for await post in workspace.subscribe(object: post) { … }
  ///
  /// The stream ends when the object is deleted or the workspace closes, or at once if the object can't be observed.
  /// Ending the iteration cancels the subscription. The call blocks as ``subscribe(fetchedResult:changeHandler:)``
  /// does.
  public func subscribe<Element: Atom>(
    object: Element, bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<Element> {
    AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = EntityStore.of(core).observers.observe(
        object, onEnd: { continuation.finish() },
        handler: { change in
          if case .updated(let object) = change { continuation.yield(object) }
        })
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}
