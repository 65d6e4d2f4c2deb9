import Foundation

/// Formats the results as Markdown.
struct MarkdownTable {
  let results: Results
  /// True on the terminal, for developers: a column has the limit that each row is to keep, and the rows without one
  /// follow in a table of their own. Files have one table without the limits.
  let showsLimits: Bool

  var text: String {
    let machine = results.machine
    var sections: [String] = [
      "Measured on \(machine.system), \(machine.cores) cores, SQLite \(machine.sqlite), release build."
    ]
    if showsLimits {
      let limited = results.rows.filter { $0.limit != nil }
      let informing = results.rows.filter { $0.limit == nil }
      if !limited.isEmpty { sections.append(table(of: limited, withLimit: true)) }
      if !informing.isEmpty {
        sections.append("Without a limit, for comparison:")
        sections.append(table(of: informing, withLimit: false))
      }
    } else {
      sections.append(table(of: results.rows, withLimit: false))
    }
    let notes = results.rows.compactMap { row in row.note.map { "- \(row.title) (`\(row.id)`): \($0)." } }
    if !notes.isEmpty { sections.append(notes.joined(separator: "\n")) }
    return sections.joined(separator: "\n\n") + "\n"
  }

  private func table(of rows: [Row], withLimit: Bool) -> String {
    let columns = ["workload", "baseline", "measured", "quartiles"] + (withLimit ? ["at most", "ok"] : []) + ["times"]
    let cells = rows.map { row in
      var cells = [row.title, row.baseline, Self.format(row.measured, row.unit), Self.quartiles(of: row)]
      if withLimit {
        cells += [row.limit.map { Self.format($0, row.unit) } ?? "", row.verdict == .met ? "ok" : "**not met**"]
      }
      return cells + [Self.times(of: row)]
    }
    return Self.text(columns, cells)
  }

  static func text(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  static func format(_ value: Double, _ unit: Row.Unit) -> String {
    switch unit {
    case .ratio: String(format: value < 0.1 ? "%.3f ×" : "%.2f ×", value)
    case .bytes: String(format: "%.0f bytes", value)
    case .milliseconds: String(format: "%.2f ms", value)
    case .seconds: String(format: "%.2f s", value)
    }
  }

  private static func quartiles(of row: Row) -> String {
    guard let lower = row.lowerQuartile, let upper = row.upperQuartile else { return "" }
    return String(format: "%.2f–%.2f", lower, upper)
  }

  private static func times(of row: Row) -> String {
    guard let workload = row.workloadSeconds, let baseline = row.baselineSeconds else { return "" }
    return "\(duration(workload)) / \(duration(baseline))"
  }

  private static func duration(_ seconds: Double) -> String {
    switch seconds {
    case 1...: String(format: "%.2f s", seconds)
    case 1e-3...: String(format: "%.2f ms", seconds * 1e3)
    default: String(format: "%.1f µs", seconds * 1e6)
    }
  }
}
