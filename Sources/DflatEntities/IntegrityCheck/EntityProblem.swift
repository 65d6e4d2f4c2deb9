/// A mismatch between the tables of entities and the stored objects.
enum EntityProblem {
  /// A table of objects that the file lists is missing or can't be read.
  case unreadableTable(String, why: String)
  /// The file doesn't list a table of objects, so the highest rowid that it assigned is unknown.
  case unlistedTable(String, highest: Int64)
  /// The stored sequence is below the highest row, so rowids would be assigned again.
  case sequence(table: String, last: Int64, highest: Int64)
  /// The bytes of an object can't be read.
  case payload(table: String, rowid: Int64, why: String)
  /// The number of further unreadable rows that are not listed one by one.
  case morePayloads(table: String, count: Int)
  /// The key columns of some rows differ from their objects.
  case key(table: String, fields: String, rowids: [Int64])
  /// A newer program created the index, or its definition is damaged.
  case unknownDefinition(table: String, path: String)
  /// The stored schema of a table is damaged.
  case damagedSchema(table: String)
  /// A newer program stored the schema of a table.
  case unknownSchema(table: String)
  /// An index differs from the objects.
  case index(IndexDamage)
  /// A table has the form of an index, but the file doesn't list it, so no program maintains or uses it.
  case unlistedIndex(table: String)
  /// An index whose values are marked as unique has duplicates.
  case duplicates(table: String, path: String)

  /// True if the damaged part can be rebuilt from the objects.
  var isRepairable: Bool {
    switch self {
    case .unlistedTable, .sequence, .key, .index, .unlistedIndex, .duplicates, .damagedSchema: true
    case .unreadableTable, .payload, .morePayloads, .unknownDefinition, .unknownSchema: false
    }
  }

  /// The description of the problem, one line.
  var line: String {
    switch self {
    case .unlistedTable(let table, _): "The table of objects '\(table)' is not in the file's list."
    case .unlistedIndex(let table): "The index '\(table)' is not in the file's list."
    case .unreadableTable(let table, let why): "The objects of '\(table)' can't be read: \(why)."
    case .sequence(let table, let last, let highest):
      "'\(table)' has row \(highest), but its sequence says that \(last) is the highest row."
    case .payload(let table, let rowid, let why): "Row \(rowid) of '\(table)' can't be read: \(why)."
    case .morePayloads(let table, let count): "\(count) more rows of '\(table)' can't be read."
    case .key(let table, let fields, let rowids):
      "The key (\(fields)) of \(Self.count(rowids.count, "row")) of '\(table)' differs from the object's; "
        + "the first is row \(rowids[0])."
    case .unknownDefinition(let table, let path):
      "The index '\(path)' of '\(table)' has a definition that this program can't read: "
        + "a newer program created it, or it is damaged."
    case .damagedSchema(let table): "The stored schema of '\(table)' is damaged."
    case .unknownSchema(let table):
      "The stored schema of '\(table)' can't be read by this program: a newer program stored it."
    case .index(let damage): damage.line
    case .duplicates(let table, let path):
      "The index '\(path)' of '\(table)' is marked as unique, but has duplicate values."
    }
  }

  fileprivate static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}

/// The differences between an index and the objects.
struct IndexDamage {
  let table: String
  let entry: IndexEntry
  /// The defect of the index's table or SQL index: it is missing or not in the expected form; nil if there is none.
  var structure: String?
  /// The numbers of rows that the index lacks, that hold another value than the object, and that have no object.
  var missing = 0, differing = 0, extra = 0
  /// The first such row.
  var example: Int64?

  var isSound: Bool { structure == nil && missing + differing + extra == 0 }

  mutating func note(_ counter: WritableKeyPath<IndexDamage, Int>, _ rowid: Int64) {
    self[keyPath: counter] += 1
    example = example ?? rowid
  }

  fileprivate var line: String {
    let name = "The index '\(entry.path)' of '\(table)'"
    if let structure { return "\(name) \(structure)." }
    let parts = [
      missing > 0 ? "lacks \(EntityProblem.count(missing, "row"))" : nil,
      differing > 0 ? "has a different value in \(EntityProblem.count(differing, "row"))" : nil,
      extra > 0 ? "has \(EntityProblem.count(extra, "row")) without an object" : nil,
    ].compactMap { $0 }
    return "\(name) \(parts.joined(separator: ", ")); the first is row \(example ?? 0)."
  }
}
