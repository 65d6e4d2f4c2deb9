import DflatSupport

/// The state of a file that nobody was writing to: an immutable connection neither locks it nor sees changes.
package struct ImmutableFile: Sendable {
  private struct State: Equatable {
    var device: UInt64
    var number: UInt64
    var size: Int64
    var modified: [Int]

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
      size = Int64(status.st_size)
      #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
      #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
      #endif
      self.modified = [modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec]
    }
  }

  private let path: String
  private let state: State?

  /// Remembers the state of a file, before it is opened.
  package init(_ path: String) {
    self.path = path
    state = State(path)
  }

  /// True if the file has been written since. What the connection reads now may be of several commits.
  package var hasChanged: Bool { State(path) != state }

  /// True if the file has been written, or may have commits in a write-ahead log.
  package var isOutdated: Bool { access(path + "-wal", F_OK) == 0 || hasChanged }
}

extension Connection {
  /// True if the file of this connection, which sees no changes, has been written since it was opened.
  package var hasChangedFile: Bool { immutableFile?.hasChanged == true }
}
