import DflatSupport
import Dispatch

/// The small file next to the database that committers touch. It exists because a watch on the write-ahead log alone
/// fires too early.
///
/// It contains one byte without a meaning. Anyone may delete it; the next commit creates it again. A file that doesn't
/// look like a side file is never written to, wherever its name leads. Without a side file, other processes notice
/// commits by their other watches.
package final class SideFile: Sendable {
  /// Decides which commits touch the file, and which leave it to a timer.
  struct Schedule {
    private var newestTouch: UInt64 = 0
    /// True if a timer is to touch the file.
    private var isTouchDue = false
    /// The number of commits since the newest touch.
    private var commits = 0
    /// The minimum time between the newest touch and the next one.
    private var interval = SideFile.shortestInterval

    /// Decides what a commit at a given time does.
    mutating func next(at now: UInt64) -> Step {
      let age = now &- newestTouch
      commits += 1
      // Don't rely on a timer that is late.
      if age >= 2 * interval || age >= interval && !isTouchDue {
        begin(at: now)
        return .touch
      }
      if isTouchDue { return .none }
      isTouchDue = true
      return .schedule(after: interval - age)
    }

    /// Notes a touch. If it stands for many commits, the next ones are merged for longer.
    private mutating func begin(at now: UInt64) {
      let isStream = commits >= SideFile.streamLength
      interval = isStream ? min(2 * interval, SideFile.longestInterval) : SideFile.shortestInterval
      newestTouch = now
      isTouchDue = false
      commits = 0
    }

    /// Returns true if a touch is due, which the caller then makes.
    mutating func takeDue(at now: UInt64) -> Bool {
      guard isTouchDue else { return false }
      begin(at: now)
      return true
    }
  }

  enum Step: Equatable {
    case none, touch
    /// Schedule a touch after some nanoseconds.
    case schedule(after: UInt64)
  }

  /// The minimum time between two touches. Touches in between are merged into one at its end, because a touch wakes
  /// threads of every process that has the file open, this one's too. The time doubles with every touch of a stream of
  /// commits, up to the longest.
  static let shortestInterval: UInt64 = 500_000  // ns
  static let longestInterval: UInt64 = 4_000_000  // ns
  /// The number of commits between two touches from which they are a stream.
  static let streamLength = 4

  package let path: String
  private let schedule = Lock(Schedule())
  /// A lock of its own, so that a commit that finds a touch scheduled doesn't wait for a write.
  private let descriptor = Lock<Int32>(-1)
  /// Instead of a descriptor after the end. A timer that is late must not create the file again.
  private static let closed: Int32 = -2

  init(databasePath: String) { path = databasePath + "-dflat" }

  deinit { closeDescriptor() }

  /// Wakes the processes that watch the file, at once or very soon. A failure only delays them, because they also poll.
  ///
  /// Among commits that follow each other closely, a timer touches the file, so that few of them take the time.
  func touch() {
    switch schedule.withLock({ $0.next(at: Self.now) }) {
    case .none: break
    case .touch: descriptor.withLock { write(&$0) }
    case .schedule(let delay): TimerQueue.run(after: .nanoseconds(Int(delay))) { [self] in touchIfDue() }
    }
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Creates the file, for systems that can only watch an existing file.
  func make() {
    descriptor.withLock { if $0 == -1 { $0 = open() } }
  }

  /// Returns true if the file at a path is a side file.
  static func isSideFile(_ path: String) -> Bool {
    if case .side = kind(of: path) { true } else { false }
  }

  private func touchIfDue() {
    if schedule.withLock({ $0.takeDue(at: Self.now) }) { descriptor.withLock { write(&$0) } }
  }

  /// Writes the byte, and opens the file first if it isn't open or its name leads elsewhere.
  private func write(_ descriptor: inout Int32) {
    if descriptor == Self.closed { return }
    if descriptor >= 0, !SideFile.isOurs(path, as: descriptor) {
      close(descriptor)
      descriptor = -1
    }
    if descriptor < 0 { descriptor = open() }
    if descriptor >= 0 { withUnsafeBytes(of: UInt8(0)) { _ = pwrite(descriptor, $0.baseAddress, 1, 0) } }
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
    // The system would look for a part of this path.
    if path.utf8.contains(0) { return .external }
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

  /// Closes the file after a pending touch, for good.
  func closeDescriptor() {
    touchIfDue()
    descriptor.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = Self.closed
    }
  }
}

/// Calls the system's `open`, which the method of that name hides.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
