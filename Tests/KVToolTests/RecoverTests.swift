import DflatBuffers
import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import MemoryReplication
import TestSupport
import Testing

@testable import kvtool

private typealias Article = Golden.Search.Article
private typealias Member = Club.Member

/// `recover`, on files that are damaged in every place.
@Suite(.timeLimit(.minutes(15))) struct RecoverTests {
  private let folder: TemporaryDirectory
  private let sound: String

  /// Creates a file with keys and objects on many pages, values on several pages, and free pages with deleted keys.
  init() throws {
    folder = try TemporaryDirectory("recover")
    sound = folder.file("sound.db")
    let workspace = try SQLiteWorkspace.open(filePath: sound)
    let dictionary = workspace.dictionary
    try workspace.transactAndWait { txn in
      for number in 0..<400 { txn.dictionary["deleted.\(number)"] = String(repeating: "d", count: 200) }
    }
    try workspace.transactAndWait([Article.self, Member.self]) { txn in
      txn.dictionary.removeAll(withPrefix: "deleted.")
      for number in 0..<300 {
        txn.dictionary["key.\(number)"] = number
        txn.dictionary.namespace("n\(number % 3)")["caf\u{65}\u{301}.\(number)"] = Double(number) / 3
      }
      for number in 0..<20 {
        txn.dictionary["large.\(number)"] = String(repeating: "\(number).", count: 2500 * (1 + number % 4))
      }
      txn.dictionary["data"] = Data((0...255).map { UInt8($0) })
      txn.dictionary["list"] = ["a": [1, 2], "b": []]
      for id: Int32 in 0..<120 {
        try txn.insert(
          Article(id: id, title: "title \(id)", body: String(repeating: "body ", count: Int(id)), stars: id % 7))
      }
      for number: UInt64 in 0..<100 { try txn.insert(Member(number: number, email: "\(number)@", card: Int32(number))) }
    }
    // A value that is kept when another type replaces it.
    dictionary["key.1"] = "text"
    try dictionary.synchronize()
    workspace.shutdown(flags: .truncate)
  }

  /// The rows of a table, as text.
  private func rows(_ table: String, of path: String) throws -> Set<String> {
    let connection = try Connection(path: path, mode: .readOnly, busyTimeout: .zero)
    let columns = [
      "dictionary": "namespace, key, type, quote(value), version, commit_number",
      "dflat_replaced": "commit_number, position, namespace, key, type, version, bytes, time, priority, quote(value)",
      "dflat_schema": "table_name, digest, schema", "dflat_entity": "name, last_rowid",
    ]
    var rows: Set<String> = []
    guard try connection.hasTable(table) else { return rows }
    let names = columns[table] ?? "rowid, quote(__pk0), hex(payload)"
    let count = Int32(names.split(separator: ", ").count)
    try connection.prepare("SELECT \(names) FROM \"\(table)\"").forEachRow { row in
      let texts = (0..<count).compactMap { row.type(at: $0) == .null ? nil : row.string(at: $0) }
      rows.insert(texts.joined(separator: "|"))
    }
    return rows
  }

  private static let tables = [
    "dictionary", "dflat_replaced", "dflat_schema", "golden__search__article", "club__member",
  ]

  private func recovered(_ path: String) throws -> (path: String, report: RecoveryReport) {
    let new = folder.file("new-\(UUID().uuidString).db")
    return (new, try Recovery.run(from: path, to: new))
  }

  /// Checks a file, and the objects of which it has the schema.
  private func requireSound(_ path: String) async throws {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    let schemas = try rows("dflat_schema", of: path)
    var types: [any Atom.Type] = []
    if schemas.contains(where: { $0.hasPrefix("golden__search__article|") }) { types.append(Article.self) }
    if schemas.contains(where: { $0.hasPrefix("club__member|") }) { types.append(Member.self) }
    let problems = try workspace.checkIntegrity(types)
    #expect(problems.isEmpty, "\(problems)")
    await workspace.shutdown()
  }

  @Test("A sound file is copied in full") func copiesSoundFiles() async throws {
    let (new, report) = try recovered(sound)
    #expect(report.isComplete && report.notes.isEmpty, "\(report.lines)")
    for table in Self.tables + ["dflat_entity"] {
      #expect(try rows(table, of: new) == rows(table, of: sound), "\(table)")
      #expect(try !rows(table, of: new).isEmpty, "\(table)")
    }
    try await requireSound(new)
    // Programs go on: numbers rise, and searches and indexes are filled.
    let workspace = try SQLiteWorkspace.open(filePath: new)
    let before = try workspace.fileStatistics().commitNumber
    try workspace.transactAndWait([Article.self]) { txn in _ = try txn.insert(Article(id: 1000, title: "red fox")) }
    #expect(try workspace.fileStatistics().commitNumber == before + 1)
    #expect(workspace.fetch(for: Article.self).where(Article.matches("fox")).map(\.id) == [1000])
    #expect(workspace.fetch(for: Member.self).where(Member.email == "7@").map(\.number) == [7])
    await workspace.shutdown()
  }

  @Test(
    "Whatever page is destroyed, everything that isn't on it is recovered",
    arguments: ["zeros", "noise", "a copy of another page"], 0..<2)
  func survivesAnyPage(damage: String, half: Int) async throws {
    let original = try [UInt8](Data(contentsOf: URL(fileURLWithPath: sound)))
    let pageSize = 4096
    let places = try placesOfRows()
    var random = SeededGenerator(seed: 7)
    // The cases run beside each other.
    for page in stride(from: 1 + half, through: original.count / pageSize, by: 2) {
      var bytes = original
      let range = (page - 1) * pageSize..<page * pageSize
      switch damage {
      case "zeros": bytes.replaceSubrange(range, with: repeatElement(0, count: pageSize))
      case "noise": for index in range { bytes[index] = UInt8.random(in: 0...255, using: &random) }
      default:
        let other = Int.random(in: 0..<original.count / pageSize, using: &random) * pageSize
        bytes.replaceSubrange(range, with: original[other..<other + pageSize])
      }
      let path = folder.file("damaged.db")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let (new, report) = try recovered(path)
      for table in Self.tables {
        let found = try rows(table, of: new)
        let lost = (places[table] ?? [:]).filter { !$0.value.contains(page) && !found.contains($0.key) }.keys
        let example = lost.first?.prefix(60) ?? ""
        #expect(lost.isEmpty, "page \(page): \(lost.count) of \(table), such as \(example): \(report.lines)")
      }
      let deleted = try rows("dictionary", of: new).count { $0.contains("|deleted.") }
      #expect(deleted == 0 || report.strayCount >= deleted, "page \(page)")
      try await requireSound(new)
      try FileManager.default.removeItem(atPath: new)
    }
  }

  /// Returns the pages of each row of the sound file.
  private func placesOfRows() throws -> [String: [String: Set<Int>]] {
    var scan = FileScan(try PageFile(path: sound))
    var roots: [String: Int] = [:]
    scan.forEachRow(ofTableAt: 1) { record, _ in
      if let name = record.values[1].text, case .integer(let root) = record.values[3] { roots[name] = Int(root) }
    }
    var places: [String: [String: Set<Int>]] = [:]
    for table in Self.tables {
      scan.forEachRow(ofTableAt: try #require(roots[table])) { record, pages in
        places[table, default: [:]][text(of: record, in: table)] = Set(pages)
      }
      // The reader and SQLite agree on every row.
      #expect(try Set(places[table, default: [:]].keys) == rows(table, of: sound))
    }
    #expect(!scan.damage.isAny)
    return places
  }

  /// Returns a record as `rows(_:of:)` does.
  private func text(of record: SQLiteRecord, in table: String) -> String {
    func quoted(_ value: SQLiteRecord.Value) -> String {
      switch value {
      case .null: "NULL"
      case .integer(let value): "\(value)"
      case .real(let value): quotedReal(value)
      case .text(let bytes): "'" + String(decoding: bytes, as: UTF8.self).replacing("'", with: "''") + "'"
      case .blob(let bytes): "X'" + hex(bytes) + "'"
      }
    }
    func plain(_ value: SQLiteRecord.Value) -> String? {
      switch value {
      case .null: nil
      case .text(let bytes): String(decoding: bytes, as: UTF8.self)
      default: quoted(value)
      }
    }
    func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02X", $0) }.joined() }
    let values = record.values
    let texts: [String?] =
      switch table {
      case "dictionary":
        [plain(values[0]), plain(values[1]), plain(values[2]), quoted(values[3])] + values[4...].map(plain)
      case "dflat_replaced": values.dropLast().map(plain) + [quoted(values[9])]
      case "dflat_schema": values.map(plain)
      default:
        [record.rowid.map { "\($0)" }, quoted(values[1])]
          + (values.last.map { [plain($0)?.dropFirst(2).dropLast().description] } ?? [])
      }
    return texts.compactMap { $0 }.joined(separator: "|")
  }

  /// Returns a number as SQLite's `quote` writes it.
  private func quotedReal(_ value: Double) -> String {
    guard let connection = try? Connection(path: Connection.memoryPath, mode: .memory, busyTimeout: .zero),
      let statement = try? connection.prepare("SELECT quote(?1)")
    else { return "" }
    statement.bind(value, at: 1)
    return (try? statement.firstRow { $0.string(at: 0) }) ?? ""
  }

  @Test("The newest commits come from the write-ahead log, up to the first damaged one") func readsTheLog() async throws
  {
    let path = folder.file("logged.db")
    let workspace = try SQLiteWorkspace.open(filePath: path)
    for number in 1...40 { try workspace.transactAndWait { txn in txn.dictionary["n\(number)"] = number } }
    let copy = folder.file("copy.db")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    await workspace.shutdown()
    let complete = try recovered(copy)
    #expect(complete.report.isComplete && complete.report.keyCount == 40, "\(complete.report.lines)")
    // Damage a frame in the middle: the commits before it are whole.
    var log = try [UInt8](Data(contentsOf: URL(fileURLWithPath: copy + "-wal")))
    log[log.count / 2] ^= 0x10
    try Data(log).write(to: URL(fileURLWithPath: copy + "-wal"))
    let (new, report) = try recovered(copy)
    #expect((1..<40).contains(report.keyCount) && report.notes.count == 1, "\(report.lines)")
    let values = try rows("dictionary", of: new)
    #expect(values == Set((1...report.keyCount).map { "|n\($0)|2|\($0)|\($0)" }))
    try await requireSound(new)
  }

  @Test("The log of a linked file is read, and a damaged salt is noticed") func findsTheLog() async throws {
    let path = folder.file("logged.db")
    let workspace = try SQLiteWorkspace.open(filePath: path)
    for number in 1...20 { try workspace.transactAndWait { txn in txn.dictionary["n\(number)"] = number } }
    let copy = folder.file("copy.db")
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
    await workspace.shutdown()
    let link = folder.file("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: copy)
    let linked = try recovered(link)
    #expect(linked.report.isComplete && linked.report.keyCount == 20, "\(linked.report.lines)")
    var log = try [UInt8](Data(contentsOf: URL(fileURLWithPath: copy + "-wal")))
    let frame = 24 + 4096
    log[32 + log.count / 2 / frame * frame + 9] ^= 1
    try Data(log).write(to: URL(fileURLWithPath: copy + "-wal"))
    let cut = try recovered(copy)
    #expect((1..<20).contains(cut.report.keyCount) && cut.report.notes.count == 1, "\(cut.report.lines)")
  }

  @Test("What a transaction that was rolled back has left in the log is no damage") func ignoresRolledBackFrames()
    throws
  {
    let path = folder.file("rolled.db")
    try FileManager.default.copyItem(atPath: sound, toPath: path)
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .zero)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA cache_size = 5")
    try connection.execute("UPDATE dictionary SET value = 1 WHERE key = 'key.5'")
    try connection.execute("BEGIN; UPDATE dictionary SET value = 2 WHERE key LIKE 'large%'")
    try connection.execute("UPDATE dictionary SET version = zeroblob(3000); ROLLBACK")
    try connection.execute("UPDATE dictionary SET value = 3 WHERE key = 'key.6'")
    let copy = folder.file("copy.db")
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
    connection.close()
    let (new, report) = try recovered(copy)
    #expect(report.isComplete, "\(report.lines)")
    #expect(try rows("dictionary", of: new) == rows("dictionary", of: path))
  }

  @Test("Files beside the new one are refused, and stay") func keepsFilesBesideTheNewOne() async throws {
    let kvtool = try KVToolRunner()
    let new = kvtool.folder.path + "/new.db"
    for suffix in ["-wal", "-journal"] {
      try Data("kept".utf8).write(to: URL(fileURLWithPath: new + suffix))
      let outcome = try await kvtool("recover", sound, new)
      #expect(outcome.status == 1 && outcome.error.contains("exists already"), "\(outcome.error)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: new + suffix)) == Data("kept".utf8))
      try FileManager.default.removeItem(atPath: new + suffix)
    }
    #expect(try await kvtool("recover", sound, new).status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: kvtool.folder.path).sorted() == ["new.db"])
  }

  @Test("Rows that can't be right are counted as lost, and the others are copied") func passesOverBadRows() async throws
  {
    let path = folder.file("rows.db")
    try FileManager.default.copyItem(atPath: sound, toPath: path)
    try RawDatabase.execute(
      """
      UPDATE dictionary SET commit_number = 281474976710655 WHERE key = 'key.5';
      UPDATE dictionary SET value = 'x' WHERE key = 'key.6';
      DELETE FROM dflat_schema; CREATE TABLE mine (a); INSERT INTO mine VALUES (1)
      """, on: path)
    let (new, report) = try recovered(path)
    #expect(report.damagedRowCount == 2 && report.keyCount == 620, "\(report.lines)")
    #expect(report.objects.map(\.count) == [100, 120])
    #expect(report.notes == ["not copied: the tables of other programs, mine"], "\(report.notes)")
    try await requireSound(new)
  }

  @Test("A whole number in place of a double is copied as readers take it, unless it is the bits of one")
  func wholeNumbers() async throws {
    let path = folder.file("numbers.db")
    try FileManager.default.copyItem(atPath: sound, toPath: path)
    try RawDatabase.execute(
      """
      UPDATE dictionary SET value = 7 WHERE namespace = 'n0' AND key LIKE 'caf%.3';
      UPDATE dictionary SET value = \((0.5).bitPattern) WHERE namespace = 'n0' AND key LIKE 'caf%.6'
      """, on: path)
    let (new, report) = try recovered(path)
    #expect(report.damagedRowCount == 1, "\(report.lines)")
    #expect(try rows("dictionary", of: new).contains { $0.contains(".3|5|7.0|") })
    try await requireSound(new)
  }

  // The data in the file happen to be those of a value that expires (11), too.
  @Test("A row with the tag of another type is not copied", arguments: zip([0, 10, 11, 24], [2, 2, 1, 2]))
  func otherTypes(tag: Int, damagedCount: Int) async throws {
    let path = folder.file("types.db")
    try FileManager.default.copyItem(atPath: sound, toPath: path)
    try RawDatabase.execute("UPDATE dictionary SET type = \(tag) WHERE key IN ('data', 'list')", on: path)
    let (new, report) = try recovered(path)
    #expect(report.damagedRowCount == damagedCount, "\(report.lines)")
    try await requireSound(new)
  }

  @Test("A schema under a damaged name is that of the table that it describes; a schema alone is no table")
  func schemasTellTheirTables() async throws {
    let path = folder.file("names.db")
    try FileManager.default.copyItem(atPath: sound, toPath: path)
    let unknown = "a newer grammar"
    try RawDatabase.execute(
      """
      UPDATE dflat_schema SET table_name = 'cleb__member' WHERE table_name = 'club__member';
      INSERT INTO dflat_schema VALUES ('ghost', \(FlatBuffersSchema.digest(of: unknown)), '\(unknown)')
      """, on: path)
    let (new, report) = try recovered(path)
    #expect(report.damagedRowCount == 1, "\(report.lines)")
    #expect(report.objects.map(\.type) == ["Club.Member", "ghost", "Golden.Search.Article"], "\(report.lines)")
    #expect(report.objects.map(\.count) == [100, 0, 120])
    #expect(try rows("dflat_schema", of: new) == rows("dflat_schema", of: sound))
    try await requireSound(new)
  }

  @Test("The schemas of the dictionary's values are copied, and no types of objects") func schemasOfValues()
    async throws
  {
    let path = folder.file("values.db")
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.dictionary["member"] = Member(number: 9, email: "9@")
    try workspace.dictionary.synchronize()
    await workspace.shutdown(flags: .truncate)
    let (new, report) = try recovered(path)
    #expect(report.isComplete && report.keyCount == 1 && report.objects.isEmpty, "\(report.lines)")
    let schemas = try rows("dflat_schema", of: new)
    #expect(try schemas.count == 1 && schemas == rows("dflat_schema", of: path))
    try await requireSound(new)
    // The text tells the name of the row.
    try RawDatabase.execute("UPDATE dflat_schema SET table_name = 'dictionary:Club.Mamber'", on: path)
    let (mended, damage) = try recovered(path)
    #expect(damage.damagedRowCount == 1, "\(damage.lines)")
    #expect(try rows("dflat_schema", of: mended) == schemas)
  }

  @Test("A table whose name differs in case from that in its schema is one table") func namesInOtherCase() async throws
  {
    let path = folder.file("case.db")
    try FileManager.default.copyItem(atPath: sound, toPath: path)
    try RawDatabase.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET name = 'Club__member', tbl_name = 'Club__member',
        sql = replace(sql, '"club__member"', '"Club__member"') WHERE name = 'club__member'
      """, on: path)
    let (new, report) = try recovered(path)
    #expect(report.objects.map(\.type) == ["Club.Member", "Golden.Search.Article"], "\(report.lines)")
    #expect(try rows("club__member", of: new) == rows("club__member", of: sound))
    try await requireSound(new)
  }

  @Test(
    "A replaced value that a repair would remove counts as lost",
    arguments: ["bytes = bytes + 1", "position = -1", "priority = 2"])
  func damagedReplacedValues(change: String) async throws {
    let path = folder.file("replaced.db")
    try FileManager.default.copyItem(atPath: sound, toPath: path)
    try RawDatabase.execute("UPDATE dflat_replaced SET \(change)", on: path)
    let (new, report) = try recovered(path)
    #expect(report.replacedCount == 0 && report.damagedRowCount == 1 && report.notes.isEmpty, "\(report.lines)")
    try await requireSound(new)
  }

  /// Writes big-endian numbers into a page.
  private func write(_ value: Int, _ count: Int, at position: Int, of page: inout [UInt8]) {
    for byte in 0..<count { page[position + byte] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - byte))) }
  }

  /// Each of the rows would read thousands of pages.
  @Test("Rows that all lead to the same pages, and can't be read, end soon")
  func readsPagesOnce() throws {
    let path = folder.file("chains.db")
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.dictionary["a"] = 1
    try workspace.dictionary.synchronize()
    workspace.shutdown(flags: .truncate)
    let root = try #require(
      try RawDatabase(path).text("SELECT rootpage FROM sqlite_master WHERE name = 'dictionary'").flatMap { Int($0) })
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let (leafCount, rowCount, chainLength) = (200, 250, 16_000)
    let firstLeaf = bytes.count / 4096 + 1
    let firstOfChain = firstLeaf + leafCount
    // The root leads to the leaves. Its own rows are empty.
    var inner = [UInt8](repeating: 0, count: 4096)
    inner[0] = 2
    write(leafCount, 2, at: 3, of: &inner)
    write(firstLeaf, 4, at: 8, of: &inner)
    for leaf in 0..<leafCount {
      write(4096 - 5 * (leaf + 1), 2, at: 12 + 2 * leaf, of: &inner)
      write(firstLeaf + leaf, 4, at: 4096 - 5 * (leaf + 1), of: &inner)
    }
    bytes.replaceSubrange(4096 * (root - 1)..<4096 * root, with: inner)
    // The rows of a leaf overlap: first their sizes, and 1,000 bytes after each the first page of the chain. They are
    // longer than the chain.
    var leaf = [UInt8](repeating: 0, count: 4096)
    leaf[0] = 10
    write(rowCount, 2, at: 3, of: &leaf)
    let size = 1_000 + 4_092 * (chainLength + 100)
    let sizeBytes = [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) | ($0 == 0 ? 0 : 0x80) }
    for row in 0..<rowCount {
      let place = 512 + 4 * row
      write(place, 2, at: 8 + 2 * row, of: &leaf)
      leaf.replaceSubrange(place..<place + 4, with: sizeBytes)
      write(firstOfChain, 4, at: place + 4 + 1_000, of: &leaf)
    }
    for _ in 0..<leafCount { bytes += leaf }
    for page in 1...chainLength {
      var next = [UInt8](repeating: 0, count: 4096)
      if page < chainLength { write(firstOfChain + page, 4, at: 0, of: &next) }
      bytes += next
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: ToolError.self) { _ = try recovered(path) }
    #expect(error?.status == .unreadableFile)
  }

  @Test("A table that the list of tables has many times is read once")
  func readsTablesOnce() async throws {
    let path = folder.file("list.db")
    try FileManager.default.copyItem(atPath: sound, toPath: path)
    try RawDatabase.execute(
      """
      PRAGMA writable_schema = ON;
      WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 20000)
      INSERT INTO sqlite_master
        SELECT type, name, tbl_name, rootpage, sql FROM t, sqlite_master WHERE name = 'dictionary'
      """, on: path)
    let (new, report) = try recovered(path)
    #expect(report.damagedRowCount == 0, "\(report.lines)")
    #expect(try rows("dictionary", of: new) == rows("dictionary", of: sound))
    try await requireSound(new)
  }

  @Test("Random damage ends in a sound file or an error", arguments: 0..<60) func survivesNoise(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: sound)))
    for _ in 0..<Int.random(in: 1...200, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2:
        // The headers of pages, where numbers of pages and cells are.
        bytes[place / 4096 * 4096 + place % 12] = UInt8.random(in: 0...255, using: &random)
      default:
        let count = min(Int.random(in: 1...3000, using: &random), bytes.count - place)
        for index in place..<place + count { bytes[index] = 0xFF }
      }
    }
    if seed % 5 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
    let path = folder.file("damaged.db")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let (new, _) = try recovered(path)
    try await requireSound(new)
  }

  @Test("A report names the types of which nothing was found, if something was lost") func reportsEmptyTypes() {
    var report = RecoveryReport()
    report.objects = [.init(type: "Post", count: 2), .init(type: "Tag")]
    #expect(report.lines == ["recovered: 0 keys", "recovered: 2 objects of Post"])
    report.missingPageCount = 2
    #expect(report.lines.last == "lost: what 2 references beyond the end of the file led to")
    report.damagedPages = [3]
    #expect(report.lines.contains("recovered: 0 objects of Tag"))
  }

  @Test("The command prints what it found, and exits with 5 if anything is lost") func command() async throws {
    let kvtool = try KVToolRunner()
    let new = kvtool.folder.path + "/new.db"
    let outcome = try await kvtool("recover", sound, new)
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    #expect(outcome.lines.contains("recovered: 120 objects of Golden.Search.Article"), "\(outcome.output)")
    let again = try await kvtool("recover", sound, new)
    #expect(again.status == 1 && again.error.contains("exists already"), "\(again.error)")
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: sound)))
    let page = try #require(try placesOfRows()["dictionary"]?["|key.5|2|5|2"]?.first)
    bytes.replaceSubrange(4096 * (page - 1)..<4096 * page, with: repeatElement(0, count: 4096))
    let damaged = kvtool.folder.path + "/damaged.db"
    try Data(bytes).write(to: URL(fileURLWithPath: damaged))
    let partial = try await kvtool("recover", damaged, kvtool.folder.path + "/partial.db")
    #expect(partial.status == 5 && partial.output.contains("lost: "), "\(partial.output)")
    #expect(try await kvtool("check", "--db", kvtool.folder.path + "/partial.db").status == 0)
  }

  @Test("The option --db may name the damaged file, in place of the first argument") func optionForTheFile()
    async throws
  {
    let kvtool = try KVToolRunner()
    let new = kvtool.folder.path + "/new.db"
    for arguments in [
      ["recover", "--db", sound, new + "1"], ["--db", sound, "recover", new + "2"],
      ["recover", new + "3", "--db=\(sound)"],
    ] {
      let outcome = try await kvtool.run(arguments)
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(arguments): \(outcome.error)")
      #expect(outcome.lines.contains("recovered: 120 objects of Golden.Search.Article"), "\(outcome.output)")
    }
    for (arguments, message) in [
      (["recover", sound], "kvtool recover DAMAGED NEW"), (["recover", "--db", sound], "Missing expected argument"),
      (["recover", "--db", sound, sound, new], "--db names the damaged file"),
    ] {
      let refused = try await kvtool.run(arguments)
      #expect(refused.status == 64 && refused.error.contains(message), "\(refused)")
    }
    #expect(!FileManager.default.fileExists(atPath: new))
  }

  @Test("What isn't a database leaves no file") func refusesOtherFiles() async throws {
    let kvtool = try KVToolRunner()
    let other = kvtool.folder.path + "/other"
    let new = kvtool.folder.path + "/new.db"
    #expect(try await kvtool("recover", other, new).status == 1)
    for content in ["", "a text\n", String(repeating: "a text ", count: 5000)] {
      try Data(content.utf8).write(to: URL(fileURLWithPath: other))
      let outcome = try await kvtool("recover", other, new)
      #expect(outcome.status == 5 && outcome.error.contains("nothing was found"), "\(outcome)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: kvtool.folder.path) == ["other"])
    }
    let folder = try await kvtool("recover", kvtool.folder.path, new)
    #expect(folder.status == 1 && folder.error.contains("is a folder: give the path of a file in it"), "\(folder)")
    let missing = try await kvtool("recover", sound, kvtool.folder.path + "/missing/new.db")
    #expect(missing.status == 1 && missing.error.contains("/missing/new.db' can't be created"), "\(missing)")
  }

  #if os(Linux)
    @Test("A file that a program has open is refused") func refusesOpenFiles() async throws {
      let kvtool = try KVToolRunner()
      let workspace = try SQLiteWorkspace.open(filePath: sound)
      #expect(workspace.dictionary["key.2", Int.self] == 2)
      let outcome = try await kvtool("recover", sound, kvtool.folder.path + "/new.db")
      #expect(outcome.status == 4 && outcome.error.contains("is open in process"), "\(outcome.error)")
      await workspace.shutdown()
    }
  #endif
}
