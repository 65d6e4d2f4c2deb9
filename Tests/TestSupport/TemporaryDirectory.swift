import Foundation

/// A folder of its own for one test, deleted with everything in it when the object goes.
///
/// Its path holds no symbolic links, so it compares equal to the paths that SQLite reports.
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

  /// A new folder at that absolute path, which stays.
  package init(keeping path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    isKept = true
  }

  deinit {
    if !isKept { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The path of a file in the folder, whether it exists or not.
  package func file(_ name: String = "test.db") -> String { path + "/" + name }
}
