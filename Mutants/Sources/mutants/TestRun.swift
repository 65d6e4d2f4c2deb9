import Foundation

/// Runs the tests against one mutation at a time.
struct TestRun {
  /// The test modules, in the order in which they are likely to notice a fault of a folder.
  static func modules(for file: String) -> [[String]] {
    let core = ["DflatCoreTests", "DflatSQLiteTests"]
    let entities = ["EntityTests", "GeneratedCodeTests"]
    let first =
      if file.hasPrefix("Sources/DflatKV") {
        [["DflatKVTests"], core, entities]
      } else if ["Entities", "Queries", "Observation"].contains(where: { file.hasPrefix("Sources/DflatCore/\($0)/") }) {
        [entities, core, ["DflatKVTests"]]
      } else {
        [core, ["DflatKVTests"], entities]
      }
    return first + [["ProcessTests", "KVToolTests", "DflatCombineTests"]]
  }

  enum Verdict: String, Codable {
    case failed, crashed, hung
    /// No test noticed it.
    case survived
  }

  let root: URL
  /// How long each set of modules takes without a fault.
  private var usual: [[String]: Duration] = [:]

  init(root: URL) { self.root = root }

  /// Runs everything without a fault: nothing may fail, and the times bound the later runs.
  mutating func calibrate() throws {
    for file in ["Sources/DflatKV", "Sources/DflatCore/Entities/", "Sources/DflatCore/Pipeline"] {
      for modules in Self.modules(for: file) where usual[modules] == nil {
        let clock = ContinuousClock()
        var outcome: (status: Int32?, output: String) = (nil, "")
        usual[modules] = try clock.measure {
          outcome = try Shell.output(command(modules, mutant: 0), within: .seconds(1_800))
        }
        guard outcome.status == 0 else {
          throw MutantTree.Failure(message: "The tests fail without a fault:\n\(outcome.output.suffix(4_000))")
        }
      }
    }
  }

  func verdict(on mutation: Mutation, number: Int) throws -> Verdict {
    for modules in Self.modules(for: mutation.file) {
      let limit = (usual[modules] ?? .seconds(60)) * 4 + .seconds(20)
      let (status, output) = try Shell.output(command(modules, mutant: number), within: limit)
      switch status {
      case nil: return .hung
      case 0?: continue
      default: return output.contains("with unexpected signal") || output.contains("Fatal error") ? .crashed : .failed
      }
    }
    return .survived
  }

  private func command(_ modules: [String], mutant: Int) -> String {
    let filter = modules.map { "^\($0)\\." }.joined(separator: "|")
    return "cd \"\(root.path)\" && DFLATKV_MUTANT=\(mutant) swift test --skip-build --filter \"\(filter)\" 2>&1"
  }
}
