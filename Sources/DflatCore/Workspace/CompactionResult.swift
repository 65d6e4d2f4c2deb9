/// The result of ``SQLiteWorkspace/compact()``.
public struct CompactionResult: Sendable, Hashable {
  /// The size of the database file in bytes, before and after.
  public let bytesBefore, bytesAfter: Int64
}
