/// Counts of durations, in classes whose widths are at most a sixty-fourth of their values.
struct LatencyHistogram: Codable, Equatable {
  private static let classesPerDoubling = 64

  private var counts: [Int] = []

  var total: Int { counts.reduce(0, +) }

  mutating func add(nanoseconds: Int) {
    let index = Self.index(of: UInt64(max(nanoseconds, 0)))
    if index >= counts.count { counts += Array(repeating: 0, count: index + 1 - counts.count) }
    counts[index] += 1
  }

  mutating func add(_ other: LatencyHistogram) {
    if other.counts.count > counts.count { counts += Array(repeating: 0, count: other.counts.count - counts.count) }
    for (index, count) in other.counts.enumerated() { counts[index] += count }
  }

  /// Returns the duration in nanoseconds that a share of all durations doesn't exceed; nil if there are none.
  func quantile(_ share: Double) -> Int? {
    let rank = Int((Double(total) * share).rounded(.up))
    var seen = 0
    for (index, count) in counts.enumerated() {
      seen += count
      if count > 0, seen >= rank { return Self.upperBound(ofClass: index) }
    }
    return nil
  }

  private static func index(of value: UInt64) -> Int {
    if value < classesPerDoubling { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    return (exponent - 5) * classesPerDoubling + Int(value >> (exponent - 6)) - classesPerDoubling
  }

  private static func upperBound(ofClass index: Int) -> Int {
    if index < classesPerDoubling { return index }
    let exponent = index / classesPerDoubling + 5
    let part = index % classesPerDoubling + classesPerDoubling
    return (part + 1) << (exponent - 6) - 1
  }
}
