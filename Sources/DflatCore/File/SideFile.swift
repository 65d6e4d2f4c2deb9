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
/// It holds one byte of no meaning. Anyone may delete it; the next commit makes it again. What isn't such a file is never
/// written to, whatever its name leads to; without a side file other processes notice commits by their other watches.
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

  /// Makes the file, for those that can only watch one that is there.
  func make() {
    state.withLock { state in if state.descriptor < 0 { state.descriptor = open() } }
  }

  static func isSideFile(_ path: String) -> Bool {
    if case .side = kind(of: path) { true } else { false }
  }

  private func touchIfDue() {
    state.withLock { state in if state.isTouchDue { write(&state) } }
  }

  private func write(_ state: inout State) {
    state.isTouchDue = false
    state.newestTouch = DispatchTime.now().uptimeNanoseconds
    if state.descriptor >= 0, !SideFile.isOurs(path, as: state.descriptor) {
      close(state.descriptor)
      state.descriptor = -1
    }
    if state.descriptor < 0 { state.descriptor = open() }
    if state.descriptor >= 0 { withUnsafeBytes(of: UInt8(0)) { _ = pwrite(state.descriptor, $0.baseAddress, 1, 0) } }
  }

  /// Opens the file, makes it where there is none, and makes it anew where something else leads away from it: a link must
  /// not have the byte written into its target, and nobody listens at a pipe. -1 where that can't be done, or something
  /// stands there that isn't ours to remove.
  private func open() -> Int32 {
    for _ in 0..<2 {
      switch SideFile.kind(of: path) {
      case .none: break
      case .side(let status):
        let descriptor = openFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return -1 }
        if SideFile.isOurs(path, as: descriptor, status) { return descriptor }
        // It was exchanged in this instant. Not closed: if it is the database now, closing it drops SQLite's locks.
        return -1
      case .replaceable: unlink(path)
      case .foreign: return -1
      }
      let descriptor = openFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
      if descriptor >= 0 || errno != EEXIST { return descriptor }
    }
    return -1
  }

  private enum Kind {
    case none
    /// A regular file with one name and at most a byte in it.
    case side(stat)
    /// A symbolic link, another name of a file, or a pipe: its name can go without a loss.
    case replaceable
    /// A folder, a device, a file that holds something.
    case foreign
  }

  /// Looks at the name before it is opened: opening and closing the database by another name would drop SQLite's locks on it.
  private static func kind(of path: String) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT ? .none : .foreign }
    switch status.st_mode & S_IFMT {
    case S_IFLNK, S_IFIFO: return .replaceable
    case S_IFREG where status.st_nlink > 1: return .replaceable
    case S_IFREG where status.st_size <= 1: return .side(status)
    default: return .foreign
    }
  }

  /// True while the name still leads to what is open.
  private static func isOurs(_ path: String, as descriptor: Int32) -> Bool {
    guard case .side(let status) = kind(of: path) else { return false }
    return isOurs(path, as: descriptor, status)
  }

  private static func isOurs(_ path: String, as descriptor: Int32, _ expected: stat) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_dev == expected.st_dev && status.st_ino == expected.st_ino
      && status.st_nlink == 1
  }

  /// Closes it, and deletes it: nobody else can be using the database.
  func remove() {
    closeDescriptor()
    switch SideFile.kind(of: path) {
    case .side, .replaceable: unlink(path)
    case .none, .foreign: break
    }
  }

  func closeDescriptor() {
    state.withLock { state in
      if state.isTouchDue { write(&state) }
      if state.descriptor >= 0 { close(state.descriptor) }
      state.descriptor = -1
    }
  }
}

/// The system's `open`, which a method hides.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
