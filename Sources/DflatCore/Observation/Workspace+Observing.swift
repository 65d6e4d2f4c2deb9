extension Workspace {
  /// Observes what a query gives: whole new results, each as of one commit.
  ///
  ///     let urgent = workspace.fetch(for: Post.self).where(Post.priority > 100, limit: .limit(10))
  ///     let subscription = workspace.subscribe(fetchedResult: urgent) { posts in
  ///       print(posts.map(\.title), posts.changes as Any)
  ///     }
  ///
  /// After every commit, of any process, that changes the result, the handler gets what a fetch would give then, and what is
  /// different; a commit that changes nothing in it is not told. If the given result is outdated, the handler first gets the
  /// newest one. Objects that a commit didn't change are the same ones (`===`) from result to result.
  ///
  /// The handler runs on the workspace's delivery queue, in commit order, together with the callbacks for the dictionary's
  /// keys of the same transaction, and before its completion handler. Keep it short: callbacks wait for each other. Keep the
  /// subscription: releasing it cancels. A result that was made by hand, or fetched from another workspace, can't be
  /// observed: the workspace's error handler is told (`.invalidRequest`), and nothing follows. If the rows can't be read,
  /// the error handler is told too, and the next commit of entities tries again.
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
  /// The handler gets each new version, and `.deleted` once and last; an object that is made anew under the same primary key
  /// is another one. If the given object is outdated, the handler first gets the newest one. An object that was never stored
  /// is found by its primary key; if there is none, it gets `.deleted`. One of another file can't be observed: the
  /// workspace's error handler is told (`.invalidRequest`), and nothing follows. Threads and order are those of
  /// ``subscribe(fetchedResult:changeHandler:)``. Keep the subscription: releasing it cancels.
  public func subscribe<Element: Atom>(
    object: Element, changeHandler: @escaping @Sendable (_: SubscribedObject<Element>) -> Void
  ) -> Subscription {
    EntityStore.of(core).observers.observe(object, handler: changeHandler)
  }

  /// The results that a query gives, from the next one that is different from this.
  ///
  ///     for await posts in workspace.subscribe(fetchedResult: urgent) { … }
  ///
  /// The elements are those of ``subscribe(fetchedResult:changeHandler:)``. What happens to results that are not taken in
  /// time is the policy's choice; then `changes` of the next one are against one that was left out. The sequence ends with
  /// the workspace, and at once for a result that can't be observed; ending the iteration ends the subscription.
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

  /// The new versions of an object.
  ///
  ///     for await post in workspace.subscribe(object: post) { … }
  ///
  /// The sequence ends when the object is deleted, and with the workspace; ending the iteration ends the subscription.
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
