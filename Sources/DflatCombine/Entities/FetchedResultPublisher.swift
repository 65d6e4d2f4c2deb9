public import DflatEntities

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes the changes of a query's result. `workspace.publisher(for: fetchedResult)` returns it.
///
/// Each subscriber has its own subscription, which begins with its first demand, and blocks the thread that requests
/// values until the result is compared with the file. It receives only changes: the current result at first only if it
/// differs from the given one. The subscriber receives values on the workspace's delivery queue, in commit order, or,
/// if they had to wait for demand, on the thread that requests them. Of the results that wait, only the newest is kept,
/// and its `changes` compare with the result received before it. The publisher finishes when the workspace closes.
public final class FetchedResultPublisher<Element: Atom>: Publisher, Sendable {
  /// The new result.
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
