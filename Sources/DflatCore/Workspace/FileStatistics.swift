/// Sizes and numbers of a workspace's file, and the SQLite library that reads it.
public struct FileStatistics: Sendable, Hashable {
  /// The sizes of the database file and of its write-ahead log, in bytes.
  public let fileBytes, walBytes: Int64
  /// The number of the newest commit.
  public let commitNumber: UInt64
  /// The version of the file's format.
  public let formatVersion: Int
  /// The page size in bytes, the number of pages in the file, and the number of free pages.
  public let pageSize, pageCount, freePages: Int
  /// The version of the SQLite library that this process uses, for example `3.46.1`.
  public let sqliteVersion: String
  /// True if that version of SQLite can lose commits when another program checkpoints the file while a third one writes
  /// to it (fixed in 3.44.6, 3.50.7 and 3.51.3).
  ///
  /// The checkpoints of this library exclude all writers, so its processes alone lose nothing. Don't let other programs
  /// write to the file then.
  public let sqliteHasCheckpointBug: Bool
}
