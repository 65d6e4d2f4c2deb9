/// One step of a run: a comparison, or a measurement without a baseline.
struct Plan {
  let id: String
  let run: (ScratchFolder, ComparisonRunner) throws -> [Row]

  static var all: [Plan] {
    Catalogue.comparisons.map { comparison in
      Plan(id: comparison.id) { scratch, runner in [try runner.run(comparison, in: scratch)] }
    } + [
      Plan(id: "compile-schema") { scratch, _ in [try SchemaWorkload.row(scratch)] },
      Plan(id: "memory-int") { scratch, _ in try MemoryWorkload.rows(scratch) },
      Plan(id: "observer") { scratch, _ in try ObserverWorkload.rows(scratch) },
    ]
  }
}
