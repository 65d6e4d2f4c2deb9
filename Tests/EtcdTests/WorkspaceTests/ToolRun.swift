import Foundation

/// A run of kvtool that has ended.
struct ToolRun {
  let status: Int32
  let output: String
  let error: String

  /// Runs the tool, and waits for its end.
  ///
  /// - Parameters:
  ///   - environment: Variables in addition to `HOME` and `PATH`.
  ///   - folder: Is the home, and keeps the output.
  init(_ arguments: [String], environment: [String: String] = [:], in folder: URL) throws {
    let (output, error) = (folder.appending(path: "out-\(UUID())"), folder.appending(path: "err-\(UUID())"))
    for file in [output, error] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = BuiltTool.url(named: "kvtool")
    process.arguments = arguments
    process.environment = ["HOME": folder.path(), "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: error)
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    self.output = try String(contentsOf: output, encoding: .utf8)
    self.error = try String(contentsOf: error, encoding: .utf8)
  }
}
