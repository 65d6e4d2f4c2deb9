/// A waiter for a lane or for the write token.
enum Waiter: Sendable {
  /// A blocked thread. The promise's value is true if the thread now holds the write token.
  case thread(Promise<Bool>)
  /// A transaction whose closure hasn't started. Returns the waiter that it passed the write token to, if it held the
  /// token.
  case closure(@Sendable (_ holdsWriteToken: Bool) -> Waiter?)
  /// An internal step, which needs the write token and waits for nothing else. Returns the waiter that it passed the
  /// token to.
  case step(@Sendable () -> Waiter?)
}
