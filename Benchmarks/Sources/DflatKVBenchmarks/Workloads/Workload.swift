import Benchmark
import DflatKV
import Foundation

/// Building blocks that the workloads share.
enum Workload {
  /// Opens a workspace, runs the body, and shuts the workspace down.
  static func withWorkspace(_ path: String, _ body: (SQLiteWorkspace) throws -> Void) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    try body(workspace)
  }

  /// Runs the body on a workspace with a new file, and removes the file.
  static func withNewWorkspace(_ scratch: ScratchFolder, _ body: (SQLiteWorkspace) throws -> Void) throws {
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    try withWorkspace(path, body)
  }

  static func withNewRawDatabase(_ scratch: ScratchFolder, _ body: (RawDatabase) throws -> Void) throws {
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    try body(RawDatabase(path: path))
  }

  /// Sets each key to its number, in 100 tasks of 400 keys each.
  static func setAll(_ keys: [String], in dictionary: WorkspaceDictionary) {
    ConcurrentTasks.run { range in
      for index in range { dictionary[keys[index], Int.self] = index }
    }
  }

  /// Writes 40,000 integers through the dictionary, for workloads that read them.
  static func filledFile(_ scratch: ScratchFolder, keys: [String]) throws -> String {
    let path = try scratch.newDatabasePath()
    try withWorkspace(path) { workspace in
      setAll(keys, in: workspace.dictionary)
      try workspace.dictionary.synchronize()
    }
    return path
  }

  static func filledRawFile(_ scratch: ScratchFolder, keys: [String]) throws -> String {
    let path = try scratch.newDatabasePath()
    let raw = try RawDatabase(path: path)
    try raw.write {
      for (index, key) in keys.enumerated() { try raw.insert(key, index) }
    }
    return path
  }

  /// Returns the most common baseline: a new file, and 40,000 rows in one transaction.
  static func rawInOneTransaction(_ scratch: ScratchFolder, keys: [String]) -> Comparison.Work {
    { state in
      try withNewRawDatabase(scratch) { raw in
        state.start()
        try raw.write {
          for (index, key) in keys.enumerated() { try raw.insert(key, index) }
        }
        try state.end()
      }
    }
  }
}
