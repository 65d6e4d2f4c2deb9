import DflatCore
import DflatKV

/// The parts of a file that an export leaves out.
struct ExportRemainder {
  /// The namespaces that contain other keys.
  let namespaces: [String]
  /// The tables of objects, whose export would need their schemas.
  let tables: [RowCount]

  /// Finds what is left out by an export of some of the file's namespaces.
  init(of database: OpenDatabase, without exported: [String], from names: [String]) throws {
    let exported = Set(exported.map { ByteComparedString($0) })
    namespaces = names.filter { !exported.contains(ByteComparedString($0)) }
    let types = Set(try database.workspace.entityTables().map { ByteComparedString($0) })
    tables = try database.workspace.core.rowCounts().filter {
      $0.rows > 0 && types.contains(ByteComparedString($0.table))
    }
  }

  init(namespaces: [String], tables: [RowCount]) {
    self.namespaces = namespaces
    self.tables = tables
  }

  /// One line that names everything; nil if nothing is left out.
  var message: String? {
    var parts: [String] = []
    if !namespaces.isEmpty {
      let noun = namespaces.count == 1 ? "namespace" : "namespaces"
      parts.append("\(noun) \(namespaces.map(quoted).joined(separator: ", ")) (see --all-namespaces)")
    }
    if !tables.isEmpty {
      let objects = tables.map { "\($0.rows) \($0.rows == 1 ? "object" : "objects") of \(quoted($0.table))" }
      parts.append("\(objects.joined(separator: ", ")) ('kvtool backup' copies them)")
    }
    return parts.isEmpty ? nil : "the export leaves out \(parts.joined(separator: ", and "))"
  }
}
