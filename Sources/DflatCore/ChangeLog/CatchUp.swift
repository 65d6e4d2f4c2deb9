/// Decides how a process that knows the commits up to `published` follows a file that is at `current`: a pure function.
package enum CatchUp: Equatable {
  /// Nothing new.
  case none
  /// The log holds every commit that was missed.
  case replay
  /// The log no longer holds all of them, or the file is another one: drop the cache.
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
