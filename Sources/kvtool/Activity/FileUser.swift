import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A process that has a file open.
struct FileUser: Equatable {
  let process: Int
  /// The program's name; empty if it isn't known.
  let name: String
  /// True while it holds the file's write lock.
  let isWriting: Bool
  /// True while a read view is open.
  let isReading: Bool

  /// The locked bytes of the file `-shm` (https://sqlite.org/walformat.html, "WAL Locks"), and the one that each
  /// connection locks as long as it is open (`UNIX_SHM_DMS` in SQLite's os_unix.c).
  private static let writeLock = 120
  private static let readLocks = 123...127
  private static let openLock = 128
  /// The number of looks at the system's list.
  private static let looks = 3

  /// Returns the processes that have the database at a path open, but for this one, sorted by their numbers. Nil if the
  /// system doesn't tell: only Linux lists its locks.
  static func all(ofFile path: String) -> [FileUser]? {
    guard access("/proc/locks", R_OK) == 0 else { return nil }
    var status = stat()
    // Without the file, no process has a connection.
    guard let resolved = realpath(path, nil) else { return [] }
    defer { free(resolved) }
    guard stat(String(cString: resolved) + "-shm", &status) == 0 else { return [] }
    // The system writes the list page by page: if locks end meanwhile, it skips others. So nobody is found only if several
    // looks find nobody.
    var users: [FileUser] = []
    for _ in 0..<looks where users.isEmpty {
      guard let bytes = try? InputFile.read("/proc/locks", for: "locks") else { return nil }
      users = all(locks: String(decoding: bytes, as: UTF8.self), inode: UInt64(status.st_ino))
        .filter { $0.process != Int(getpid()) }
    }
    return users
  }

  /// Parses lines such as `1: POSIX  ADVISORY  READ 4021 fe:00:1835 128 128` (proc_locks(5)). Only the inode, 1835, is
  /// compared: some file systems have another device there than `stat` returns.
  static func all(locks: String, inode: UInt64) -> [FileUser] {
    struct Locks {
      var isOpen = false
      var isWriting = false
      var isReading = false
    }
    var users: [Int: Locks] = [:]
    for line in locks.split(separator: "\n") {
      let fields = line.split(separator: " ")
      // A process that waits for a lock has an arrow behind the number.
      guard fields.count == 8, fields[1] == "POSIX", let process = Int(fields[4]), process > 0,
        fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode, let start = Int(fields[6]),
        let end = fields[7] == "EOF" ? Int.max : Int(fields[7]), start <= end
      else { continue }
      let range = start...end
      let isWrite = fields[3] == "WRITE"
      if range.contains(openLock) { users[process, default: Locks()].isOpen = true }
      if isWrite, range.contains(writeLock) { users[process, default: Locks()].isWriting = true }
      if !isWrite, range.overlaps(readLocks) { users[process, default: Locks()].isReading = true }
    }
    return users.filter(\.value.isOpen).map { process, locks in
      FileUser(process: process, name: name(of: process), isWriting: locks.isWriting, isReading: locks.isReading)
    }.sorted { $0.process < $1.process }
  }

  private static func name(of process: Int) -> String {
    guard let bytes = try? InputFile.read("/proc/\(process)/comm", for: "a name") else { return "" }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
