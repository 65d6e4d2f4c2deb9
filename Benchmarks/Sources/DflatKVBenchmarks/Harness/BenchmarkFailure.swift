/// What makes a measurement worthless: a workload that did not do what it was timed for.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
