/// Rows of text in aligned columns.
enum TextTable {
  enum Alignment {
    case left
    case right
    /// Leaves the text unpadded; for the last column.
    case none
  }

  /// The number of spaces between two columns.
  static let gap = 2

  static func lines(_ rows: [[String]], alignments: [Alignment]) -> [String] {
    let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row.indices, alignments).map { column, alignment in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return switch alignment {
        case .left: row[column] + space
        case .right: space + row[column]
        case .none: row[column]
        }
      }.joined(separator: String(repeating: " ", count: gap))
    }
  }
}
