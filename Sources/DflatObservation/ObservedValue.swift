public import DflatCore
public import Observation

/// The newest value of an observation, for SwiftUI views and `withObservationTracking`.
///
///     let inbox = ObservedValue(workspace.observe { reader in
///       (reader.dictionary[.theme], reader.fetch(for: Post.self).where(Post.color == .red))
///     })
///     if let (theme, posts) = inbox.value { … }
///
/// The value changes on the main actor, soon after the commit. It shows one commit as a whole: read together what has
/// to fit together. If several values come before the main actor is free, it shows the newest.
///
/// Keep a reference to the object: releasing it ends the observation. It doesn't keep the workspace alive if the
/// observed closure reads with `reader`, and keeps its last value when the workspace closes.
@MainActor
public final class ObservedValue<Value: Sendable>: Observable {
  private struct Update: Sendable {
    var value: Value?
    var error: (any Error)?
  }

  private let registrar = ObservationRegistrar()
  private var current: Value?
  private var failure: (any Error)?
  private var subscription: WorkspaceSubscription?

  /// Begins to observe. Blocks the main thread until the observed closure has run, as
  /// ``/DflatCore/WorkspaceObservation/subscribe(onError:changeHandler:)`` does.
  public init(_ observation: WorkspaceObservation<Value>) {
    let mailbox = MainActorMailbox<Update> { waiting, update in
      Update(value: update.value ?? waiting.value, error: update.error ?? waiting.error)
    }
    subscription = observation.start { error in
      if let error { mailbox.offer(Update(error: error)) }
    } changeHandler: { value in
      mailbox.offer(Update(value: value))
    }
    mailbox.open { [weak self] in self?.receive($0) }
  }

  /// The newest value; nil if the first run failed, or the workspace was closed before.
  public var value: Value? {
    registrar.access(self, keyPath: \.value)
    return current
  }

  /// The error that ended the observation; nil as long as it goes on, and when the workspace closes.
  public var error: (any Error)? {
    registrar.access(self, keyPath: \.error)
    return failure
  }

  private func receive(_ update: Update) {
    if let value = update.value { registrar.withMutation(of: self, keyPath: \.value) { current = value } }
    if let error = update.error { registrar.withMutation(of: self, keyPath: \.error) { failure = error } }
  }
}
