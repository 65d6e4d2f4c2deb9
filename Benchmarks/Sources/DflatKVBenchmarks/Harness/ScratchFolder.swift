import Foundation

/// A folder for one run's files, removed with the last reference to it.
final class ScratchFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("dflatkv-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// A path in a new folder of its own, so that a side file of one database never meets another's.
  func newDatabasePath() throws -> String {
    let folder = url.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("benchmark.db").path
  }

  /// Removes a database made at a `newDatabasePath()`, with its side files.
  func removeDatabase(at path: String) {
    try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
  }
}
