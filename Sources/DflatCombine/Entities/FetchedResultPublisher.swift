public import DflatCore

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes what becomes of a query's result: what `workspace.publisher(for: fetchedResult)` gives.
///
/// Each subscriber has a subscription of its own, which begins with its first demand. It receives changes alone: the result
/// as it is only if it is another one by then than the one that was given. Values are received on the workspace's delivery
/// queue, in commit order, or, when they had to wait for demand, on the thread that asks for them; of those that wait only
/// the newest is kept, and its `changes` are against the one that was received before. It finishes when the workspace is
/// closed.
public final class FetchedResultPublisher<Element: Atom>: Publisher, Sendable {
  /// The new result.
  public typealias Output = FetchedResult<Element>
  /// Errors of reading go to the workspace's error handler.
  public typealias Failure = Never

  private let source: Source<Output>

  init(source: @escaping Source<Output>) { self.source = source }

  /// Hands the subscriber its subscription.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subscriber.begin(skipping: { $1.skipping($0) }, source)
  }
}
