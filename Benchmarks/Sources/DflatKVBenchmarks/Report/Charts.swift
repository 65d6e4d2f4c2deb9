import Foundation

/// The results as pictures: ratios as bars, and growth as lines, for light and for dark pages.
struct Charts {
  let results: Results

  /// Writes `ratios-light.svg`, `growth-dark.svg` and so on.
  func write(to folder: String) throws {
    for theme in ChartTheme.all {
      var charts = ["ratios": RatioChart(results.rows, theme).svg]
      for (name, subject) in [("growth", Growth.Subject.keys), ("growth-objects", .objects)] {
        let growth = (results.growth ?? []).filter { $0.subject == subject }
        if !growth.isEmpty { charts[name] = GrowthChart(growth, theme).svg }
      }
      for (name, svg) in charts {
        let file = URL(fileURLWithPath: folder).appendingPathComponent("\(name)-\(theme.name).svg")
        try svg.write(to: file, atomically: true, encoding: .utf8)
      }
    }
  }
}

/// The colors of a chart: those of GitHub's pages.
struct ChartTheme {
  let name: String
  let text: String
  let faint: String
  let grid: String
  let series: [String]

  static let all = [
    ChartTheme(name: "light", text: "#1f2328", faint: "#59636e", grid: "#d1d9e0", series: ["#0969da", "#8250df"]),
    ChartTheme(name: "dark", text: "#f0f6fc", faint: "#9198a1", grid: "#3d444d", series: ["#4493f8", "#ab7df8"]),
  ]
}

/// Collects the elements of an SVG document.
struct Drawing {
  let width: Double
  let height: Double
  let theme: ChartTheme
  private var elements: [String] = []

  init(width: Double, height: Double, theme: ChartTheme) {
    self.width = width
    self.height = height
    self.theme = theme
  }

  enum Anchor: String {
    case start, middle, end
  }

  mutating func text(
    _ content: String, x: Double, y: Double, anchor: Anchor = .start, size: Int = 13, color: String? = nil
  ) {
    elements.append(
      "<text x=\"\(Self.format(x))\" y=\"\(Self.format(y))\" text-anchor=\"\(anchor.rawValue)\" font-size=\"\(size)\" "
        + "fill=\"\(color ?? theme.text)\">\(Self.escaped(content))</text>")
  }

  mutating func bar(x: Double, y: Double, width: Double, height: Double, color: String) {
    elements.append(
      "<rect x=\"\(Self.format(x))\" y=\"\(Self.format(y))\" width=\"\(Self.format(width))\" "
        + "height=\"\(Self.format(height))\" rx=\"2\" fill=\"\(color)\"/>")
  }

  mutating func line(_ points: [(x: Double, y: Double)], color: String, width: Double = 1) {
    let list = points.map { "\(Self.format($0.x)),\(Self.format($0.y))" }.joined(separator: " ")
    elements.append(
      "<polyline points=\"\(list)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(Self.format(width))\"/>")
  }

  mutating func dot(x: Double, y: Double, color: String) {
    elements.append("<circle cx=\"\(Self.format(x))\" cy=\"\(Self.format(y))\" r=\"3.5\" fill=\"\(color)\"/>")
  }

  /// The document, with a description for those who can't see it.
  func svg(describedAs description: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width))" height="\(Int(height))" viewBox="0 0 \(Int(width)) \
    \(Int(height))" role="img" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif">
    <title>\(Self.escaped(description))</title>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  private static func format(_ number: Double) -> String { String(format: "%.1f", number) }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;")
  }
}

/// A scale on which each step is a factor.
struct LogScale {
  let values: ClosedRange<Double>
  let places: ClosedRange<Double>

  func place(of value: Double) -> Double {
    let clamped = min(max(value, values.lowerBound), values.upperBound)
    let part = log(clamped / values.lowerBound) / log(values.upperBound / values.lowerBound)
    return places.lowerBound + part * (places.upperBound - places.lowerBound)
  }

  /// The powers of ten on the scale.
  var decades: [Double] {
    (-12...12).map { pow(10, Double($0)) }.filter { values.contains($0) || abs($0 / values.upperBound - 1) < 1e-9 }
  }
}
