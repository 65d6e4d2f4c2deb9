/// The options for opening a database file.
struct FileOptions: Sendable {
  /// Opens the file for reading, and doesn't create it.
  var isReadOnly: Bool
  /// Creates a missing file.
  var createsFile: Bool
  /// The time to wait for another process's lock.
  var busyTimeout: Duration
  /// True if each commit waits for the disk, so that it survives a power loss.
  var isFullySynchronous: Bool
  /// The data protection class of a new file, as the system's number.
  var protectionClass: Int32
  /// The name of the SQLite VFS; nil for the default.
  var vfs: String?
}
