import DflatSupport

extension DatabaseFile {
  /// Makes the names in the folder of a file survive a loss of power: those that files have got, and those that are gone.
  ///
  /// Does nothing if the process may not open the folder, or if its file system can't sync one, as SQLite does.
  ///
  /// - Throws: ``WorkspaceError`` with code `.inputOutput` if the system fails to write.
  package static func syncFolder(of path: String) throws {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    while fsync(descriptor) != 0 {
      let number = errno
      if number == EINTR { continue }
      guard [EIO, ENOSPC, EDQUOT].contains(number) else { return }
      throw WorkspaceError(
        .inputOutput, "The folder of '\(path)' can't be written: \(String(cString: strerror(number))); check the disk.",
        path: path)
    }
  }
}
