import Foundation

/// Runs shell commands.
enum Shell {
  /// Prints a line without buffering, even if the output is a file.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  /// Runs a command, blocks until it ends, and returns its exit status and output.
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

struct Failure: Error, CustomStringConvertible {
  let description: String
}
