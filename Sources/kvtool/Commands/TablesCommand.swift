import ArgumentParser
import DflatEntities
import DflatKV
import DflatSupport

struct TablesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tables",
    abstract: "Print the types of objects in the file, or the schema of one.",
    discussion: """
      For each type: the number of its objects, its table in the file, its version (the attribute 'v') and its indexes. \
      An index in parentheses is still being filled, and queries don't use it yet. With a type, its schema in the file \
      is printed: that of the newest program that has written such objects. 'kvtool query' prints the objects.

      Example:
        kvtool tables
        kvtool tables Post > post.fbs
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The type whose schema is printed, with its namespace or without, or the name of its table.")
  var type: TextArgument?

  @Option(help: "The format: text or json.")
  var format = ListFormat.text

  func validate() throws {
    guard type == nil || format == .text else { throw ValidationError("a schema is a text: leave out --format json") }
  }

  func run() throws {
    let workspace = try options.openForReading().workspace
    if let type {
      let named = try StoredType.named(type.text, in: try workspace.storedTables())
      return try StandardOutput.write(line: StandardOutput.shown(named.schemaText))
    }
    let tables = try workspace.storedTables(counting: true)
    switch format {
    case .json: try StandardOutput.write(.array(tables.map { json($0, StoredType($0)) }))
    case .text where tables.isEmpty: StandardError.write(message: StoredType.noTypesAdvice)
    case .text: try StandardOutput.write(Array(lines(tables).map { $0 + "\n" }.joined().utf8))
    }
  }

  private func name(_ text: String) -> String { text.asName(isTerminal: StandardOutput.isTerminal) }

  private func lines(_ tables: [StoredTable]) -> [String] {
    let rows = tables.map { table in
      let type = StoredType(table)
      let indexes = indexes(of: table, type).map { $0.isComplete ? $0.name : "(\($0.name))" }
      return [
        String(table.count ?? 0), type?.name ?? "?", name(table.name), type?.definition.version ?? "",
        indexes.joined(separator: ", "),
      ]
    }
    return TextTable.lines(
      [["objects", "type", "table", "version", "indexes"]] + rows, alignments: [.right, .left, .left, .left, .none])
  }

  private func json(_ table: StoredTable, _ type: StoredType?) -> JSONValue {
    let indexes = indexes(of: table, type).map { index in
      JSONValue.object(JSONObject(["name": .string(index.name), "isComplete": .bool(index.isComplete)]))
    }
    return .object(
      JSONObject([
        "table": .string(table.name), "type": type.map { .string($0.name) } ?? .null,
        "version": type?.definition.version.map { .string($0) } ?? .null, "objects": JSONValue(table.count ?? 0),
        "indexes": .array(indexes), "schema": table.schema.map { .string($0) } ?? .null,
      ]))
  }

  /// Returns the indexes by the names of their fields, or by those in the file if the schema doesn't have them.
  private func indexes(of table: StoredTable, _ type: StoredType?) -> [(name: String, isComplete: Bool)] {
    let declared = type?.entity.indexes ?? []
    var indexes = table.indexes.map { index in
      let known = declared.first { $0.storedName == index.name }
      let name = known.map { $0.fields.map(\.name).joined(separator: "+") } ?? self.name(index.name)
      return (name: known?.isUnique == true ? "\(name) unique" : name, isComplete: index.isComplete)
    }
    if let isComplete = table.isSearchComplete {
      let fields = type?.entity.searchable.map(\.name).joined(separator: "+") ?? ""
      indexes.append((name: "\(fields) search", isComplete: isComplete))
    }
    return indexes
  }
}
