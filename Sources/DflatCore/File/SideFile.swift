#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The small file beside the database that committers touch, because a watch on the write-ahead log alone comes too early.
///
/// It holds one byte of no meaning. Anyone may delete it; the next commit makes it again.
package final class SideFile: Sendable {
  package let path: String
  private let descriptor = Lock<Int32>(-1)

  init(databasePath: String) { path = databasePath + "-dflat" }

  deinit { closeDescriptor() }

  /// Wakes the processes that watch. A failure costs them a moment: they poll too.
  func touch() {
    descriptor.withLock { descriptor in
      var status = stat()
      if descriptor >= 0, fstat(descriptor, &status) != 0 || status.st_nlink == 0 {
        close(descriptor)
        descriptor = -1
      }
      if descriptor < 0 { descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
      if descriptor >= 0 { withUnsafeBytes(of: UInt8(0)) { _ = pwrite(descriptor, $0.baseAddress, 1, 0) } }
    }
  }

  /// Closes it, and deletes it when nobody else can be using the database.
  func remove() {
    closeDescriptor()
    unlink(path)
  }

  func closeDescriptor() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }
}
