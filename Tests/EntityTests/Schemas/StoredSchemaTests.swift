import DflatKV
import DflatSQLite
import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Files store the schemas of their objects, and programs compare their own with them.
@Suite struct StoredSchemaTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    try workspace.insert(Item<FirstProgram>("a") { $0.count = 1 }, Item<FirstProgram>("b"))
  }

  // MARK: Support

  /// What the file stores: the schema and each row.
  private func contents() throws -> [String] {
    let connection = try Connection(path: test.path, mode: .readOnly, busyTimeout: .seconds(30))
    defer { connection.close() }
    var lines: [String] = []
    for sql in [
      "SELECT digest || schema FROM dflat_schema ORDER BY table_name",
      "SELECT rowid || hex(payload) FROM evolving_item ORDER BY rowid",
      "SELECT name || sql FROM sqlite_master WHERE type = 'table' ORDER BY name",
    ] {
      try connection.prepare(sql).forEachRow { lines.append($0.string(at: 0)) }
    }
    return lines
  }

  /// Changes the file's list of schemas as another program would: open workspaces read the list again after a commit.
  private func edit(_ sql: String) throws {
    try RawDatabase.execute(sql, on: test.path)
    try commitElsewhere()
  }

  private func commitElsewhere() throws {
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try other.transactAndWait { $0.dictionary["commit"] = UUID().uuidString }
  }

  private func storedSchema() throws -> String? {
    try RawDatabase(test.path).text("SELECT schema FROM dflat_schema WHERE table_name = 'evolving_item'")
  }

  /// Runs `body` in a transaction, with the description of a program that has the schema.
  private func use(_ text: String, _ body: (EntityDescription, Connection) throws -> Void) throws {
    let entity = ItemPath.entity([], schema: text)
    try workspace.transactAndWait { txn in
      let group = try txn.joinedGroup()
      try body(entity, group.connection)
      group.hasChanges = true
    }
  }

  private func expectMismatch(
    naming sentence: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: WorkspaceError.self, sourceLocation: sourceLocation, performing: body)
    let message = error?.message ?? ""
    #expect(
      error?.code == .schemaVersionMismatch && message.contains(sentence), "\(message)", sourceLocation: sourceLocation)
    #expect(message.contains("EvolvingItem") && message.contains(test.path), sourceLocation: sourceLocation)
  }

  // MARK: Storing

  @Test("The first object of a type stores its schema") func first() throws {
    #expect(try storedSchema() == ItemText.first)
    let digest = try RawDatabase(test.path).text("SELECT digest FROM dflat_schema")
    #expect(digest == String(FlatBuffersSchema.digest(of: ItemText.first)))
    #expect(try workspace.checkIntegrity([Item<FirstProgram>.self]) == [])
  }

  @Test("The lists are read again after another program's commit or a change of a list, not after other commits")
  func catalogNumbers() throws {
    func number() throws -> UInt64? {
      var number: UInt64?
      try workspace.transactAndWait { txn in
        number = try txn.joinedGroup().connection.catalogNumber
        txn.dictionary["own"] = UUID().uuidString
      }
      return number
    }
    let first = try #require(try number())
    #expect(try number() == first)
    try workspace.insert(Item<FirstProgram>("c"))
    #expect(try number() == first)
    try commitElsewhere()
    let second = try #require(try number())
    #expect(second != first)
    // This program's next version stores its schema.
    try use(ItemText.second) { try SchemaCatalog.store($0, on: $1) }
    let third = try #require(try number())
    #expect(third != second)
    // Other tools change a list without a commit number.
    try RawDatabase.execute("UPDATE dflat_schema SET digest = digest + 1", on: test.path)
    #expect(try number() == nil)
  }

  @Test("The digest is the 64-bit FNV-1a hash") func digest() {
    let examples: KeyValuePairs<String, UInt64> = [
      "": 0xcbf2_9ce4_8422_2325, "a": 0xaf63_dc4c_8601_ec8c, "foobar": 0x8594_4171_f739_67e8,
    ]
    for (text, hash) in examples { #expect(FlatBuffersSchema.digest(of: text) == Int64(bitPattern: hash), "\(text)") }
  }

  @Test("A transaction that is undone stores no schema") func undone() throws {
    let test = try TestWorkspace()
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait([Item<FirstProgram>.self]) { txn in
        _ = try txn.insert(Item<FirstProgram>("a"))
        throw Refusal()
      }
    }
    #expect(try RawDatabase(test.path).text("SELECT name FROM sqlite_master WHERE name = 'dflat_schema'") == nil)
    try test.workspace.insert(Item<OtherProgram>("a"))
    #expect(try RawDatabase(test.path).text("SELECT schema FROM dflat_schema") == ItemText.other)
  }

  @Test("A part of a transaction that is undone stores no schema, and the next part stores it")
  func undonePart() throws {
    let newer = try TestWorkspace.open(test.path)
    defer { newer.shutdown() }
    try newer.transactAndWait([Item<SecondProgram>.self]) { txn in
      let connection = try txn.joinedGroup().connection
      var count = 0
      #expect(throws: Refusal.self) {
        try txn.updateAll(Item<SecondProgram>.self) { values throws in
          values.rating = 1
          count += 1
          guard count < 2 else {
            #expect(try connection.text("SELECT schema FROM dflat_schema") == ItemText.second)
            throw Refusal()
          }
        }
      }
      #expect(try connection.text("SELECT schema FROM dflat_schema") == ItemText.first)
      try txn.insert(Item<SecondProgram>("c"))
    }
    #expect(try storedSchema() == ItemText.second)
  }

  @Test("A write that is refused stores no schema by itself, and the next write stores it") func refused() throws {
    let newer = try TestWorkspace.open(test.path)
    defer { newer.shutdown() }
    try newer.transactAndWait([Item<SecondProgram>.self]) { txn in
      let code = try errorCode { try txn.insert(Item<SecondProgram>("a")) }
      #expect(code == .objectAlreadyExists)
      let schema = try txn.joinedGroup().connection.text("SELECT schema FROM dflat_schema")
      #expect(schema == ItemText.second)
    }
    #expect(try storedSchema() == ItemText.first)
    try newer.insert(Item<SecondProgram>("c"))
    #expect(try storedSchema() == ItemText.second)
  }

  @Test("A newer schema is stored with its first write, not with reads; an older one changes nothing")
  func newerAndOlder() throws {
    let newer = try TestWorkspace.open(test.path)
    defer { newer.shutdown() }
    #expect(try newer.query(for: Item<SecondProgram>.self).fetch().count == 2)
    #expect(try storedSchema() == ItemText.first)
    try newer.insert(Item<SecondProgram>("c") { $0.rating = 1.5 })
    #expect(try storedSchema() == ItemText.second)
    try workspace.insert(Item<FirstProgram>("d"))
    #expect(try storedSchema() == ItemText.second)
    #expect(try workspace.query(for: Item<FirstProgram>.self).fetch().map(\.fields.key) == ["a", "b", "c", "d"])
    #expect(try newer.query(for: Item<SecondProgram>.self).where(Item<SecondProgram>.rating > 1).count() == 1)
  }

  @Test("A file without schemas is read, and the first write stores one") func olderFile() throws {
    workspace.shutdown(flags: .truncate)
    try RawDatabase.execute("DROP TABLE dflat_schema", on: test.path)
    let program = try TestWorkspace.open(test.path)
    defer { program.shutdown() }
    #expect(try program.query(for: Item<SecondProgram>.self).fetch().count == 2)
    #expect(try program.checkIntegrity([Item<SecondProgram>.self]) == [])
    try program.insert(Item<SecondProgram>("c"))
    #expect(try storedSchema() == ItemText.second)
  }

  @Test("After another tool drops the list, objects are read, and the next write stores the schema again")
  func droppedList() throws {
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 2)
    try edit("DROP TABLE dflat_schema")
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 2)
    #expect(try workspace.checkIntegrity([Item<FirstProgram>.self]) == [])
    try workspace.insert(Item<FirstProgram>("c"))
    #expect(try storedSchema() == ItemText.first)
  }

  // MARK: Comparing

  @Test(
    "Schemas that may follow each other share a file",
    arguments: [
      ItemText.text(fields: ItemText.firstFields + ["next: long"]),
      ItemText.first(replacing: "old: string (deprecated)"),
      ItemText.first(replacing: "count: int = 5 (unique)"),
      ItemText.text(fields: ItemText.firstFields.map { $0.replacing("old", with: "past") }),
      ItemText.text(colors: "Red, Green, Blue", fields: ItemText.firstFields),
      ItemText.text(content: "Text, Image", fields: ItemText.firstFields),
    ])
  func compatible(text: String) throws {
    try use(text) { try SchemaCatalog.store($0, on: $1) }
    #expect(try storedSchema() == text)
    try use(ItemText.first) { try SchemaCatalog.requireFit(of: $0, on: $1) }
    try workspace.insert(Item<FirstProgram>("c"))
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 3)
  }

  @Test(
    "A schema with an edit that dflatc check refuses is refused with its sentence",
    arguments: [
      (ItemText.shortened, "the field 'count' with the id 1 was removed; keep it and mark it as 'deprecated', so that"),
      (ItemText.shortened, "'color' has moved from id 2 to id 1; append new fields after the old ones"),
      (ItemText.shortened, "And 1 more."),
      (
        ItemText.first(replacing: "count: long = 5"),
        "'count' is 'long' and was 'int'; keep the old field as 'deprecated' and append another."
      ),
      (ItemText.first(replacing: "count: int = 6"), "'count' has the default 6 and had 5; defaults are not stored"),
      (ItemText.first(replacing: "count: int = null"), "'count' has the default null and had 5"),
      (ItemText.first(replacing: "old: string (required)"), "'old' has become required, but existing data may not"),
      (
        ItemText.text(fields: ["key: string", "count: int = 5 (primary)"] + ItemText.firstFields.dropFirst(2)),
        "'count' was not part of the primary key; keep the primary key"
      ),
      (ItemText.text(colors: "Green, Red", fields: ItemText.firstFields), "'Green' is 0 and was 1; keep its number"),
      (
        ItemText.text(base: "short", fields: ItemText.firstFields),
        "'Color' is a 'short' and was a 'byte'; keep the type"
      ),
      (
        ItemText.text(content: "Image, Text", fields: ItemText.firstFields),
        "'Text' is member 2 and was 1; append new members after the old ones"
      ),
      (
        ItemText.text(fields: ItemText.firstFields, end: "file_identifier \"ITEM\";"),
        "the file identifier is \"ITEM\" and was none"
      ),
    ] as [(String, String)])
  func incompatible(text: String, sentence: String) throws {
    let before = try contents()
    expectMismatch(naming: sentence) { try use(text) { try SchemaCatalog.requireFit(of: $0, on: $1) } }
    expectMismatch(naming: sentence) { try use(text) { try SchemaCatalog.store($0, on: $1) } }
    #expect(try contents() == before)
  }

  @Test("A program with a contradicting schema can't change objects, and its transactions fail")
  func refusedWrites() throws {
    let before = try contents()
    let item = try #require(try workspace.query(for: Item<FirstProgram>.self).first())
    let program = try TestWorkspace.open(test.path)
    defer { program.shutdown() }
    typealias Mistaken = Item<ShortenedProgram>
    let changes: [(TransactionContext) throws -> Void] = [
      { _ = try $0.insert(Mistaken("c")) },
      { _ = try $0.upsert(Mistaken("a")) },
      { _ = try $0.update(Mistaken("a")) { $0.count = 9 } },
      { try $0.delete(Mistaken("a")) },
      { _ = try $0.deleteAll(Mistaken.self) },
      { _ = try $0.deleteAll(Mistaken.self, where: Mistaken.count == 1) },
      { _ = try $0.updateAll(Mistaken.self) { $0.count += 1 } },
    ]
    for change in changes {
      expectMismatch(naming: "the field 'count'") { try program.transactAndWait([Mistaken.self], change) }
    }
    // The transaction fails even if the closure catches the error.
    expectMismatch(naming: "the field 'count'") {
      try program.transactAndWait([Mistaken.self]) { txn in
        txn.dictionary["kept"] = true
        _ = try? txn.insert(Mistaken("c"))
      }
    }
    #expect(program.dictionary["kept", Bool.self] == nil)
    expectMismatch(naming: "the field 'count'") { try program.removeUnusedIndexes(of: Mistaken.self) }
    #expect(try contents() == before)
    // Other programs continue.
    try workspace.transactAndWait([Item<FirstProgram>.self]) { try $0.delete(item) }
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 1)
  }

  @Test("A program with a contradicting schema reads no objects: queries throw, and fetches report")
  func refusedReads() throws {
    let reported = EventLog<WorkspaceError>()
    let program = try TestWorkspace.open(test.path) { $0.errorHandler = { reported.append($0) } }
    defer { program.shutdown() }
    typealias Mistaken = Item<ShortenedProgram>
    let query = program.query(for: Mistaken.self)
    expectMismatch(naming: "the field 'count'") { _ = try query.fetch() }
    expectMismatch(naming: "the field 'count'") { _ = try query.count() }
    expectMismatch(naming: "the field 'count'") { _ = try query.where(Mistaken.key == "a").first() }
    expectMismatch(naming: "the field 'count'") { _ = try query.explain() }
    #expect(program.fetch(for: Mistaken.self).all().isEmpty)
    #expect(program.fetch(for: Mistaken.self).count() == 0)
    #expect(try reported.wait(forCount: 2).map(\.code) == [.schemaVersionMismatch, .schemaVersionMismatch])
    expectMismatch(naming: "the field 'count'") { _ = try program.checkIntegrity([Mistaken.self]) }
    expectMismatch(naming: "the field 'count'") { try program.reindex([Mistaken.self]) }
  }

  @Test("A read-only workspace compares schemas, and stores none") func readOnly() throws {
    let before = try contents()
    let program = try TestWorkspace.open(test.path) { $0.isReadOnly = true }
    defer { program.shutdown() }
    #expect(try program.query(for: Item<SecondProgram>.self).fetch().count == 2)
    expectMismatch(naming: "the field 'count'") { _ = try program.query(for: Item<ShortenedProgram>.self).fetch() }
    #expect(try contents() == before)
  }

  @Test("Of two successors that contradict each other, the second to write is refused, also if it has read before")
  func contradictingSuccessors() throws {
    let second = try TestWorkspace.open(test.path)
    let other = try TestWorkspace.open(test.path)
    defer {
      second.shutdown()
      other.shutdown()
    }
    #expect(try second.query(for: Item<SecondProgram>.self).count() == 2)
    #expect(try other.query(for: Item<OtherProgram>.self).count() == 2)
    try other.insert(Item<OtherProgram>("c"))
    try second.core.checkForCommits()
    expectMismatch(naming: "'rating' (formerly 'note') is 'double' and was 'string'") {
      _ = try second.query(for: Item<SecondProgram>.self).count()
    }
    expectMismatch(naming: "'rating' (formerly 'note') is 'double' and was 'string'") {
      try second.insert(Item<SecondProgram>("d"))
    }
    #expect(try storedSchema() == ItemText.other)
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 3)
  }

  @Test("An index that was wanted before another program stored a contradicting schema isn't created")
  func filling() throws {
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try other.insert(Item<OtherProgram>("c"))
    let before = try contents()
    expectMismatch(naming: "'rating' (formerly 'note') is 'double' and was 'string'") {
      var filler = try IndexFill(of: SecondProgram.self, "rating")
      try workspace.transactAndWait { txn in _ = try filler.step(in: try txn.joinedGroup()) }
    }
    #expect(try contents() == before)
  }

  @Test("A subscription reports another program's contradicting schema once, and continues when the file fits again")
  func observed() throws {
    let log = EventLog<Int>()
    let result = workspace.fetch(for: Item<FirstProgram>.self).all()
    let subscription = workspace.subscribe(fetchedResult: result) { log.append($0.count) }
    defer { subscription.cancel() }
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    // No program of this library would store such a schema.
    func store(_ text: String, count: Int) throws {
      try other.transactAndWait([Item<V1>.self]) { txn in
        let connection = try txn.joinedGroup().connection
        let statement = try connection.prepare("UPDATE dflat_schema SET digest = ?1, schema = ?2")
        statement.bind(FlatBuffersSchema.digest(of: text), at: 1)
        try statement.bind(text, at: 2)
        try statement.run()
        connection.dropCatalogs()
        _ = try txn.insert(Item<V1>("c\(count)"))
      }
    }
    try store(ItemText.shortened, count: 1)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.schemaVersionMismatch])
    try store(ItemText.first, count: 2)
    #expect(try log.wait(forCount: 1) == [4])
  }

  @Test("A stored schema of another table under the right digest is refused, though its fields are never compared")
  func otherTable() throws {
    // Another program can't store such a schema. The types that it shares with the program's are newer ones.
    let text = """
      table Text { text: string; extra: string; }
      table EvolvingItem (v: "2") { key: string (primary); count: [Text]; color: Text; }
      root_type EvolvingItem;
      """
    try edit("UPDATE dflat_schema SET schema = '\(text)', digest = \(FlatBuffersSchema.digest(of: text))")
    let before = try contents()
    let sentence = "the stored schema describes the table 'evolvingitem_v2', not 'evolvingitem'."
    expectMismatch(naming: sentence) { _ = try workspace.query(for: Item<FirstProgram>.self).fetch() }
    expectMismatch(naming: sentence) {
      try workspace.transactAndWait([Item<FirstProgram>.self]) { txn in
        try txn.update(Item<FirstProgram>("a")) { $0.count = 9 }
      }
    }
    #expect(try contents() == before)
  }

  // MARK: Damage

  private static let unknown = "table EvolvingItem { key: string (primary) } root_type EvolvingItem @later;"

  @Test("A schema that only a newer program can read refuses the type's objects with .newerFormat")
  func unknownSyntax() throws {
    try edit(
      """
      UPDATE dflat_schema SET schema = '\(Self.unknown)', digest = \(FlatBuffersSchema.digest(of: Self.unknown))
      """)
    #expect(try errorCode { _ = try workspace.query(for: Item<FirstProgram>.self).fetch() } == .newerFormat)
    #expect(try errorCode { try workspace.insert(Item<FirstProgram>("c")) } == .newerFormat)
    let problems = try workspace.checkIntegrity([Item<FirstProgram>.self])
    #expect(
      problems == ["The stored schema of 'evolving_item' can't be read by this program: a newer program stored it."])
    #expect(try workspace.reindex([Item<FirstProgram>.self]) == [])
  }

  @Test("A text that is too large is not parsed, and counts as a newer program's") func hugeText() throws {
    let text = ItemText.first + String(repeating: " ", count: 1 << 16)
    try edit("UPDATE dflat_schema SET schema = '\(text)', digest = \(FlatBuffersSchema.digest(of: text))")
    #expect(try errorCode { _ = try workspace.query(for: Item<FirstProgram>.self).fetch() } == .newerFormat)
    #expect(try workspace.checkIntegrity().count == 1)
  }

  @Test("A row whose name is not text belongs to no table: the check and the repair leave it alone")
  func unnamed() throws {
    try edit("INSERT INTO dflat_schema VALUES (CAST('evolving_item' AS BLOB), 7, 'damaged')")
    #expect(try workspace.checkIntegrity([Item<FirstProgram>.self]) == [])
    #expect(try workspace.reindex([Item<FirstProgram>.self]) == [])
    #expect(try storedSchema() == ItemText.first)
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 2)
  }

  @Test(
    "A damaged schema is reported, and repaired by its removal",
    arguments: ["digest = 7", "digest = 'none'", "schema = x'00', digest = 8", "schema = '\(unknown)', digest = 9"])
  func damaged(change: String) throws {
    try edit("UPDATE dflat_schema SET \(change)")
    #expect(try errorCode { _ = try workspace.query(for: Item<FirstProgram>.self).fetch() } == .corrupt)
    #expect(try errorCode { try workspace.insert(Item<FirstProgram>("c")) } == .corrupt)
    let problems = try workspace.integrityProblems(of: [EntitySchema(Item<FirstProgram>.self)])
    #expect(problems.map(\.line) == ["The stored schema of 'evolving_item' is damaged."])
    #expect(problems.map(\.isRepairable) == [true])
    #expect(
      try workspace.reindex([Item<FirstProgram>.self]) == [
        "Removed the stored schema of 'evolving_item', which was damaged."
      ])
    #expect(try workspace.checkIntegrity([Item<FirstProgram>.self]) == [])
    try workspace.insert(Item<FirstProgram>("c"))
    #expect(try storedSchema() == ItemText.first)
  }

  @Test("A text that is damaged under the right digest is found by the check") func damagedText() throws {
    try edit("UPDATE dflat_schema SET schema = schema || ' '")
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 2)
    #expect(try workspace.checkIntegrity() == ["The stored schema of 'evolving_item' is damaged."])
  }
}
