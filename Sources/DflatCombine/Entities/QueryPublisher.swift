public import DflatEntities

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes a query's result, then its changes. `workspace.publisher(for: Post.self).where(…)` returns it.
///
/// The first demand of each subscriber runs the query, on the thread that requests values, blocks that thread until the
/// objects are read, and delivers the result to it. The subscriber receives later results on the workspace's delivery
/// queue, in commit order and without gaps, or, if they had to wait for demand, on the thread that requests them. Of
/// the results that wait, only the newest is kept, and its `changes` compare with the result received before it. The
/// publisher finishes when the workspace closes. It keeps the workspace alive; a subscription doesn't.
public final class QueryPublisher<Element: Atom>: Publisher, Sendable {
  /// The initial result, and then each new one.
  public typealias Output = FetchedResult<Element>
  /// Never fails: read errors go to the workspace's error handler.
  public typealias Failure = Never

  private let source: DemandSource<Output, Failure>

  init(source: @escaping DemandSource<Output, Failure>) { self.source = source }

  /// Gives the subscriber its subscription.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subscriber.begin(skipping: { $1.skipping($0) }, source)
  }
}
