import ArgumentParser
import Benchmark

struct WorkloadsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workloads",
    abstract: "Runs workloads and baselines by name under the benchmark library's own reporter, without pairing them.")

  @Option(help: "Only the row with this id, or the rows whose id contains it.")
  var only: String?

  @Option(help: "Only this side of each row, for a profiler: workload or baseline.")
  var side: Side?

  @Option(help: "Measurements of each side.")
  var iterations = 10

  enum Side: String, ExpressibleByArgument {
    case workload, baseline
  }

  func run() throws {
    let scratch = try ScratchFolder()
    for comparison in Selection.matching(only, in: Catalogue.comparisons, id: \.id) {
      let sides = try comparison.sides(scratch)
      defer { sides.tearDown() }
      let suite = BenchmarkSuite(name: comparison.id)
      if side != .baseline { suite.benchmark(comparison.title, function: sides.workload) }
      if side != .workload { suite.benchmark(comparison.baselineTitle, function: sides.baseline) }
      var runner = BenchmarkRunner(
        suites: [suite], settings: [Iterations(iterations), WarmupIterations(1), TimeUnit(.us)])
      try runner.run()
    }
  }
}
