import DflatCore
public import DflatKV

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes a key's committed value, then every committed change. `dictionary.publisher(_:of:)` returns it.
///
/// Each subscriber has its own subscription, which begins with its first demand: the thread that requests values blocks
/// until the key is read, and receives `.initial`. The subscriber receives later values on the workspace's delivery
/// queue, in commit order, or, if they had to wait for demand, on the thread that requests them. Of the values that
/// wait, only the newest is kept. The publisher finishes when the workspace closes. It keeps the workspace alive; a
/// subscription doesn't.
public final class DictionaryValuePublisher<Element: Equatable & Sendable>: Publisher, Sendable {
  /// The initial value, and then its changes.
  public typealias Output = SubscribedDictionaryValue<Element>
  /// Never fails: a key that can't be read is delivered as absent, and reported to the workspace's error handler.
  public typealias Failure = Never

  private let source: DemandSource<Output, Failure>

  init(source: @escaping DemandSource<Output, Failure>) { self.source = source }

  /// Gives the subscriber its subscription.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subscriber.begin(source)
  }
}
