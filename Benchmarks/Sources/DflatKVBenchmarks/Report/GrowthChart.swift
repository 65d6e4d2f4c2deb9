/// The times of operations in files of different sizes: one panel for each, two in a line, both axes with powers of ten.
struct GrowthChart {
  private static let panelWidth = 430.0
  private static let panelHeight = 300.0
  private static let columns = 2

  private let growth: [Growth]
  private let theme: ChartTheme

  init(_ growth: [Growth], _ theme: ChartTheme) {
    self.growth = growth
    self.theme = theme
  }

  var svg: String {
    let lines = (growth.count + Self.columns - 1) / Self.columns
    var drawing = Drawing(
      width: Self.panelWidth * Double(Self.columns), height: Self.panelHeight * Double(lines), theme: theme)
    for (number, panel) in growth.enumerated() {
      let (line, column) = number.quotientAndRemainder(dividingBy: Self.columns)
      draw(panel, left: Double(column) * Self.panelWidth, top: Double(line) * Self.panelHeight, in: &drawing)
    }
    let titles = growth.map(\.title).joined(separator: "; ")
    return drawing.svg(describedAs: "Time by the number of \(growth[0].subject) in the file: \(titles)")
  }

  private func draw(_ panel: Growth, left: Double, top: Double, in drawing: inout Drawing) {
    let points = panel.series.flatMap(\.points)
    guard let fewest = points.map(\.count).min(), let most = points.map(\.count).max() else { return }
    let bottom = top + Self.panelHeight
    let x = LogScale(values: Double(fewest)...Double(most), places: left + 60...left + Self.panelWidth - 30)
    let y = LogScale(values: 100...100_000, places: 50 - bottom ... -60 - top)
    drawing.text(panel.title, x: left + 20, y: top + 24, size: 15)
    // The axes.
    for decade in y.decades {
      let place = -y.place(of: decade)
      drawing.line([(left + 60, place), (left + Self.panelWidth - 30, place)], color: theme.grid)
      drawing.text(Self.duration(decade), x: left + 52, y: place + 4, anchor: .end, size: 11, color: theme.faint)
    }
    for decade in x.decades {
      drawing.text(
        Self.count(decade), x: x.place(of: decade), y: bottom - 30, anchor: .middle, size: 11, color: theme.faint)
    }
    drawing.text(
      "\(panel.subject) in the file", x: left + Self.panelWidth / 2, y: bottom - 10, anchor: .middle, size: 11,
      color: theme.faint)
    // The lines, each with its name in the legend.
    for (number, series) in panel.series.enumerated() {
      let color = theme.series[number % theme.series.count]
      let places = series.points.map { (x: x.place(of: Double($0.count)), y: -y.place(of: $0.nanoseconds)) }
      drawing.line(places, color: color, width: 2)
      for place in places { drawing.dot(x: place.x, y: place.y, color: color) }
      let legend = left + 70 + Double(number) * 110
      drawing.bar(x: legend, y: top + 38, width: 14, height: 4, color: color)
      drawing.text(series.name, x: legend + 20, y: top + 44, size: 12)
    }
  }

  private static func duration(_ nanoseconds: Double) -> String {
    nanoseconds < 1_000 ? "\(Int(nanoseconds)) ns" : "\(Int(nanoseconds / 1_000)) µs"
  }

  private static func count(_ number: Double) -> String {
    number < 1_000_000 ? "\(Int(number / 1_000)),000" : "1,000,000"
  }
}
