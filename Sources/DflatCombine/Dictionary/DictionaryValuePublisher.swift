import DflatCore
public import DflatKV

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes a key's committed value, then every change of it: what `dictionary.publisher(_:of:)` gives.
///
/// Each subscriber has a subscription of its own, which begins with its first demand, on the thread that asks:
/// `.initial` is received there. Later values are received on the workspace's delivery queue, in commit order, or, when
/// they had to wait for demand, on the thread that asks for them; of those that wait only the newest is kept. It finishes
/// when the workspace is closed. It keeps the workspace alive; a subscription doesn't.
public final class DictionaryValuePublisher<Element: Equatable & Sendable>: Publisher, Sendable {
  /// The value at first, and what became of it.
  public typealias Output = SubscribedDictionaryValue<Element>
  /// A key that can't be read is told as absent, and reported to the workspace's error handler.
  public typealias Failure = Never

  private let source: Source<Output>

  init(source: @escaping Source<Output>) { self.source = source }

  /// Hands the subscriber its subscription.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subscriber.begin(source)
  }
}
