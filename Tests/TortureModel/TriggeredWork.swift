import DflatCore

/// The work of the trigger's handler, which runs when the handler receives a certain number.
final class TriggeredWork: Sendable {
  private let state = Lock<(number: Int64, work: @Sendable () -> Void)?>(nil)

  func set(_ work: @escaping @Sendable () -> Void, at number: Int64) { state.withLock { $0 = (number, work) } }

  /// Takes the work if this is its number.
  func take(at number: Int64) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let found = state, found.number == number else { return nil }
      state = nil
      return found.work
    }
  }

  func clear() { state.withLock { $0 = nil } }
}
