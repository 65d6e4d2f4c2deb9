import DflatCore
import DflatEntities
import DflatKV
import DflatSQLite
import DflatSupport

/// Copies what is readable of a damaged file to a new one.
///
/// The tables are read from their roots, passing over what is damaged. Pages to which nothing refers are then parts of tables
/// whose inner pages are lost. Their rows are recognized by their form, and objects by their schemas and keys.
final class Recovery {
  private var scan: FileScan
  private let target: RecoveredFile
  private var report = RecoveryReport()
  /// The tables of objects, in the order of their names.
  private var tables: [RecoveredTable] = []
  private var tableIndexes: [ByteComparedString: Int] = [:]
  private var schemas: [(table: String, text: String, row: [SQLiteRecord.Value])] = []
  /// The schemas of the dictionary's values, by the names of their rows.
  private var valueSchemas: [ByteComparedString: [SQLiteRecord.Value]] = [:]

  /// The numbers of objects that a file can have assigned one after the other.
  private static let rowids: Range<Int64> = 0..<(1 << 53)

  /// A table in the file's own list.
  private struct Entry {
    let name: String
    let root: Int
    let sql: String
  }

  private init(_ file: PageFile, _ target: RecoveredFile) {
    scan = FileScan(file)
    self.target = target
    report.notes = file.notes
  }

  /// Creates a file with everything readable. If that fails, no file is left.
  ///
  /// - Throws: ``ToolError`` or ``WorkspaceError`` if the damaged file can't be opened, or the new one not be written.
  static func run(from source: String, to path: String) throws -> RecoveryReport {
    // The log lies beside the file that a link leads to.
    let resolved = realpath(source, nil)
    defer { free(resolved) }
    let file = try PageFile(path: resolved.map { String(cString: $0) } ?? source)
    return try NewFile.create(path) { temporaryPath in
      do {
        let target = try RecoveredFile(path: temporaryPath)
        let recovery = Recovery(file, target)
        try recovery.copy()
        try target.finish()
        let report = try recovery.checked(temporaryPath)
        guard !report.isEmpty || report.isComplete else {
          throw ToolError(.unreadableFile, "nothing was found in \(source): it may not be a database of this library")
        }
        return report
      } catch let error as SQLiteError {
        throw ToolError(.otherError, "cannot write \(path): \(error.description(besides: ""))")
      }
    }
  }

  private func copy() throws {
    let entries = readEntries()
    if !["dictionary", "dflat_log"].allSatisfy({ name in entries.contains { $0.name.hasSameBytes(as: name) } }) {
      report.notes.append("the file's list of tables is damaged")
    }
    // Which pages does nothing refer to? Sound files have none.
    for root in Set(entries.map(\.root)).sorted(by: <) { scan.passOver(tableAt: root) }
    let strays = scan.strayPages()
    let sequences = readLists(entries)
    scan.beginStrayPages()
    for page in strays {
      for row in scan.rows(ofPage: page, notingDamage: false).rows { _ = addSchema(row.values) }
    }
    addTables(entries, sequences)
    for entry in entries { try copyRows(of: entry) }
    scan.beginStrayPages()
    for page in strays { try copyStrays(ofPage: page) }
    try completeTables()
    report.keyCount = try target.rowCount(of: "dictionary")
    report.replacedCount = try target.rowCount(of: ReplacedTable.name)
    report.objects = try tables.map { table in
      RecoveryReport.Objects(type: table.type?.name ?? table.name, count: try target.rowCount(of: table.name))
    }
    let others = entries.filter { !$0.name.isEmpty && !isKnown($0) }.map(\.name)
    if !others.isEmpty { report.notes.append("not copied: the tables of other programs, \(NameList.text(others))") }
    report.damagedPages = Array(scan.damage.pages.sorted().prefix { $0 <= scan.file.pageCount })
    report.missingPageCount = scan.damage.pages.count - report.damagedPages.count
    report.damagedRowCount += scan.damage.rowCount
    if scan.isFreeListDamaged { report.notes.append("the list of free pages is damaged") }
  }

  // MARK: Tables

  /// Returns the file's list of tables, each table once.
  private func readEntries() -> [Entry] {
    struct Place: Hashable {
      let name: ByteComparedString
      let root: Int
    }
    var entries: [Entry] = []
    var places: Set<Place> = []
    scan.forEachRow(ofTableAt: 1) { record, _ in
      let row = record.values
      guard row.count == 5, let type = row[0].text, ["table", "index"].contains(type), let name = row[1].text,
        let root = row[3].integer.flatMap({ Int(exactly: $0) }), root > 1
      else { return }
      let entry = Entry(name: type == "table" ? name : "", root: root, sql: row[4].text ?? "")
      guard places.insert(Place(name: ByteComparedString(entry.name), root: root)).inserted else { return }
      entries.append(entry)
    }
    return entries
  }

