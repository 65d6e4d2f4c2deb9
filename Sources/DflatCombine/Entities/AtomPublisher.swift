public import DflatEntities

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes the changes of one object. `workspace.publisher(for: object)` returns it.
///
/// Each subscriber has its own subscription, which begins with its first demand, and blocks the thread that requests
/// values until the object is compared with the file. It receives only changes: the object's current state at first
/// only if it differs from the given object. The subscriber receives values on the workspace's delivery queue, in
/// commit order, or, if they had to wait for demand, on the thread that requests them. Of the updates that wait, only
/// the newest is kept. The publisher finishes after `.deleted`, which is never skipped, and when the workspace closes.
public final class AtomPublisher<Element: Atom>: Publisher, Sendable {
  /// The object's new state, or its deletion.
  public typealias Output = SubscribedObject<Element>
  /// Never fails: read errors go to the workspace's error handler.
  public typealias Failure = Never

  private let source: DemandSource<Output, Failure>

  init(source: @escaping DemandSource<Output, Failure>) { self.source = source }

  /// Gives the subscriber its subscription.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subscriber.begin(source)
  }
}
