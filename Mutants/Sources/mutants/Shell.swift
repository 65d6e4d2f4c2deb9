import Foundation

/// Runs commands of a shell.
enum Shell {
  struct Failure: Error { let command, output: String }

  /// Prints a line at once, also into a file.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  static func run(_ command: String) throws {
    let (status, output) = try output(command)
    if status != 0 { throw Failure(command: command, output: output) }
  }

  /// The exit status and what the command printed. Past the time limit the command and its children are killed, and the
  /// status is nil.
  static func output(_ command: String, within limit: Duration) throws -> (status: Int32?, output: String) {
    let (status, output) = try Self.output(
      "timeout --kill-after=5 \(max(1, limit.components.seconds)) bash -c '\(command.replacing("'", with: "'\\''"))'")
    return (status == 124 || status == 137 ? nil : status, output)
  }

  static func output(_ command: String) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", command]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
