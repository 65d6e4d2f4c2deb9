#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Folders of in-memory workspaces: in the system's memory where it offers that as a file system, else among its
/// temporary files.
enum TemporaryFolder {
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
        .cannotOpen, "No temporary folder can be made at '\(folder.path)'.", path: folder.path, underlying: error)
    }
    return folder.path
  }

  static func remove(_ path: String) {
    // What can't be deleted stays for the system to clean up.
    try? FileManager.default.removeItem(atPath: path)
  }
}