  /// Reads the schemas, and returns the highest number that each table of objects has assigned.
  private func readLists(_ entries: [Entry]) -> [(name: String, last: Int64)] {
    var sequences: [(name: String, last: Int64)] = []
    for entry in entries {
      switch entry.name {
      case "dflat_schema":
        scan.forEachRow(ofTableAt: entry.root) { record, _ in
          if !addSchema(record.values) { report.damagedRowCount += 1 }
        }
      case "dflat_entity":
        scan.forEachRow(ofTableAt: entry.root) { record, _ in
          let row = record.values
          guard row.count == 2, let name = row[0].text, let last = row[1].integer,
            Self.rowids.contains(last)
          else { return }
          sequences.append((name, last))
        }
      case "dflat_log":
        scan.forEachRow(ofTableAt: entry.root) { record, _ in
          if let number = record.rowid, RecoveredRows.commitNumbers.contains(number) { target.note(commit: number) }
        }
      default: break
      }
    }
    return sequences
  }

  /// Notes a schema. Returns false if the row is none, or its name is damaged. The text tells the name, too.
  private func addSchema(_ row: [SQLiteRecord.Value]) -> Bool {
    guard RecoveredRows.isSchema(row), let stored = row[0].text, let text = row[2].text else { return false }
    let table = StoredType.tableName(ofSchema: text)
    func renamed(to name: String) -> [SQLiteRecord.Value] { [.text(Array(name.utf8))] + row[1...] }
    // The dictionary can have values of types of objects, too.
    if table == nil || !SchemaList.isOfTable(stored), let name = DeclaredSchema.valueRow(ofSchema: text) {
      valueSchemas[ByteComparedString(name)] = renamed(to: name)
      return name.hasSameBytes(as: stored)
    }
    let name = table ?? stored
    if !schemas.contains(where: { $0.table.hasSameBytes(as: name) }) {
      schemas.append((name, text, renamed(to: name)))
    }
    return name.hasSameBytes(as: stored)
  }

  /// Creates the tables of types without objects, and adds what the file knows of each table and of the values.
  private func completeTables() throws {
    for table in tables {
      let schema = schemas.first { $0.table.hasSameBytes(as: table.name) }
      if schema != nil, let keyCount = table.keyCount { try target.createTable(table.name, keyCount: keyCount) }
      guard target.hasTable(table.name) else { continue }
      if let schema { try target.add(schema: schema.row) }
      try target.setLastRowid(table.lastRowid, of: table.name)
    }
    for row in valueSchemas.values { try target.add(schema: row) }
  }

  /// Returns true for a table of this library.
  private func isKnown(_ entry: Entry) -> Bool {
    entry.name.hasSameBytes(as: "dictionary") || entry.name.hasPrefix("dflat_") || entry.name.hasPrefix("sqlite_")
      || EntityTableFormat.isKnown(entry.name, entry.sql) || tableIndex(of: entry) != nil
  }

  /// Returns the index of the table of objects that has the entry's name.
  private func tableIndex(of entry: Entry) -> Int? { tableIndexes[Self.caseless(entry.name)] }

  /// Finds the tables of objects: those that a list of the file names. SQLite takes names that differ in case for the
  /// same, so they are one table, with the name in its schema if there is one.
  private func addTables(_ entries: [Entry], _ sequences: [(name: String, last: Int64)]) {
    var names: [ByteComparedString: String] = [:]
    var last: [ByteComparedString: Int64] = [:]
    for sequence in sequences {
      let name = Self.caseless(sequence.name)
      names[name] = sequence.name
      last[name] = max(last[name] ?? 0, sequence.last)
    }
    var sql: [ByteComparedString: String] = [:]
    for entry in entries where EntityTableFormat.keyCount(ofTable: entry.name, entry.sql) != nil {
      names[Self.caseless(entry.name)] = entry.name
      sql[Self.caseless(entry.name)] = entry.sql
    }
    var texts: [ByteComparedString: String] = [:]
    for schema in schemas {
      names[Self.caseless(schema.table)] = schema.table
      texts[Self.caseless(schema.table)] = schema.text
    }
    tables = names.filter { RecoveredTable.isName($0.value) }.map { key, name in
      var table = RecoveredTable(name, schema: texts[key], sql: sql[key])
      table.lastRowid = last[key] ?? 0
      return table
    }
    tables.sort { $0.name.precedesInBytes($1.name) }
    for (index, table) in tables.enumerated() { tableIndexes[Self.caseless(table.name)] = index }
  }

