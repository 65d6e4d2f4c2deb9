/// Someone who waits for a lane or for the baton.
enum Launcher: Sendable {
  /// A blocked thread. It is told whether the baton is its own.
  case thread(Promise<Bool>)
  /// A transaction whose closure has not begun. It returns whom it handed the baton to, if it had it.
  case closure(@Sendable (_ holdsBaton: Bool) -> Launcher?)
  /// Work of the workspace's own, which needs the baton and waits for nobody. It returns whom it handed the baton to.
  case step(@Sendable () -> Launcher?)
}
