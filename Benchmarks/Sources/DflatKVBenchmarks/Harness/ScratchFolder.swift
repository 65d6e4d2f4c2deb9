import Foundation

/// The folder for the files of one run, removed when the last reference to this object is released.
final class ScratchFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("dflatkv-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Returns a path in a new folder, so that the side files of two databases never collide.
  func newDatabasePath() throws -> String {
    let folder = url.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("benchmark.db").path
  }

  /// Removes a database at a path from `newDatabasePath()`, including its side files.
  func removeDatabase(at path: String) {
    try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
  }
}
