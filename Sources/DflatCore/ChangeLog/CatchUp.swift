/// Decides how a process that has published the commits up to `published` follows a file that is at `current`. A pure
/// function.
package enum CatchUp: Equatable {
  /// Nothing to follow.
  case none
  /// Replay the log: it holds every missed commit.
  case replay
  /// Drop the cache: the log no longer holds every missed commit, or the file is a different one.
  case reset

  package init(published: UInt64, current: UInt64, missed numbers: [UInt64]) {
    if current == published {
      self = .none
    } else if current > published, numbers.count == current - published, numbers.first == published + 1,
      numbers.last == current
    {
      self = .replay
    } else {
      self = .reset
    }
  }
}
