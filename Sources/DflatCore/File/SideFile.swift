import DflatSupport
import Dispatch

/// The small file next to the database that committers touch. It exists because a watch on the write-ahead log alone
/// fires too early.
///
/// It contains one byte without a meaning. Anyone may delete it; the next commit creates it again. A file that doesn't
/// look like a side file is never written to, wherever its name leads. Without a side file, other processes notice
/// commits by their other watches.
package final class SideFile: Sendable {
  private struct State {
    var descriptor: Int32 = -1
    var newestTouch: UInt64 = 0
    var isTouchDue = false
  }

  /// The minimum time between two touches. Touches in between are merged into one at its end: a write to a watched file
  /// costs a third of a small commit.
  private static let interval: UInt64 = 500_000  // ns

  package let path: String
  private let state = Lock(State())

  init(databasePath: String) { path = databasePath + "-dflat" }

  deinit { closeDescriptor() }

  /// Wakes the processes that watch the file, at once or very soon. A failure only delays them, because they also poll.
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

  /// Creates the file, for systems that can only watch an existing file.
  func make() {
    state.withLock { state in if state.descriptor < 0 { state.descriptor = open() } }
  }

  /// Returns true if the file at a path is a side file.
  static func isSideFile(_ path: String) -> Bool {
    if case .side = kind(of: path) { true } else { false }
  }

  private func touchIfDue() {
    state.withLock { state in if state.isTouchDue { write(&state) } }
  }

  /// Writes the byte, and opens the file first if it isn't open or its name leads elsewhere.
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

  /// Opens the file, and creates it if it is missing. Replaces symbolic links, additional names of other files, and
  /// pipes: writing through a link would change its target, and nobody listens to a pipe. Returns -1 if that fails, or
  /// if the name belongs to something that isn't this library's to remove.
  private func open() -> Int32 {
    for _ in 0..<2 {
      switch SideFile.kind(of: path) {
      case .none: break
      case .side(let status):
        let descriptor = openFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return -1 }
        if SideFile.isOurs(path, as: descriptor, status) { return descriptor }
        // The file was replaced just now. Don't close it: if it is the database now, closing it drops SQLite's locks.
        return -1
      case .replaceable: unlink(path)
      case .external: return -1
      }
      let descriptor = openFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
      if descriptor >= 0 || errno != EEXIST { return descriptor }
    }
    return -1
  }

  private enum Kind {
    case none
    /// A regular file with a single name and at most one byte.
    case side(stat)
    /// A symbolic link, another name of a file, or a pipe. Removing the name loses nothing.
    case replaceable
    /// A folder, a device, or a file with content.
    case external
  }

  /// Determines the kind before the file is opened: opening and closing the database by another name would drop
  /// SQLite's locks on it.
  private static func kind(of path: String) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT ? .none : .external }
    switch status.st_mode & S_IFMT {
    case S_IFLNK, S_IFIFO: return .replaceable
    case S_IFREG where status.st_nlink > 1: return .replaceable
    case S_IFREG where status.st_size <= 1: return .side(status)
    default: return .external
    }
  }

  /// Returns true if the name still leads to the open file.
  private static func isOurs(_ path: String, as descriptor: Int32) -> Bool {
    guard case .side(let status) = kind(of: path) else { return false }
    return isOurs(path, as: descriptor, status)
  }

  /// Returns true if the open file is the expected one and has a single name.
  private static func isOurs(_ path: String, as descriptor: Int32, _ expected: stat) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_dev == expected.st_dev && status.st_ino == expected.st_ino
      && status.st_nlink == 1
  }

  /// Closes and deletes the file. Nobody else uses the database then.
  func remove() {
    closeDescriptor()
    switch SideFile.kind(of: path) {
    case .side, .replaceable: unlink(path)
    case .none, .external: break
    }
  }

  /// Closes the file after a pending touch.
  func closeDescriptor() {
    state.withLock { state in
      if state.isTouchDue { write(&state) }
      if state.descriptor >= 0 { close(state.descriptor) }
      state.descriptor = -1
    }
  }
}

/// Calls the system's `open`, which the method of that name hides.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
