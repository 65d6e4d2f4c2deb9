#if DFLATKV_SIMULATION
  public import SimulatedRuntime
#endif

/// A lock that owns the value that it guards.
///
/// User code never runs inside `withLock` (A11): callers take out what they need and run callbacks afterwards.
///
/// A state that holds functions is a struct. Were it a function or a tuple with one, each access would wrap the function in
/// two more, because generic code calls functions in another way: they fill the memory, and in the end a call of the
/// function, or its release, fills the stack. `scripts/check-locks.sh` checks this.
///
/// Lock order: a transaction's lanes, the write token (both in `Pipeline`), the publication lock (`Publication`), the
/// dictionary's shards by their index. Lanes and the write token are rights to wait for, not locks. The locks of their
/// queues are leaves, like every other lock: they are held for a few instructions, and no lock of this list is taken
/// under them. The one lock that is held while files are opened and closed, `DatabaseFile.closing`, is taken only by
/// shutdown, which holds no other.
@usableFromInline
package final class Lock<State>: @unchecked Sendable {  // every access to `state` is between lock() and unlock()
  @usableFromInline let raw = RawLock()
  @usableFromInline let state: UnsafeMutablePointer<State>

  package init(_ state: State) {
    self.state = .allocate(capacity: 1)
    self.state.initialize(to: state)
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  @inlinable
  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    raw.lock()
    defer { raw.unlock() }
    return try body(&state.pointee)
  }
}
