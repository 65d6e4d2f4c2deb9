public import DflatCore

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes a query's result, then what becomes of it: what `workspace.publisher(for: Post.self).where(…)` gives.
///
/// The query is run for each subscriber, with its first demand, on the thread that asks: there the result is received.
/// Later ones are received on the workspace's delivery queue, in commit order and without a gap, or, when they had to wait
/// for demand, on the thread that asks for them; of those that wait only the newest is kept, and its `changes` are against
/// the one that was received before. It finishes when the workspace is closed. It keeps the workspace alive; a
/// subscription doesn't.
public final class QueryPublisher<Element: Atom>: Publisher, Sendable {
  /// The result at first, and each new one.
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
