import Foundation

/// This program once more, for what needs a process of its own.
enum ChildProcess {
  /// Runs a subcommand to its end and returns what it printed.
  static func run(_ arguments: [String]) throws -> Data {
    let process = Process()
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkFailure("\(arguments.joined(separator: " ")) ended with status \(process.terminationStatus)")
    }
    return printed
  }
}
