/// An observation of everything that a closure reads. ``Workspace/observe(_:)`` creates it.
///
///     let observation = workspace.observe { reader in
///       (reader.dictionary[.theme], reader.fetch(for: Post.self).where(Post.priority > 3))
///     }
///     let subscription = observation.subscribe { theme, posts in
///       print(theme, posts.count)
///     }
///
/// A plain value that reads nothing by itself. Each subscription runs the closure on a snapshot, records the keys, the
/// ranges of keys and the queries that it reads, delivers its value, and runs it again after commits, by any process,
/// that may change the value: once for several that come together. What the closure reads may differ from run to run.
///
/// **Delivery.** The first value is delivered on the subscribing thread before the call returns. Later values are
/// delivered on the workspace's delivery queue: each shows one commit as a whole, commits are shown in order, and a
/// value that equals (`==`) the one before is skipped. If several commits come before the closure runs again, it
/// delivers only the newest state. A value that includes a transaction is delivered before the transaction's completion
/// handler runs. Plain writes are included once they are committed. If a closure reads something else each time, and
/// commits keep coming meanwhile, the value that includes a transaction may come after its completion handler.
///
/// **Precision.** A key is tracked by itself, and a range of keys (`keys`, `count`, `entries`) by its prefix. A query
/// is tracked by its predicate: a commit of this workspace runs the closure again if a changed row matched before or
/// matches now, and a commit by another process if any row of the table changed.
///
/// **The closure.** It runs under no lock, in the context of a callback, and delays other callbacks while it runs: keep
/// it short. It must read on its own thread, because reads on other threads aren't tracked. It may not write keys or
/// begin transactions, and it may not read other workspaces: such a call fails with `.invalidRequest`, and ends the
/// observation with this error, even if the closure ignores it. Compacting, reindexing and subscribing aren't refused,
/// but have no place in it. Sizes, statistics, replaced values, the commit number and `Query.explain()` aren't tracked.
///
/// **Errors.** An error that the closure throws, or a failure to read the file, ends the observation. Subscribe again
/// to continue. If the file is only locked (`.busy`) when the closure is to run again, the workspace's error handler
/// and its log receive the error, and the observation goes on with the next commit that may change the value. A single
/// value or object that can't be decoded is no failure to read the file: where the closure uses a subscript or
/// `fetch(for:)`, it is absent and reported, as in any read.
///
/// **Lifetime.** The observation keeps the workspace alive; a subscription doesn't, unless its closures do: read with
/// `reader`, and capture the workspace weakly in the handlers. A subscription ends when the workspace closes, after the
/// values of the commits that were queued at `shutdown()`.
public struct WorkspaceObservation<Value: Sendable>: Sendable {
  private let workspace: any Workspace
  private let read: @Sendable (WorkspaceReader) throws -> Value
  private let isSame: @Sendable (Value, Value) -> Bool

  init(
    of workspace: any Workspace, _ read: @escaping @Sendable (WorkspaceReader) throws -> Value,
    comparing isSame: @escaping @Sendable (Value, Value) -> Bool
  ) {
    self.workspace = workspace
    self.read = read
    self.isSame = isSame
  }

  /// Delivers the value now, and then each new one.
  ///
  ///     let subscription = observation.subscribe { error in
  ///       print("ended:", error)
  ///     } changeHandler: { theme, posts in
  ///       print(theme, posts.count)
  ///     }
  ///
  /// Blocks the calling thread until the first value is delivered; other callbacks of the workspace wait meanwhile. If
  /// the workspace hasn't opened its file yet, the call first waits until running transactions are done and the file is
  /// open, unless a transaction's closure calls it. In a transaction's closure and in a snapshot, the first value shows
  /// the newest commit too, without the transaction's own changes. After shutdown, nothing is delivered.
  ///
  /// Keep the result: releasing it cancels the subscription.
  ///
  /// - Parameters:
  ///   - onError: Receives the error that ends the observation, once, in place of a value. Without it, the workspace's
  ///     error handler and its log receive the error.
  ///   - changeHandler: Receives the values. It may call any API; callbacks run one at a time, so keep it short.
  public func subscribe(
    onError: (@Sendable (any Error) -> Void)? = nil, changeHandler: @escaping @Sendable (_: Value) -> Void
  ) -> WorkspaceSubscription {
    let core = workspace.core
    let onEnd: @Sendable ((any Error)?) -> Void = { error in
      guard let error else { return }
      if let onError { return onError(error) }
      core.report(.wrapping(error, path: core.path, doing: "Observing"))
    }
    return start(onEnd: onEnd, changeHandler: changeHandler)
  }

  /// Returns a stream of the values: the current one, and then each new one.
  ///
  ///     for try await (theme, posts) in observation.values() { … }
  ///
  /// The policy decides about values that are not consumed in time; by default only the newest is kept. The stream ends
  /// when the workspace closes, and throws the error that ends the observation. Ending the iteration cancels the
  /// subscription. Blocks the calling thread as ``subscribe(onError:changeHandler:)`` does.
  public func values(
    bufferingPolicy: AsyncThrowingStream<Value, any Error>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncThrowingStream<Value, any Error> {
    AsyncThrowingStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = start {
        continuation.finish(throwing: $0)
      } changeHandler: {
        continuation.yield($0)
      }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }

  /// Begins a subscription.
  ///
  /// - Parameters:
  ///   - onEnd: Receives the error that ends the observation, or nil when the workspace closes. Not called after a
  ///     cancellation.
  ///   - changeHandler: Receives the values.
  package func start(
    onEnd: @escaping @Sendable ((any Error)?) -> Void, changeHandler: @escaping @Sendable (Value) -> Void
  ) -> WorkspaceSubscription {
    let reader = WorkspaceReader(of: workspace.core)
    let callbacks = ValueObserver<Value>.Callbacks(
      read: { [read] in try read(reader) }, isSame: isSame, handler: changeHandler, onEnd: onEnd)
    return ValueObserver(in: workspace.core, callbacks).start()
  }
}
