import Foundation

/// Compares pairs of measurements, in alternation, and prints a table.
struct Report {
  private var lines = ["| row | subject | baseline | ratio | at most |", "|---|---|---|---|---|"]

  /// Adds a row: the medians of several rounds, and the median of the rounds' ratios.
  ///
  /// - Parameter limit: The ratio that the row should not exceed.
  mutating func add(
    _ name: String, atMost limit: Double, rounds: Int = 5, subject: () async throws -> Duration,
    baseline: () async throws -> Duration
  ) async throws {
    var pairs: [(subject: Double, baseline: Double)] = []
    for round in 0..<rounds {
      // Whoever is second finds warmer caches.
      if round % 2 == 0 {
        let one = try await subject() / .milliseconds(1)
        pairs.append((one, try await baseline() / .milliseconds(1)))
      } else {
        let other = try await baseline() / .milliseconds(1)
        pairs.append((try await subject() / .milliseconds(1), other))
      }
    }
    let ratio = Self.median(pairs.map { $0.subject / $0.baseline })
    line(
      name, Self.text(Self.median(pairs.map(\.subject))) + " ms", Self.text(Self.median(pairs.map(\.baseline))) + " ms",
      Self.text(ratio), "\(limit)")
  }

  /// Adds a row with a number that has no baseline.
  mutating func add(_ name: String, _ value: String, atLeast limit: String) {
    line(name, value, "", "", "at least " + limit)
  }

  private mutating func line(_ columns: String...) {
    lines.append("| " + columns.joined(separator: " | ") + " |")
    print(lines.last ?? "")
  }

  func print() { Swift.print("\n" + lines.joined(separator: "\n")) }

  private func print(_ line: String) { Swift.print(line) }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  private static func text(_ value: Double) -> String { String(format: value < 10 ? "%.2f" : "%.0f", value) }
}

/// Returns the median time of a call.
func median(of count: Int, _ body: (Int) async throws -> Void) async throws -> Duration {
  var times: [Double] = []
  for number in 0..<count {
    let began = ContinuousClock.now
    try await body(number)
    times.append((ContinuousClock.now - began) / .milliseconds(1))
  }
  return .milliseconds(Report.median(times))
}

/// Returns the time of a closure.
func time(_ body: () async throws -> Void) async throws -> Duration {
  let began = ContinuousClock.now
  try await body()
  return ContinuousClock.now - began
}