  /// Returns a name without the case of its letters from A to Z, which is all that SQLite ignores.
  private static func caseless(_ name: String) -> ByteComparedString {
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return ByteComparedString(String(decoding: name.utf8.map { letters.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self))
  }

  private func copyRows(of entry: Entry) throws {
    switch entry.name {
    case "dflat_schema", "dflat_entity", "dflat_log": return
    case "dictionary":
      try scan.forEachRow(ofTableAt: entry.root) { record, _ in
        if try !addKey(record.values) { report.damagedRowCount += 1 }
      }
    case ReplacedTable.name:
      try scan.forEachRow(ofTableAt: entry.root) { record, _ in
        if try !addReplaced(record.values) { report.damagedRowCount += 1 }
      }
    default:
      let index = tableIndex(of: entry)
      // What is damaged in indexes isn't lost: programs fill them again.
      guard let index, !entry.name.isEmpty else { return }
      try scan.forEachRow(ofTableAt: entry.root) { record, _ in
        if try !addObject(record, to: index) { report.damagedRowCount += 1 }
      }
    }
  }

  // MARK: Rows

  /// Adds a row. Returns false if it isn't one of the dictionary, or there is another one with the key.
  private func addKey(_ row: [SQLiteRecord.Value]) throws -> Bool {
    try RecoveredRows.isKey(row) && target.add(key: row)
  }

  private func addReplaced(_ row: [SQLiteRecord.Value]) throws -> Bool {
    try RecoveredRows.isReplaced(row) && target.add(replaced: row)
  }

  private func addObject(_ record: SQLiteRecord, to index: Int) throws -> Bool {
    guard let object = tables[index].object(record), let rowid = record.rowid else { return false }
    tables[index].keyCount = object.count - 1
    return try target.add(object: object, rowid: rowid, to: tables[index].name)
  }

  // MARK: Pages that nothing refers to

  /// Copies the rows of a page that nothing refers to. It belongs to the table of which most of its rows can be.
  private func copyStrays(ofPage page: Int) throws {
    let (rows, damagedCount) = scan.rows(ofPage: page)
    if rows.allSatisfy({ RecoveredRows.isSchema($0.values) }) { return }
    let keys = rows.count { $0.rowid == nil && RecoveredRows.isKey($0.values) }
    let replaced = rows.count { $0.rowid == nil && RecoveredRows.isReplaced($0.values) }
    if keys > 0 || replaced > 0 {
      report.damagedRowCount += damagedCount
      for row in rows where row.rowid == nil {
        if try keys > 0 ? addKey(row.values) : addReplaced(row.values) { report.strayCount += 1 }
      }
      return
    }
    // Without a schema, any row with bytes could be an object.
    let counts = tables.indices.map { index in
      (index: index, count: tables[index].type == nil ? 0 : rows.count { tables[index].object($0) != nil })
    }
    guard let most = counts.max(by: { $0.count < $1.count }), most.count > 0 else {
      // Indexes and the log have rows without objects, and aren't needed.
      let hasObjects = rows.contains { row in
        row.values.count >= 3 && row.values[0] == .null && row.rowid != nil && isObject(row.values.last)
      }
      if hasObjects { report.unknownPageCount += 1 }
      return
    }
    guard counts.count(where: { $0.count == most.count }) == 1 else {
      report.unknownPageCount += 1
      return
    }
    report.damagedRowCount += damagedCount
    for row in rows {
      if try addObject(row, to: most.index) { report.strayCount += 1 }
    }
  }

  private func isObject(_ value: SQLiteRecord.Value?) -> Bool {
    if case .blob(let bytes)? = value { bytes.count >= 8 } else { false }
  }

  // MARK: The new file

  /// Checks the new file, and returns the report.
  private func checked(_ path: String) throws -> RecoveryReport {
    var report = report
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
    let types = tables.compactMap { $0.type?.flatBuffers.entity }
    // Orphans can have keys that others have, too, which leaves an object without its own.
    report.notes += try workspace.reindex(of: types) + workspace.checkIntegrity(of: types)
    workspace.shutdown(flags: .truncate)
    return report
  }
}
