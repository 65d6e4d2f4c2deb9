import ArgumentParser
import Benchmark

struct WorkloadsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workloads",
    abstract: "Runs workloads and baselines by name under the benchmark library's own reporter, without pairing them.")

  @Option(help: "Only the rows whose id contains this text.")
  var only: String?

  @Option(help: "Measurements of each side.")
  var iterations = 10

  func run() throws {
    let scratch = try ScratchFolder()
    Defaults.redirect(to: scratch)
    for comparison in Catalogue.comparisons where only.map(comparison.id.contains) ?? true {
      let sides = try comparison.sides(scratch)
      defer { sides.tearDown() }
      let suite = BenchmarkSuite(name: comparison.id)
      suite.benchmark(comparison.title, function: sides.workload)
      suite.benchmark(comparison.baselineTitle, function: sides.baseline)
      var runner = BenchmarkRunner(
        suites: [suite], settings: [Iterations(iterations), WarmupIterations(1), TimeUnit(.us)])
      try runner.run()
    }
  }
}
