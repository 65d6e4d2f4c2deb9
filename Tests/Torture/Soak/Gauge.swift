/// A measured quantity that must not grow.
///
/// The first fifth of the samples is the warm-up. The highest value of the second half of the rest is compared with the
/// highest of the first half: a leak makes it higher in any run that is long enough, and an occasional peak is in both
/// halves.
struct Gauge {
  private static let fewest = 15

  let name: String
  private let tolerance: Double
  private let slack: Int
  private let limit: Int
  private let unit: Int
  private let unitName: String
  private var values: [Int] = []

  /// - Parameters:
  ///   - tolerance: Fraction by which the second half's peak may exceed the first half's.
  ///   - slack: Amount by which it may exceed that in addition.
  ///   - limit: Value that no sample may exceed.
  init(_ name: String, tolerance: Double, slack: Int, limit: Int = .max, unit: Int = 1, _ unitName: String = "") {
    self.name = name
    self.tolerance = tolerance
    self.slack = slack
    self.limit = limit
    self.unit = unit
    self.unitName = unitName.isEmpty ? "" : " " + unitName
  }

  mutating func note(_ value: Int) { values.append(value) }

  private var halves: (first: Int, second: Int)? {
    let settled = values.dropFirst(values.count / 5)
    guard values.count >= Self.fewest else { return nil }
    let middle = settled.startIndex + settled.count / 2
    return (settled[..<middle].max() ?? 0, settled[middle...].max() ?? 0)
  }

  /// A description of the problem, or nil.
  var finding: String? {
    if let highest = values.max(), highest > limit { return "The \(name) reached \(highest), and may reach \(limit)." }
    guard let halves, limit == .max else { return nil }
    let bound = Int(Double(halves.first) * (1 + tolerance)) + slack
    guard halves.second > bound else { return nil }
    return "The \(name) grew from \(text(halves.first)) to \(text(halves.second)); the limit is \(text(bound))."
  }

  /// The figures for the table.
  var words: String {
    guard let halves else { return "\(name) \(text(values.last ?? 0)) (too short a run to compare)" }
    return "\(name) \(text(halves.first)) → \(text(halves.second))"
  }

  var samples: String { "\(name): " + values.map { "\($0 / unit)" }.joined(separator: " ") + unitName }

  private func text(_ value: Int) -> String { "\(value / unit)\(unitName)" }
}
