import DflatKV
import TestSupport

extension TestWorkspace {
  /// Reads a key from the file with a new workspace.
  func stored(_ key: String) throws -> Int? {
    let newcomer = try TestWorkspace.open(path)
    defer { newcomer.shutdown() }
    return try newcomer.dictionary.value(forKey: key, as: Int.self)
  }
}

extension SQLiteWorkspace.Options {
  /// Keeps a group open as long as transactions wait to join it: everything that a test queues is one commit.
  mutating func commitLate() { groupPolicy.maximumAge = .seconds(3_600) }
}
