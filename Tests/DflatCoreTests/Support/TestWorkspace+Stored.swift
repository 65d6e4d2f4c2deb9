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
