#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Folders for in-memory workspaces: in the system's memory if a file system offers that, or else among the temporary
/// files.
enum TemporaryFolder {
  /// Creates a folder that only its owner can access, and returns its path.
  static func make() throws -> String {
    let memory = "/dev/shm"
    let isMemory = FileManager.default.isWritableFile(atPath: memory)
    let base = isMemory ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
    let folder = base.appendingPathComponent("dflatkv-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw WorkspaceError(
        .cannotOpen, "No temporary folder can be created at '\(folder.path)'.", path: folder.path, underlying: error)
    }
    return folder.path
  }

  /// Deletes a folder and its content.
  static func remove(_ path: String) {
    // The system cleans up anything that can't be deleted.
    try? FileManager.default.removeItem(atPath: path)
  }
}
