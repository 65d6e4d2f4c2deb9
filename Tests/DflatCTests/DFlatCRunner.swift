import Foundation
import TestSupport

/// Runs dflatc as a process in a temporary folder of schemas.
struct DFlatCRunner {
  struct Outcome {
    let status: Int32
    let output: String
    let error: String
  }

  private let directory: TemporaryDirectory
  private let executable: URL

  /// Creates a folder with the schemas, given as texts by their paths in the folder.
  init(_ files: [String: String] = [:]) throws {
    directory = try TemporaryDirectory("dflatc")
    executable = try BuiltExecutable.url(named: "dflatc")
    for (name, text) in files { try write(text, to: name) }
  }

  /// Returns the absolute path of a file in the folder.
  func path(_ name: String) -> String { directory.file(name) }

  func write(_ text: String, to name: String) throws {
    let url = URL(fileURLWithPath: path(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// Returns the paths of all files in the folder.
  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory.path).filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }

  /// Returns a file's number and modification time, which show whether the file was written again.
  func identity(_ name: String) throws -> [String] {
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return ["\(attributes[.systemFileNumber]!)", "\((attributes[.modificationDate] as? Date)!.timeIntervalSince1970)"]
  }

  /// Runs dflatc with the folder as its working directory.
  func callAsFunction(_ arguments: String...) throws -> Outcome { try self(arguments) }

  func callAsFunction(_ arguments: [String]) throws -> Outcome { try run(executable, arguments) }

  /// Runs a script, in which `$0` is dflatc, with the folder as its working directory.
  func shell(_ script: String) throws -> Outcome {
    try run(URL(fileURLWithPath: "/bin/sh"), ["-c", script, executable.path])
  }

  private func run(_ executable: URL, _ arguments: [String]) throws -> Outcome {
    let process = Process()
    let (output, error) = (path(".output"), path(".error"))
    for file in [output, error] { try Data().write(to: URL(fileURLWithPath: file)) }
    defer { for file in [output, error] { try? FileManager.default.removeItem(atPath: file) } }
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
    process.standardInput = FileHandle.nullDevice
    // Files instead of pipes: a process that writes much to both never blocks.
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: error))
    try ProgramStart.alone { try process.run() }
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
      error: try String(contentsOfFile: error, encoding: .utf8))
  }
}
