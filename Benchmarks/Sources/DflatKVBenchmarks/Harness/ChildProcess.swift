import Foundation

/// Another process of this program, for measurements that need a separate process.
enum ChildProcess {
  /// Runs a subcommand, blocks until it ends, and returns its output.
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
