import Foundation

/// A database in a folder of its own, which is removed with the last reference.
final class TestFile: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("integration-\(UUID().uuidString)")

  init() { try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  var path: String { folder.appendingPathComponent("test.db").path }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
