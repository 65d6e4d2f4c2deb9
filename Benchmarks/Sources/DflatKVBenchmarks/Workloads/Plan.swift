/// One step of a run: a comparison, or a measurement without a baseline.
struct Plan {
  let id: String
  let run: (ScratchFolder, ComparisonRunner) throws -> [Row]

  /// The beginnings of the ids of rows that take long: large files, slow baselines, processes.
  private static let long = [
    "insert-int-synced-many", "open-first-get", "insert-int-user-defaults", "update-one-key-user-defaults",
    "read-int-hot-user-defaults", "entity-update-each-grdb", "entity-fetch-each-grdb", "entity-fetch-ordered-million",
    "entity-observe", "entity-deliver", "entity-scale", "cold-user-defaults", "typecheck", "memory-int",
  ]

  /// True for a row that a quick run leaves out.
  var isLong: Bool { Self.long.contains { id.hasPrefix($0) } }

  static var all: [Plan] {
    Catalogue.comparisons.map { comparison in
      Plan(id: comparison.id) { scratch, runner in [try runner.run(comparison, in: scratch)] }
    }
      + FreshProcess.Work.allCases.map { work in
        Plan(id: work.rawValue) { scratch, runner in [try FreshProcess.row(work, scratch, rounds: runner.rounds)] }
      } + [
        Plan(id: "cold-user-defaults") { scratch, runner in [try ColdDefaults.row(scratch, rounds: runner.rounds)] },
        Plan(id: "kvtool-get") { scratch, runner in try ToolWorkload.rows(scratch, rounds: runner.rounds) },
        Plan(id: "typecheck") { scratch, runner in
          try TypeCheckWorkload.rows(scratch, rounds: runner.rounds)
        },
        Plan(id: "compile-schema") { scratch, _ in [try SchemaWorkload.row(scratch)] },
        Plan(id: "memory-int") { scratch, _ in try MemoryWorkload.rows(scratch) },
        Plan(id: "observer") { scratch, _ in try ObserverWorkload.rows(scratch) },
      ]
  }
}
