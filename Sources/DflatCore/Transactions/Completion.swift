/// Delivers the outcome of a transaction to its caller.
package struct Completion: Sendable {
  /// True for callbacks of the user, which run on the delivery queue after the observers. Blocked threads follow the
  /// observers, too (A4), but wake at once if there are none.
  var isUserCode: Bool
  /// False for a caller that can't wait for observers because it runs inside one.
  var followsObservers: Bool
  var run: @Sendable (Result<Void, any Error>) -> Void

  /// A completion that ignores the outcome.
  package static let ignored = waking { _ in }

  /// Creates a completion that runs as soon as the outcome is known.
  package static func waking(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Completion {
    Completion(isUserCode: false, followsObservers: false, run: body)
  }
}
