import DflatSQLite
import DflatSupport

/// The database file. Opens and configures its connections, and explains failures to open it.
package final class DatabaseFile: Sendable {
  /// The path as given, for messages.
  package let path: String
  /// The absolute path without symbolic links. All names of a file lead to the same side file and log, and a change of
  /// the working directory has no effect.
  package let location: String
  /// True if the path was a symbolic link to a file that didn't exist. The location is that file's.
  private let isDanglingLink: Bool
  let options: FileOptions
  let side: SideFile
  package let format: FileFormat

  init(path: String, options: FileOptions, format: FileFormat) {
    self.path = path
    self.options = options
    self.format = format
    (location, isDanglingLink) = Self.resolution(of: path)
    self.side = SideFile(databasePath: location)
  }

  deinit { leave() }

  /// Held while a workspace of this process closes its last connections.
  private static let closing = Lock(())

  /// Runs `body`, which closes the workspace's last connections, and removes a log that nobody uses any more.
  ///
  /// SQLite removes the log when a connection closes that is the only one. Of two that close at the same time, each may
  /// find the other, and both leave the log behind. Opening and closing the file once more removes it, unless it is in
  /// use.
  ///
  ///     closing:   finds the other connection ─────────────────── unlocks the file, opens and closes it again
  ///     another:                               finds this one ─────── unlocks the file
  ///
  /// The workspaces of a process do this one after the other, so that the last one always removes the log.
  func closeConnections(_ body: () -> Void) {
    Self.closing.withLock { _ in
      body()
      // An immutable file may have no log, and one that can't be opened keeps it.
      guard access(location + "-shm", F_OK) == 0, ForkGuard.isOriginal,
        let last = try? Connection(path: location, mode: .readWrite, busyTimeout: .zero, vfs: options.vfs)
      else { return }
      // SQLite opens the log with the first read.
      _ = try? last.integer("PRAGMA schema_version")
      last.close()
    }
  }

  /// Releases the side file after the connections are closed.
  func leave() { side.closeDescriptor() }

  /// Returns the absolute path without symbolic links. What can't be resolved of it stays as it is.
  static func resolve(_ path: String) -> String { resolution(of: path).location }

  /// The number of symbolic links that are followed to a file that doesn't exist. The system follows 40, and fewer on
  /// some systems.
  private static let maximumLinks = 40

  private static func resolution(of path: String) -> (location: String, isDanglingLink: Bool) {
    // The system would resolve a part of this path.
    if path.utf8.contains(0) { return (path, false) }
    var current = path
    for linkCount in 0..<maximumLinks {
      if let found = realPath(current) { return (found, false) }
      // The file doesn't exist yet, but its folder does.
      let slash = current.utf8.lastIndex(of: UInt8(ascii: "/"))
      let folder = slash.map { $0 == current.startIndex ? "/" : String(current[..<$0]) } ?? "."
      guard let target = linkTarget(of: current) else {
        let name = slash.map { current[current.utf8.index(after: $0)...] } ?? current[...]
        guard !name.isEmpty, let found = realPath(folder) else { return (current, linkCount > 0) }
        return ("\(found == "/" ? "" : found)/\(name)", linkCount > 0)
      }
      current = target.utf8.first == UInt8(ascii: "/") ? target : folder + "/" + target
    }
    // A circle of links. The system refuses it.
    return (path, true)
  }

  /// Returns the path that a symbolic link contains, or nil if there is no link at `path`.
  private static func linkTarget(of path: String) -> String? {
    // Longer than any path.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { buffer in
      guard let start = buffer.baseAddress, case let count = readlink(path, start, buffer.count - 1), count > 0,
        count < buffer.count - 1
      else { return nil }
      start[count] = 0
      return String(validatingCString: start)
    }
  }

  private static func realPath(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    // A folder's name need not be UTF-8. Repaired, it would be the name of another folder.
    return String(validatingCString: found)
  }

  // MARK: Connections

  /// Opens the write connection. Creates the file, its tables and the write-ahead log if they are missing.
  func openWriter() throws -> Connection {
    if options.isReadOnly {
      throw WorkspaceError(
        .readOnly, "The workspace on '\(path)' was opened read-only; open it for writing to change it.", path: path)
    }
    return try explaining("Opening") {
      try createFileIfMissing()
      let connection = try connect(.readWrite)
      if connection.isReadOnly {
        // SQLite silently opens a file that it may not write as read-only.
        let reason = Self.refusal(of: location, W_OK).map { ": \($0)" } ?? ""
        throw WorkspaceError(.readOnly, "'\(path)' can't be written\(reason); check its permissions.", path: path)
      }
      if try FileFormat.inspect(connection, path: path) == .empty { try setUp(connection) }
      try useWriteAheadLog(connection)
      try connection.execute("PRAGMA synchronous = \(synchronous); PRAGMA journal_size_limit = 4194304")
      return connection
    }
  }

  /// Makes the log and its index writable for the file's owner if the file is, but they aren't.
  ///
  /// SQLite creates them with the file's mode. Those that a reader has left beside a file that was read-only then would
  /// keep it from being written for good: no writer could open them, and only a writer deletes them. The connections of a
  /// process share the index as the first of them has opened it, so this comes before a reader's, too.
  private func allowWritingLog() {
    var file = stat()
    guard stat(location, &file) == 0, file.st_mode & S_IWUSR != 0 else { return }
    for path in [location + "-wal", location + "-shm"] {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
        status.st_uid == file.st_uid, status.st_mode & S_IWUSR == 0
      else { continue }
      // Without following links. If this fails, so does the opening, with an error.
      _ = fchmodat(AT_FDCWD, path, file.st_mode & 0o777, AT_SYMLINK_NOFOLLOW)
    }
  }

  /// Opens a read connection. Returns nil while the file is missing or empty.
  func openReader() throws -> Connection? {
    try explaining("Opening") {
      guard try exists() else { return nil }
      let connection = try options.isReadOnly ? connectReadOnly() : connect(.readWrite)
      guard try FileFormat.inspect(connection, path: path) == .ours else { return nil }
      // Without the log, a reader's view would keep the writer from switching to it.
      if !options.isReadOnly, !connection.isReadOnly { try useWriteAheadLog(connection) }
      try connection.execute("PRAGMA query_only = 1")
      return connection
    }
  }

  /// Opens a connection for checkpoints and maintenance.
  func openAuxiliary() throws -> Connection {
    try explaining("Opening") {
      let connection = try connect(.readWrite)
      try connection.execute("PRAGMA synchronous = \(synchronous)")
      return connection
    }
  }

  /// Opens a copy of a file of this format that nobody else uses.
  func openCopy(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, mode: .immutable, busyTimeout: .zero)
    checkTables(of: connection)
    return connection
  }

  /// Makes a connection check tables before it uses them.
  private func checkTables(of connection: Connection) {
    connection.checkTables { [format] in
      try format.requireTable($1, on: $0)
    } all: { [format] in
      try format.requireSoundFile($0)
    }
  }

  private var synchronous: String { options.isFullySynchronous ? "FULL" : "NORMAL" }

  /// Opens a connection that checks tables before it uses them.
  private func connect(_ mode: Connection.Mode) throws -> Connection {
    if !ForkGuard.isOriginal { throw WorkspaceError.forked(path) }
    if case .readWrite = mode { allowWritingLog() }
    return try retryingWhileBusy {
      let connection = try Connection(path: location, mode: mode, busyTimeout: options.busyTimeout, vfs: options.vfs)
      checkTables(of: connection)
      // Reads the header and the schema, to detect damage and files that aren't databases now.
      _ = try connection.integer("PRAGMA schema_version")
      connection.fileIdentity = FileIdentity.of(location)
      return connection
    }
  }

  /// Opens a connection for a read-only workspace.
  ///
  /// Even a read-only workspace uses the `-wal` and `-shm` files next to the database, and creates them if they are
  /// missing. The last connection of any process to close the file deletes them, but only if it may write. So every
  /// connection opens the file for writing if possible, and only runs queries. Otherwise the connection reads the
  /// existing files. If there is no log in a folder that can't be written, nobody writes, and the file can be read as
  /// it is, until somebody does: readers look before they use the connection (`Reader.renew(in:)`).
  private func connectReadOnly() throws -> Connection {
    do { return try connect(.readWrite) } catch let error as SQLiteError where error.isCannotOpen || error.isReadOnly {
      let file = ImmutableFile(location)
      if access(location + "-wal", F_OK) == 0 { return try connect(.readOnly) }
      let connection = try connect(.immutable)
      connection.immutableFile = file
      return connection
    }
  }

  /// Sets up a new file: the write-ahead log and the tables.
  private func setUp(_ connection: Connection) throws {
    try useWriteAheadLog(connection)
    try retryingWhileBusy { try format.create(on: connection, path: path) }
  }

  /// Switches the file to the write-ahead log.
  private func useWriteAheadLog(_ connection: Connection) throws {
    if try connection.text("PRAGMA journal_mode") == "wal" { return }
    // Switching deletes the rollback journal. With EXTRA it also syncs the folder, so that a crash doesn't restore the
    // journal.
    try connection.execute("PRAGMA synchronous = EXTRA")
    try retryingWhileBusy {
      let mode = try connection.text("PRAGMA journal_mode = WAL")
      guard mode == "wal" else {
        throw WorkspaceError(
          .cannotOpen, "'\(path)' can't use a write-ahead log on this file system; choose another location.", path: path
        )
      }
    }
  }

  // MARK: The file itself

  /// Throws for a path that leads to another file: the system's strings end at U+0000.
  static func requireWhole(_ path: String) throws {
    guard path.utf8.contains(0) else { return }
    throw WorkspaceError(
      .cannotOpen, "'\(path)' contains the character U+0000, which no path can; choose another one.", path: path)
  }

  /// Returns true if the file exists. Throws if it isn't a regular file: even to open a pipe or a device has effects.
  func exists() throws -> Bool {
    try Self.requireWhole(path)
    var status = stat()
    guard stat(location, &status) == 0 else {
      if errno == ENOENT { return false }
      throw cannotOpen("'\(path)' can't be reached: \(String(cString: strerror(errno))).")
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw WorkspaceError(.isDirectory, "'\(path)' is a folder; give the path of a file in it.", path: path)
    }
    if status.st_mode & S_IFMT != S_IFREG {
      throw WorkspaceError(
        .notADatabase, "'\(path)' is a pipe, a socket or a device; give the path of a regular file.", path: path)
    }
    return true
  }

  /// Creates the file if it is missing and the options allow it.
  private func createFileIfMissing() throws {
    if try exists() { return }
    guard options.createsFile else {
      throw WorkspaceError(
        .noSuchFile, "There is no file at '\(path)', and the options don't allow creating one.", path: path)
    }
    // Don't follow a link, to create a file that somebody else has named.
    let result = isDanglingLink ? EEXIST : Self.createNew(location)
    if result == EEXIST, try !exists() {
      throw cannotOpen(
        "'\(path)' is a link to a file that doesn't exist; create the file, or remove the link and open it again.")
    }
    if result == 0 {
      FileProtection.apply(class: options.protectionClass, to: location)
    } else if result != EEXIST {
      throw cannotOpen(
        "'\(path)' can't be created: \(String(cString: strerror(result))); check that its folder exists and is writable."
      )
    }
  }

  /// Creates an empty file that only its owner can access. Returns 0 or the error number, which is EEXIST for a
  /// symbolic link, too, because this doesn't follow links.
  static func createNew(_ path: String) -> Int32 {
    // O_EXCL makes sure that the file is new: nobody can have locks on it yet, which `close` would drop.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    close(descriptor)
    return 0
  }

  private func cannotOpen(_ message: String) -> WorkspaceError { WorkspaceError(.cannotOpen, message, path: path) }

  // MARK: Errors

  /// Runs `body` again while it fails with SQLITE_BUSY, within the busy timeout. SQLite returns this error without
  /// waiting while another process recovers the log, closes the file last, or switches to the log.
  func retryingWhileBusy<T>(_ body: () throws -> T) throws -> T {
    let deadline = ContinuousClock.now + options.busyTimeout
    while true {
      do { return try body() } catch let error as SQLiteError where error.isBusy {
        guard ContinuousClock.now < deadline else { throw error }
        usleep(1_000)
      }
    }
  }

  /// Runs `body`, which opens a connection, and converts SQLite's errors.
  private func explaining<T>(_ what: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError {
      // The first statements are the same for every file. If SQLite rejects one, the schema is damaged, or the header
      // has an unknown format.
      if error.isStatementError {
        throw WorkspaceError(
          .corrupt, "\(what) '\(path)': SQLite can't read its header or schema; restore a backup.", path: path,
          sqlite: error)
      }
      // SQLite doesn't pass on why the system refuses a file.
      for suffix in ["", "-wal"] where error.isCannotOpen && access(location + suffix, F_OK) == 0 {
        guard let reason = Self.refusal(of: location + suffix, R_OK) else { continue }
        let message = "'\(path)\(suffix)' can't be read: \(reason); check its permissions."
        throw WorkspaceError(.cannotOpen, message, path: path, sqlite: error)
      }
      throw WorkspaceError(error, path: path, doing: what)
    }
  }

  /// Returns the system's reason why this process may not access a file in a way, such as `R_OK`; nil if it may.
  private static func refusal(of path: String, _ mode: Int32) -> String? {
    access(path, mode) == 0 ? nil : String(cString: strerror(errno))
  }
}
