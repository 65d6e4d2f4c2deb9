import Foundation
import TestSupport

@testable import DflatCore
@testable import DflatKV

/// Files that a workspace has read, and that somebody deletes then.
enum LostFile {
  /// The state of the path after the file is lost.
  enum Trace: CaseIterable, Sendable { case nothing, emptyFile }

  /// Returns a read-only workspace that has read the key "k" of its file, which is gone.
  static func reader(leaving trace: Trace = .nothing) throws -> TestWorkspace {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    let reading = try test.another {
      $0.isReadOnly = true
      $0.followsOtherProcesses = false
    }
    _ = try reading.dictionary.value(forKey: "k", as: Int.self)
    test.workspace.shutdown(flags: .truncate)
    try remove(test.path, of: reading.workspace)
    if trace == .emptyFile { _ = FileManager.default.createFile(atPath: test.path, contents: nil) }
    return reading
  }

  /// Returns a workspace that may write, but has only read the key "k" of its file, which is gone.
  static func writer(in directory: TemporaryDirectory) throws -> SQLiteWorkspace {
    let first = try TestWorkspace.open(directory.file())
    try first.transactAndWait { $0.dictionary["k"] = 1 }
    first.shutdown(flags: .truncate)
    var options = SQLiteWorkspace.Options.quiet
    options.followsOtherProcesses = false
    let workspace = SQLiteWorkspace(filePath: directory.file(), options: options)
    _ = try workspace.dictionary.value(forKey: "k", as: Int.self)
    try remove(directory.file(), of: workspace)
    return workspace
  }

  /// Deletes a file, and closes the workspace's connections, as others replace them in time.
  private static func remove(_ path: String, of workspace: SQLiteWorkspace) throws {
    try FileManager.default.removeItem(atPath: path)
    workspace.core.readers.dropIdle()
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }
}
