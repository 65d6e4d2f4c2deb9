import Foundation
import TestSupport

/// The other FlatBuffers implementations that this suite compares with.
enum Tool {
  static let schemas = InstalledProgram.checkout.appendingPathComponent("Tests/InteropTests/Schemas").path
  static let webSchemas = InstalledProgram.checkout.appendingPathComponent("Tests/EtcdTests/WebTests/Models").path
  static let goldenSchemas = InstalledProgram.checkout.appendingPathComponent("Tests/GoldenModels/Schemas").path
  static let samples = InstalledProgram.checkout.appendingPathComponent("Tests/InteropTests/Samples").path

  struct Outcome {
    let status: Int32
    /// Standard output and standard error, one after the other.
    let text: String

    init(_ outcome: InstalledProgram.Outcome) {
      status = outcome.status
      text = [outcome.output, outcome.error].map { String(decoding: $0, as: UTF8.self) }.joined()
    }
  }

  /// Runs Debian's flatc.
  static func flatc(_ arguments: [String]) async throws -> Outcome {
    Outcome(try await InstalledProgram.run("flatc", arguments))
  }

  /// Runs a script of this suite with PyPI's flatbuffers package.
  static func python(_ script: String, _ arguments: [String]) async throws -> Outcome {
    let scripts = try Bundle.module.url(forResource: "Scripts", withExtension: nil).orThrow(
      InstalledProgram.Missing(description: "the test bundle has no Scripts"))
    return Outcome(
      try await InstalledProgram.python(
        scripts.appendingPathComponent(script), arguments, importing: "flatbuffers"))
  }
}

extension Optional {
  func orThrow(_ error: some Error) throws -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
