import Benchmark

/// A workload and its baseline, measured alternately in one run.
struct Comparison: Sendable {
  /// The work of one side: set up, call `start()`, work, call `end()`, clean up.
  typealias Work = (inout BenchmarkState) throws -> Void

  /// Both sides of a comparison, created for one run. They may share files.
  struct Sides {
    var workload: Work
    var baseline: Work
    var tearDown: () -> Void = {}
  }

  let id: String
  let title: String
  let baselineTitle: String
  /// The maximum ratio for this workload; nil for an informative row.
  var limit: Double?
  /// The number of measured pairs, after a first pair that warms up.
  var rounds = 11
  /// The number of measurements per side of a pair, for short measurements.
  var iterations = 1
  /// The factor by which to scale the baseline's time if the baseline runs fewer operations.
  var baselineScale = 1.0
  var note: String?
  let sides: @Sendable (ScratchFolder) throws -> Sides
}

/// Measures comparisons: workload, baseline, workload, baseline, and so on. Each pair yields a ratio; the median ratio
/// is the result. On a shared machine, interference slows down both sides of a pair.
struct ComparisonRunner {
  /// The number of rounds, which overrides that of each comparison.
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

  /// Returns the median of the side's measurements in this round, in nanoseconds.
  private func measure(_ side: String, _ comparison: Comparison, _ work: @escaping Comparison.Work) throws -> Double {
    var failure: (any Error)?
    let suite = BenchmarkSuite(name: comparison.id)
    // Catch errors here, because the library ends the process on an error.
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
