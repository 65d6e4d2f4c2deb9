import Foundation

/// Another process, for measurements that need a separate one.
enum ChildProcess {
  /// Runs a subcommand of this program, or another program; blocks until it ends, and returns its output.
  static func run(_ arguments: [String], of program: URL? = Bundle.main.executableURL) throws -> Data {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
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
