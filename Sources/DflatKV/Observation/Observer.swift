import DflatCore

/// A subscription to one key or a range of keys.
class Observer: @unchecked Sendable {  // its stored properties are immutable and Sendable
  private let callbacks: ObserverCallbacks<DictionaryChange>

  init(
    in core: WorkspaceCore, handler: @escaping @Sendable (DictionaryChange) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) {
    callbacks = ObserverCallbacks(in: core, handler: handler, onEnd: onEnd)
  }

  func deliver(_ change: DictionaryChange) { callbacks.deliver(change) }
  func cancel() -> Bool { callbacks.cancel() }
  func end() { callbacks.end() }
}

/// Observes one key. Registered in the key's shard.
final class KeyObserver: Observer, @unchecked Sendable {  // like its superclass; the shard's lock guards the variables
  /// The observer's position in the list of the key's observers.
  var token: OrderedBag<KeyObserver>.Token?
  /// The state that the observer knows instead of the key's newest value, which could not be read; nil if it knows
  /// the newest value.
  var outdated: Outdated?

  enum Outdated {
    /// It was told that there is no value when it began.
    case absence
    case earlierValue
  }

  /// Notes that the key's newest value is known again. Returns true if the observer has to be told.
  ///
  /// - Parameters:
  ///   - value: The newest value.
  ///   - old: The value that the observer knows unless that is outdated.
  func catchUp(with value: CachedValue, after old: CachedValue) -> Bool {
    defer { outdated = nil }
    return switch outdated {
    case nil: !old.isIdentical(to: value)
    case .absence: !value.isAbsent
    case .earlierValue: true
    }
  }
}
