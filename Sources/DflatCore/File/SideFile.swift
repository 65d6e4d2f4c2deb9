#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

import Dispatch

/// The small file beside the database that committers touch, because a watch on the write-ahead log alone comes too early.
///
/// It holds one byte of no meaning. Anyone may delete it; the next commit makes it again.
package final class SideFile: Sendable {
  private struct State {
    var descriptor: Int32 = -1
    var newestTouch: UInt64 = 0
    var isTouchDue = false
  }

  /// Touches closer together than this become one at its end: a write costs a third of a small commit where it is watched.
  private static let interval: UInt64 = 500_000  // ns

  package let path: String
  private let state = Lock(State())

  init(databasePath: String) { path = databasePath + "-dflat" }

  deinit { closeDescriptor() }

  /// Wakes the processes that watch, at once or very soon. A failure costs them a moment: they poll too.
  func touch() {
    let isDueLater = state.withLock { state in
      if DispatchTime.now().uptimeNanoseconds &- state.newestTouch >= Self.interval {
        write(&state)
        return false
      }
      defer { state.isTouchDue = true }
      return !state.isTouchDue
    }
    if isDueLater {
      TimerQueue.run(after: .nanoseconds(Int(Self.interval))) { [self] in touchIfDue() }
    }
  }

  private func touchIfDue() {
    state.withLock { state in if state.isTouchDue { write(&state) } }
  }

  private func write(_ state: inout State) {
    state.isTouchDue = false
    state.newestTouch = DispatchTime.now().uptimeNanoseconds
    var status = stat()
    if state.descriptor >= 0, fstat(state.descriptor, &status) != 0 || status.st_nlink == 0 {
      close(state.descriptor)
      state.descriptor = -1
    }
    if state.descriptor < 0 { state.descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    if state.descriptor >= 0 { withUnsafeBytes(of: UInt8(0)) { _ = pwrite(state.descriptor, $0.baseAddress, 1, 0) } }
  }

  /// Closes it, and deletes it when nobody else can be using the database.
  func remove() {
    closeDescriptor()
    unlink(path)
  }

  func closeDescriptor() {
    state.withLock { state in
      if state.isTouchDue { write(&state) }
      if state.descriptor >= 0 { close(state.descriptor) }
      state.descriptor = -1
    }
  }
}
