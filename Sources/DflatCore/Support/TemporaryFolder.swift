#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Folders that the library itself deletes.
enum TemporaryFolder {
  /// Creates a folder that only its owner can access, and returns its path.
  ///
  /// - Parameter inMemory: True for a folder in the system's memory, if a file system offers that. Otherwise it is
  ///   among the temporary files.
  static func make(inMemory: Bool) throws -> String {
    let memory = "/dev/shm"
    let isMemory = inMemory && FileManager.default.isWritableFile(atPath: memory)
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
