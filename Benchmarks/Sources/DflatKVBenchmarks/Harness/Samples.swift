/// Order statistics of a list of measurements.
struct Samples {
  private let sorted: [Double]

  init(_ values: [Double]) {
    sorted = values.sorted()
  }

  var median: Double { quantile(0.5) }

  /// Returns the given quantile of the samples, interpolated, or NaN if there are no samples.
  func quantile(_ part: Double) -> Double {
    guard let last = sorted.last else { return .nan }
    let position = part * Double(sorted.count - 1)
    let lower = Int(position)
    guard lower + 1 < sorted.count else { return last }
    return sorted[lower] + (sorted[lower + 1] - sorted[lower]) * (position - Double(lower))
  }
}
