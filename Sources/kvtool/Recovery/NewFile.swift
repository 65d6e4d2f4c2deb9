import DflatCore
import DflatKV
import DflatSupport

/// Creates databases that have their names only once they are complete. A command that ends early leaves nothing that
/// looks like its result, or that is in the way of the next one.
enum NewFile {
  /// SQLite's files beside a database, and this library's.
  private static let suffixes = ["", "-wal", "-shm", "-journal", "-dflat"]

  /// Creates a file with `body`, which writes it at the path that it gets. Leaves nothing if that fails, or if SIGINT or
  /// SIGTERM ends the process.
  ///
  /// - Throws: ``ToolError`` if there is a file at `path` already, or the new one can't get this name; the errors of
  ///   `body`, which name `path`.
  static func create<Result>(_ path: String, by body: (_ temporaryPath: String) throws -> Result) throws -> Result {
    try requireNone(path)
    // A program that still has a deleted file of this name open uses the log beside it, which would be the new file's,
    // too. Without a name, the log is that program's alone. One that is created from now on is a new file's.
    let leftFiles = ["-wal", "-journal", "-shm"].compactMap { LeftFile(path + $0) }
    let temporaryPath = temporaryPath(for: path)
    // Never released after a signal: `body` fails if its file is gone, but the signal is to end the process.
    let removal = Lock(())
    let signals = SignalWatch(sparesIgnored: true) { number in
      removal.withLock { _ in
        remove(temporaryPath)
        SignalWatch.endProcess(by: number)
      }
    }
    defer {
      removal.withLock { _ in remove(temporaryPath) }
      withExtendedLifetime(signals) {}
    }
    do {
      let result = try body(temporaryPath)
      try publish(temporaryPath, as: path, removing: leftFiles)
      // The content is safe. A loss of power must not take the name away once the command has ended.
      try DatabaseFile.syncFolder(of: path)
      return result
    } catch let error as WorkspaceError {
      let error = ToolError(error)
      throw ToolError(error.status, error.message.replacing(temporaryPath, with: path))
    }
  }

  /// Returns a name in the file's folder. It is short, because the file's own name may be as long as names can be, and
  /// another one each time: what a killed process has left is in nobody's way.
  private static func temporaryPath(for path: String) -> String {
    // Look for the byte: "/" and a combining character after it are one `Character`.
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.prefix(through: $0) }
    let name = ".kvtool-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    return (folder.map { String(decoding: $0, as: UTF8.self) } ?? "") + name
  }

  /// Throws if there is a file, or one that SQLite would take for the new one's log or journal.
  private static func requireNone(_ path: String) throws {
    for suffix in ["", "-wal", "-journal"] {
      var status = stat()
      // An empty log has nothing to add to a new file.
      guard lstat(path + suffix, &status) == 0, suffix.isEmpty || status.st_size > 0 else { continue }
      throw existsAlready(path + suffix)
    }
  }

  private static func existsAlready(_ path: String) -> ToolError {
    ToolError(.otherError, "\(path) exists already: name a new file")
  }

  /// A file beside the path of the new one.
  private struct LeftFile {
    let path: String
    let number: ino_t
    let size: off_t

    /// Returns nil if there is none.
    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      (self.path, number, size) = (path, status.st_ino, status.st_size)
    }

    var isUnchanged: Bool {
      let now = LeftFile(path)
      return now?.number == number && now?.size == size
    }
  }

  private static func publish(_ temporaryPath: String, as path: String, removing leftFiles: [LeftFile]) throws {
    try requireNone(path)
    for file in leftFiles where file.isUnchanged { unlink(file.path) }
    // Unlike a renamed file, a link replaces no file that another process has created meanwhile.
    let linked = link(temporaryPath, path)
    if linked == 0 { return }
    if errno == EEXIST { throw existsAlready(path) }
    // Some file systems have no links.
    let renamed = rename(temporaryPath, path)
    guard renamed == 0 else {
      throw ToolError(.otherError, "cannot create \(path): \(systemMessage())")
    }
  }

  private static func remove(_ path: String) {
    for suffix in suffixes { unlink(path + suffix) }
  }
}
