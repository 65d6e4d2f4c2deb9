import Benchmark

/// A workload and its baseline, measured alternately in one run.
struct Comparison: Sendable {
  /// One side's work: sets up, calls `start()`, works, calls `end()`, tidies up.
  typealias Work = (inout BenchmarkState) throws -> Void

  /// Both sides, made for one run of the comparison; they may share files.
  struct Sides {
    var workload: Work
    var baseline: Work
    var tearDown: () -> Void = {}
  }

  let id: String
  let title: String
  let baselineTitle: String
  /// The ratio that the workload should stay under; nil where the row only informs.
  var limit: Double?
  /// Pairs of measurements, beside the first pair, which only warms up.
  var rounds = 11
  /// Measurements on each side of a pair; more than one where each is short.
  var iterations = 1
  /// What one measurement of the baseline stands for, where the baseline does fewer operations.
  var baselineScale = 1.0
  var note: String?
  let sides: @Sendable (ScratchFolder) throws -> Sides
}

/// Measures comparisons: workload, baseline, workload, baseline, …; each pair gives one ratio, and the median ratio counts.
/// Machines are shared: what slows one side of a pair down slows the other down too.
struct ComparisonRunner {
  /// Overrides each comparison's own number of rounds.
  var rounds: Int?

  func run(_ comparison: Comparison, in scratch: ScratchFolder) throws -> Row {
    let sides = try comparison.sides(scratch)
    defer { sides.tearDown() }
    var workloads: [Double] = []
    var baselines: [Double] = []
    for round in 0...(rounds ?? comparison.rounds) {
      let workload = try measure("workload", comparison, sides.workload)
      let baseline = try measure("baseline", comparison, sides.baseline) * comparison.baselineScale
      if round > 0 {
        workloads.append(workload)
        baselines.append(baseline)
      }
    }
    let ratios = Samples(zip(workloads, baselines).map { $0 / $1 })
    return Row(
      id: comparison.id, title: comparison.title, baseline: comparison.baselineTitle, unit: .ratio,
      measured: ratios.median, lowerQuartile: ratios.quantile(0.25), upperQuartile: ratios.quantile(0.75),
      limit: comparison.limit, rounds: workloads.count,
      workloadSeconds: Samples(workloads).median / 1e9, baselineSeconds: Samples(baselines).median / 1e9,
      note: comparison.note)
  }

  /// Nanoseconds: the median of the side's measurements in this round.
  private func measure(_ side: String, _ comparison: Comparison, _ work: @escaping Comparison.Work) throws -> Double {
    var failure: (any Error)?
    let suite = BenchmarkSuite(name: comparison.id)
    // The library ends the process on an error, so errors go round it.
    suite.benchmark(side) { state in
      do { try work(&state) } catch { failure = failure ?? error }
    }
    var runner = BenchmarkRunner(
      suites: [suite], settings: [Iterations(comparison.iterations), Quiet(true), Format(.none)])
    try runner.run()
    if let failure { throw failure }
    return Samples(runner.results.flatMap(\.measurements)).median
  }
}
