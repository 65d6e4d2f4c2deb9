/// Order statistics of a list of measurements.
struct Samples {
  private let sorted: [Double]

  init(_ values: [Double]) {
    sorted = values.sorted()
  }

  var median: Double { quantile(0.5) }

  /// The value below which this part of the samples lies, interpolated; NaN where there are none.
  func quantile(_ part: Double) -> Double {
    guard let last = sorted.last else { return .nan }
    let position = part * Double(sorted.count - 1)
    let lower = Int(position)
    guard lower + 1 < sorted.count else { return last }
    return sorted[lower] + (sorted[lower + 1] - sorted[lower]) * (position - Double(lower))
  }
}
