/// One side of a comparison, with the file that it works on.
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

/// A number that no other measurement of a side had.
final class Numbering {
  private var last = 0

  func next() -> Int {
    last += 1
    return last
  }
}
