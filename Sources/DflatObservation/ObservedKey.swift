public import DflatKV
public import Observation

/// The committed value of a typed key, for SwiftUI views and `withObservationTracking`.
///
///     let volume = ObservedKey(.volume, in: workspace.dictionary)
///     print(volume.value)
///
/// The value changes on the main actor, soon after the commit, by any process. If several values come before the main
/// actor is free, it shows the newest. A plain write shows once it is committed.
///
/// Keep a reference to the object: releasing it ends the observation. It doesn't keep the workspace alive, and keeps
/// its last value when the workspace closes.
@MainActor
public final class ObservedKey<Value: Equatable & Sendable>: Observable {
  private let registrar = ObservationRegistrar()
  private var current: Value
  private var subscription: WorkspaceSubscription?

  /// Begins to observe. Blocks the main thread until the value is read, as
  /// ``/DflatKV/WorkspaceDictionary/subscribe(_:changeHandler:)`` does.
  public init(_ key: DictionaryKey<Value>, in dictionary: WorkspaceDictionary) {
    let mailbox = MainActorMailbox<Value>()
    current = key.defaultValue
    subscription = dictionary.subscribe(key) { mailbox.offer($0) }
    mailbox.open { [weak self] in self?.receive($0) }
  }

  /// The committed value, or the key's default if there is none.
  public var value: Value {
    registrar.access(self, keyPath: \.value)
    return current
  }

  private func receive(_ value: Value) {
    registrar.withMutation(of: self, keyPath: \.value) { current = value }
  }
}
