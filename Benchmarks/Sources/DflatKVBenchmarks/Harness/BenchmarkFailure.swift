/// An error that invalidates a measurement, because the workload didn't do its work.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Throws if a workload found a wrong number of documents.
  static func check(_ found: Int, _ expected: Int) throws {
    guard found == expected else { throw BenchmarkFailure("\(found) documents instead of \(expected)") }
  }
}
