/// One side of a comparison, with the file that it uses.
struct PreparedWork {
  let work: Comparison.Work
  var tearDown: () -> Void = {}
}

extension Comparison.Sides {
  init(_ workload: PreparedWork, against baseline: PreparedWork) {
    self.init(
      workload: workload.work, baseline: baseline.work,
      tearDown: {
        workload.tearDown()
        baseline.tearDown()
      })
  }
}

/// Generates the numbers of a side's measurements, each different.
final class Numbering {
  private var last = 0

  func next() -> Int {
    last += 1
    return last
  }
}
