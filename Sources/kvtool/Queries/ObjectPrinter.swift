import ArgumentParser
import DflatSchema
import DflatSupport

/// The output formats for objects.
enum ObjectFormat: String, CaseIterable, ExpressibleByArgument {
  /// A table on a terminal, and otherwise JSON lines.
  case auto
  case table
  case ndjson
  case json
  case csv
}

/// Prints objects, which are JSON objects with the fields of their type.
struct ObjectPrinter {
  /// The longest text in a table, in characters. Longer ones are cut.
  private static let maximumWidth = 60
  /// The shortest that texts are cut to when a table is wider than the terminal, in characters.
  private static let minimumWidth = 8

  let format: ObjectFormat
  private let isTerminal: Bool
  /// The fields, as they are in the first line of a table.
  let columns: [String]

  /// - Parameters:
  ///   - format: The format.
  ///   - isTerminal: True if the output is a terminal.
  ///   - type: The type of the objects.
  init(_ format: ObjectFormat, isTerminal: Bool, _ type: StoredType) {
    self.isTerminal = isTerminal
    self.format = format == .auto ? isTerminal ? .table : .ndjson : format
    // A union has a column for the kind.
    columns = type.definition.memberNames
  }

  func lines(_ objects: [JSONValue]) -> [String] {
    switch format {
    case .auto, .ndjson: objects.map { JSONWriter.string($0) }
    case .json: [JSONWriter.string(.array(objects))]
    case .csv: ([columns.map { JSONValue.string($0) }] + objects.map(values(of:))).map(csv)
    case .table: table(objects)
    }
  }

  /// Returns the value of each column; nil for an absent field.
  private func values(of object: JSONValue) -> [JSONValue?] {
    guard case .object(let object) = object else { return columns.map { _ in nil } }
    return columns.map { object[$0] }
  }

  /// Returns the cells of an object's row in a table; nil for an absent field.
  func cells(of object: JSONValue) -> [String?] { values(of: object).map { $0.map(Self.cell) } }

  private func table(_ objects: [JSONValue]) -> [String] {
    let rows = objects.map(values(of:))
    let alignments = columns.indices.map { column -> TextTable.Alignment in
      let isNumeric = rows.allSatisfy { $0[column].map(\.isNumber) ?? true }
      if isNumeric { return .right }
      return column == columns.count - 1 ? .none : .left
    }
    let texts = [columns] + rows.map { $0.map { $0.map(Self.cell) ?? "" } }
    guard isTerminal, let width = TerminalSize.reported()?.width else {
      return TextTable.lines(texts, alignments: alignments)
    }
    return TextTable.lines(Self.fitted(texts, alignments, into: width), alignments: alignments)
  }

  /// Returns the rows with texts cut so that a line has at most `width` characters, if that leaves enough of each text.
  /// Numbers stay whole.
  static func fitted(_ rows: [[String]], _ alignments: [TextTable.Alignment], into width: Int) -> [[String]] {
    let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    func total(_ limit: Int) -> Int {
      zip(widths, alignments).reduce(TextTable.gap * (widths.count - 1)) { sum, column in
        sum + (column.1 == .right ? column.0 : min(column.0, limit))
      }
    }
    let limit = (minimumWidth...maximumWidth).last { total($0) <= width } ?? minimumWidth
    return rows.map { row in
      zip(row, alignments).map { $1 == .right ? $0 : cut($0, to: limit) }
    }
  }

  private static func cut(_ text: String, to width: Int) -> String {
    text.count <= width ? text : "\(text.prefix(width - 1))…"
  }

  /// Returns a value as it stands in a table, on one line, with nothing hidden.
  private static func cell(_ value: JSONValue) -> String {
    let text: String
    if case .string(let string) = value {
      text = shown(string)
    } else {
      text = JSONWriter.string(value)
    }
    return cut(text, to: maximumWidth)
  }

  /// Returns a text on one line, with nothing hidden.
  private static func shown(_ text: String) -> String {
    text.unicodeScalars.contains { $0.isHidden || $0 == "\n" || $0 == "\t" } ? quoted(text) : text
  }

  /// Returns a record by RFC 4180. An absent field is empty, an empty text is two quotes, and a nested value is JSON. On a
  /// terminal, nothing is hidden.
  private func csv(_ values: [JSONValue?]) -> String {
    values.map { value in
      guard let value else { return "" }
      let text =
        if case .string(let string) = value { isTerminal ? Self.shown(string) : string } else {
          JSONWriter.string(value)
        }
      let isPlain = !text.isEmpty && !text.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
      return isPlain ? text : "\"\(text.replacingScalars { $0 == "\"" ? "\"\"" : nil })\""
    }.joined(separator: ",")
  }
}

extension JSONValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .uint, .double: true
    case .null, .bool, .string, .array, .object: false
    }
  }
}
