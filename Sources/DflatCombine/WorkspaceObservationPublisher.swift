public import DflatCore

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes the values of an observation, and at last the error that ends it. `observation.publisher()` maps it to a
/// publisher that fails with this error.
///
/// Each subscriber has its own subscription, which begins with its first demand: the thread that requests values blocks
/// until the observed closure has run, and receives the first value. The subscriber receives later values on the
/// workspace's delivery queue, in commit order, or, if they had to wait for demand, on the thread that requests them.
/// Of the values that wait, only the newest is kept. The publisher finishes after an error, and when the workspace
/// closes. It keeps the workspace alive; a subscription doesn't, unless the observed closure does: read with `reader`.
public final class WorkspaceObservationPublisher<Value: Sendable>: Publisher, Sendable {
  /// A value, or the error that ends the observation.
  public typealias Output = Result<Value, any Error>
  /// Never fails: the error is the last element.
  public typealias Failure = Never

  private let source: DemandSource<Output>

  init(source: @escaping DemandSource<Output>) { self.source = source }

  /// Gives the subscriber its subscription.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subscriber.begin(source)
  }
}

extension WorkspaceObservation {
  /// Publishes the current value, and then each new one.
  ///
  ///     let cancellable = workspace.observe { reader in
  ///       (reader.dictionary[.theme], reader.fetch(for: Post.self).where(Post.priority > 3))
  ///     }
  ///     .publisher()
  ///     .receive(on: DispatchQueue.main)
  ///     .sink { completion in print(completion) } receiveValue: { theme, posts in print(theme, posts.count) }
  ///
  /// ``WorkspaceObservationPublisher`` describes the threads, and the treatment of values without demand. An error that
  /// ends the observation is the publisher's failure.
  ///
  /// In main-actor code, including `main.swift`, call `receive(on: DispatchQueue.main)` before `sink`, or write
  /// `{ @Sendable value in … }`: any other closure is isolated to the main actor, and Swift stops a program that calls
  /// it elsewhere.
  public func publisher() -> Publishers.TryMap<WorkspaceObservationPublisher<Value>, Value> {
    WorkspaceObservationPublisher<Value> { sink in
      start { error in
        if let error { sink.offer(last: .failure(error)) } else { sink.end() }
      } changeHandler: {
        sink.offer(.success($0))
      }
    }
    .tryMap { try $0.get() }
  }
}
