/// The time of workloads as a factor of their baselines' time, as bars that begin at 1: to the left for workloads that take
/// less time, to the right for those that take more.
struct RatioChart {
  /// The rows to show, by their ids, and what they are called.
  private static let groups: [(title: String, rows: [(id: String, title: String)])] = [
    (
      "to raw SQLite",
      [
        ("insert-int-synced", "Insert 40,000 integers, until they are in the file"),
        ("insert-int-synced-many", "the same, to 40,000 transactions"),
        ("read-int-cold-one", "Read integers from the file"),
        ("set-synchronize", "Write one integer, until it is in the file"),
        ("transaction-10", "Transaction of 10 keys"),
        ("entity-insert", "Insert 10,000 objects"),
        ("entity-update", "Update 10,000 objects"),
        ("entity-fetch-each", "Fetch objects by key"),
      ]
    ),
    (
      "to GRDB",
      [
        ("entity-insert-grdb", "Insert 10,000 objects"),
        ("entity-fetch-each-grdb", "Fetch objects by key"),
        ("entity-fetch-1667-grdb", "Fetch objects by a field without an index"),
        ("entity-observe-queries-grdb", "Update 10,000 objects, with 1,000 live queries"),
      ]
    ),
    (
      "to UserDefaults (Linux)",
      [
        ("insert-int-user-defaults", "Insert 40,000 integers, until they are in the file"),
        ("read-int-hot-user-defaults", "Read cached integers"),
      ]
    ),
  ]

  private let rows: [String: Row]
  private let theme: ChartTheme

  init(_ rows: [Row], _ theme: ChartTheme) {
    self.rows = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    self.theme = theme
  }

  private static let width = 860.0
  private static let rowHeight = 24.0
  private static let scale = LogScale(values: 0.001...10, places: 350...800)

  var svg: String {
    // Lay the groups out from top to bottom.
    let groups = Self.groups.map { group in (group.title, group.rows.filter { rows[$0.id] != nil }) }
      .filter { !$0.1.isEmpty }
    let count = groups.reduce(0) { $0 + $1.1.count + 1 }
    let bottom = 40 + Double(count) * Self.rowHeight
    var drawing = Drawing(width: Self.width, height: bottom + 30, theme: theme)
    drawing.text("Time as a factor of the baseline's (less is faster)", x: 20, y: 24, size: 15)
    for decade in Self.scale.decades {
      let x = Self.scale.place(of: decade)
      drawing.line([(x, 40), (x, bottom)], color: decade == 1 ? theme.faint : theme.grid, width: decade == 1 ? 2 : 1)
      let label = decade < 1 ? "1/\(Int((1 / decade).rounded()))" : "\(Int(decade))"
      drawing.text("\(label) ×", x: x, y: bottom + 18, anchor: .middle, size: 11, color: theme.faint)
    }
    var y = 40.0
    for (title, members) in groups {
      drawing.text(title, x: 20, y: y + 17, color: theme.faint)
      y += Self.rowHeight
      for member in members {
        guard let row = rows[member.id] else { continue }
        let (one, end) = (Self.scale.place(of: 1), Self.scale.place(of: row.measured))
        let color = theme.series[row.measured <= 1 ? 0 : 1]
        drawing.text(member.title, x: 335, y: y + 16, anchor: .end, size: 12)
        drawing.bar(x: min(one, end), y: y + 4, width: max(abs(end - one), 1), height: 15, color: color)
        drawing.text(
          MarkdownTable.format(row.measured, .ratio), x: row.measured <= 1 ? one + 8 : end + 6, y: y + 16, size: 12)
        y += Self.rowHeight
      }
    }
    return drawing.svg(describedAs: "Times of DflatKV as factors of those of raw SQLite, GRDB and UserDefaults")
  }
}
