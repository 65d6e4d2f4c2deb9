import DflatKV
import DflatSQLite
import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Programs compare their schemas with those of the objects in a file.
@Suite struct SchemaComparisonTests: StoredSchemaSuite {
  let test: TestWorkspace

  init() throws { test = try Self.workspaceWithItems() }

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
    try use(ItemText.first) { try SchemaCatalog.requireCompatibility(of: $0, on: $1) }
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
    expectMismatch(naming: sentence) { try use(text) { try SchemaCatalog.requireCompatibility(of: $0, on: $1) } }
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
}
