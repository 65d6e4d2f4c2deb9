import DflatCore
import DflatKV

/// The parts of a file that an export leaves out.
struct ExportRemainder: Equatable {
  /// The objects of one type, whose export would need its schema.
  struct Objects: Equatable {
    let table: String
    /// Nil if the objects can't be counted, because the file is damaged.
    let count: Int?
  }

  /// The other namespaces that contain keys.
  let namespaces: [String]
  let objects: [Objects]
  /// The number of replaced values in the file.
  var replacedCount = 0

  /// One line that names everything; nil if nothing is left out.
  var message: String? {
    var parts: [String] = []
    if !namespaces.isEmpty {
      let noun = namespaces.count == 1 ? "namespace" : "namespaces"
      parts.append("\(noun) \(namespaces.map(quoted).joined(separator: ", ")) (see --all-namespaces)")
    }
    let others = objects.map(\.text) + replacedText
    if !others.isEmpty {
      parts.append("\(others.joined(separator: ", ")) ('kvtool backup' copies them)")
    }
    return parts.isEmpty ? nil : "the export leaves out \(parts.joined(separator: ", and "))"
  }

  private var replacedText: [String] {
    switch replacedCount {
    case 0: []
    case 1: ["1 replaced value"]
    default: ["\(replacedCount) replaced values"]
    }
  }
}

extension ExportRemainder {
  /// Finds what is left out by an export of some of the file's namespaces. Damage among the objects doesn't keep the
  /// keys from being exported, so it isn't an error here.
  init(of database: OpenDatabase, exporting exported: [String], of names: [String]) {
    let exported = Set(exported.map { ByteComparedString($0) })
    let tables = (try? database.workspace.entityTables()) ?? []
    let counts = try? database.workspace.core.rowCounts()
    namespaces = names.filter { !exported.contains(ByteComparedString($0)) }
    objects = tables.compactMap { table in
      let count = counts?.first { $0.table.hasSameBytes(as: table) }?.rows
      return count == 0 ? nil : Objects(table: table, count: count)
    }
    replacedCount = counts?.first { $0.table.hasSameBytes(as: "dflat_replaced") }?.rows ?? 0
  }
}

extension ExportRemainder.Objects {
  fileprivate var text: String {
    let number = count.map { $0 == 1 ? "1 object" : "\($0) objects" } ?? "the objects"
    return "\(number) of \(quoted(table))"
  }
}
