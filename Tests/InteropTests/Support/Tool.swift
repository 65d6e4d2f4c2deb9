import Foundation
import TestSupport

/// The other FlatBuffers implementations that this suite compares with.
enum Tool {
  /// The checkout: the schemas are read from it, and `make deps-test` installs the Python package into it.
  static let checkout = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let schemas = checkout.appendingPathComponent("Tests/InteropTests/Schemas").path
  static let goldenSchemas = checkout.appendingPathComponent("Tests/GoldenModels/Schemas").path
  static let samples = checkout.appendingPathComponent("Tests/InteropTests/Samples").path

  /// An error for an implementation that is not installed. The tests fail then, and are not skipped.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  struct Outcome {
    let status: Int32
    /// Standard output and standard error, one after the other.
    let text: String
  }

  /// Runs Debian's flatc.
  static func flatc(_ arguments: [String]) async throws -> Outcome {
    try await run("flatc", arguments, environment: [:])
  }

  /// Runs a script of this suite with PyPI's flatbuffers package.
  static func python(_ script: String, _ arguments: [String]) async throws -> Outcome {
    let package = checkout.appendingPathComponent(".build-python").path
    guard FileManager.default.fileExists(atPath: package + "/flatbuffers") else {
      throw Missing(description: "PyPI's flatbuffers package is not installed: run `make deps-test`")
    }
    let scripts = try Bundle.module.url(forResource: "Scripts", withExtension: nil).orThrow(
      Missing(description: "the test bundle has no Scripts"))
    return try await run(
      "python3", ["-B", scripts.appendingPathComponent(script).path] + arguments, environment: ["PYTHONPATH": package])
  }

  private static func run(_ name: String, _ arguments: [String], environment: [String: String]) async throws -> Outcome
  {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let candidates = folders.split(separator: ":").map { "\($0)/\(name)" }
    guard let path = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw Missing(description: "there is no \(name) on PATH: run `make deps-test`")
    }
    // Files instead of pipes: the program never blocks on a full pipe.
    let folder = try TemporaryDirectory("interop-output")
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
    let text = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Outcome(status: process.terminationStatus, text: text.joined())
  }
}

extension Optional {
  func orThrow(_ error: some Error) throws -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
