import Foundation

/// Runs programs that tests compare with: those on `PATH`, and Python with the packages that `make deps-test` installs.
package enum InstalledProgram {
  /// An error for a program or a package that is not installed. The tests fail then, and are not skipped.
  package struct Missing: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  package struct Outcome: Sendable {
    package let status: Int32
    package let output: Data
    package let error: Data
  }

  /// The checkout, which has the tests' files and the folder of Python's packages.
  package static let checkout = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of Python's packages.
  package static let packages = checkout.appendingPathComponent(".build-python").path

  /// Runs a Python script that imports a package.
  package static func python(
    _ script: URL, _ arguments: [String] = [], importing package: String
  ) async throws -> Outcome {
    guard FileManager.default.fileExists(atPath: "\(packages)/\(package)") else {
      throw Missing(description: "PyPI's package \(package) is not installed: run `make deps-test`")
    }
    return try await run(
      "python3", ["-B", "-W", "ignore", script.path] + arguments, environment: ["PYTHONPATH": packages])
  }

  /// Runs a program and waits for its end, without blocking a thread.
  package static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Outcome {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let candidates = folders.split(separator: ":").map { "\($0)/\(name)" }
    guard let path = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw Missing(description: "there is no \(name) on PATH: run `make deps-test`")
    }
    // Files instead of pipes: the program never blocks on a full pipe.
    let folder = try TemporaryDirectory("program-output")
    let files = ["output", "error"].map { URL(fileURLWithPath: folder.file($0)) }
    try files.forEach { try Data().write(to: $0) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do {
        try ProgramStart.alone { try process.run() }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    return Outcome(
      status: process.terminationStatus, output: try Data(contentsOf: files[0]), error: try Data(contentsOf: files[1]))
  }
}
