import Foundation

/// A new folder for one test, which is deleted with its contents when the object is destroyed.
///
/// Its path contains no symbolic links, so it compares equal to the paths that SQLite reports.
package final class TemporaryDirectory: Sendable {
  /// The absolute path, without a slash at the end.
  package let path: String
  private let isKept: Bool

  package init(_ name: String = "dflatkv") throws {
    let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let url = base.appendingPathComponent("\(name)-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = url.path
    isKept = false
  }

  /// Creates a folder at that absolute path, which is not deleted.
  package init(keeping path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    isKept = true
  }

  deinit {
    if !isKept { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Returns the path of a file in the folder. The file need not exist.
  package func file(_ name: String = "test.db") -> String { path + "/" + name }
}
