public import DflatCore

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// Publishes the values of an observation, and fails with the error that ends it. `observation.publisher()` returns it.
///
/// Each subscriber has its own subscription, which begins with its first demand: the thread that requests values blocks
/// until the observed closure has run, and receives the first value. The subscriber receives later values on the
/// workspace's delivery queue, in commit order, or, if they had to wait for demand, on the thread that requests them.
/// Of the values that wait, only the newest is kept. The publisher finishes when the workspace closes. Its completion
/// follows a value that waits, and needs no demand of its own. It keeps the workspace alive; a subscription doesn't,
/// unless the observed closure does: read with `reader`.
public final class WorkspaceObservationPublisher<Value: Sendable>: Publisher, Sendable {
  /// The current value, and then each new one.
  public typealias Output = Value
  /// The error that ends the observation.
  public typealias Failure = any Error

  private let source: DemandSource<Output, Failure>

  init(source: @escaping DemandSource<Output, Failure>) { self.source = source }

  /// Gives the subscriber its subscription.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
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
  public func publisher() -> WorkspaceObservationPublisher<Value> {
    WorkspaceObservationPublisher { sink in
      start { error in
        sink.end(error.map { .failure($0) } ?? .finished)
      } changeHandler: {
        sink.offer($0)
      }
    }
  }
}
