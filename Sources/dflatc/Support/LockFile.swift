import DflatSchema
import DflatSupport

/// Reads a lock as a file that may be anything.
enum LockFile {
  /// Returns the contents of a lock, or nil if there is none.
  ///
  /// - Throws: An error if the path leads to anything but a regular file of a lock's size, or if that can't be read. A
  ///   symbolic link may lead to one: build systems link their inputs.
  static func contents(of path: String) throws(SchemaErrors) -> [UInt8]? {
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      // A link that leads nowhere is a lock that was lost.
      if code == ENOENT, !isLink(path) { return nil }
      throw SchemaLock.unreadable(path, String(cString: strerror(code)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw SchemaLock.unreadable(path, "it is not a regular file")
    }
    return try contents(of: descriptor, at: path)
  }

  /// Reads the file, or enough of it to see that it is too large.
  private static func contents(of descriptor: Int32, at path: String) throws(SchemaErrors) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= SchemaLock.maximumSize {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SchemaLock.unreadable(path, String(cString: strerror(errno))) }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    return bytes
  }

  /// Checks that a new lock may take the place of the path.
  ///
  /// - Throws: An error for a symbolic link, which the new file would replace instead of the lock that it leads to.
  static func checkReplacing(_ path: String) throws(SchemaErrors) {
    guard isLink(path) else { return }
    throw SchemaErrors([
      Diagnostic(
        SourceLocation(file: path, line: 1, column: 1), "this lock can't be written: it is a symbolic link",
        advice: "accept the schema beside the file that it leads to, or remove the link")
    ])
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}
