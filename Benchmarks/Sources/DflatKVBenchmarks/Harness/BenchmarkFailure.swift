/// What makes a measurement worthless: a workload that did not do what it was timed for.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Throws when a workload found another number of documents than there are.
  static func check(_ found: Int, _ expected: Int) throws {
    guard found == expected else { throw BenchmarkFailure("\(found) documents instead of \(expected)") }
  }
}
