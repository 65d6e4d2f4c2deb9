import DflatEntities
import DflatKV
import DflatSchema
import GoldenModels
import TestSupport
import Testing

@testable import kvtool

/// Changes of objects by a program that has no generated code.
@Suite struct DescribedObjectTests {
  private static func described(_ text: String) throws -> DescribedType {
    let schema = try SchemaText.schema(of: text)
    let root = try #require(schema.files.last?.rootTable)
    return DescribedType(try #require(EntityDescription(ofTable: root, in: schema, text: text)), name: "Club.Member")
  }

  @Test(
    "A change with a schema that the file no longer has is refused",
    arguments: [("  note: string (id: 5);\n", ""), ("email: string (id: 1, unique)", "email: string (id: 1)")])
  func staleSchema(old: String, new: String) throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Club.Member.self]) { try $0.insert(Club.Member(number: 1, email: "a")) }
    let text = try #require(try test.workspace.storedTables().first?.schema)
    #expect(text.contains(old))
    let stale = try Self.described(text.replacing(old, with: new))
    let bytes = Club.Member(number: 2, email: "a").toData()
    let error = #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait(declaring: [stale]) { transaction in
        let writer = try DescribedWriter(stale, in: transaction)
        try bytes.withUnsafeBytes { try writer.insert($0) }
      }
    }
    #expect(error?.code == .schemaVersionMismatch)
    #expect(try test.workspace.storedTables().first?.schema == text)
    // The unique index is still checked.
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait([Club.Member.self]) { try $0.insert(Club.Member(number: 2, email: "a")) }
    }
    #expect(test.workspace.fetch(for: Club.Member.self).all().count == 1)
  }

  @Test("Descriptions of one table share the statements that connections keep") func sharedStatements() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Club.Member.self]) { try $0.insert(Club.Member(number: 1)) }
    let text = try #require(try test.workspace.storedTables().first?.schema)
    let (first, second) = (try Self.described(text).entity, try Self.described(text).entity)
    #expect(first !== second && first.sql === second.sql)
    #expect(first.sql === Club.Member._entity.sql)
    #expect(first.sql !== Post._entity.sql)
  }

  @Test("A program that describes a type for each write doesn't keep all descriptions") func manyDescriptions() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Club.Member.self]) { try $0.insert(Club.Member(number: 0)) }
    let text = try #require(try test.workspace.storedTables().first?.schema)
    weak var first: EntityDescription?
    for number in 1...100 {
      let type = try Self.described(text)
      if number == 1 { first = type.entity }
      try test.workspace.transactAndWait(declaring: [type]) { transaction in
        let writer = try DescribedWriter(type, in: transaction)
        try Club.Member(number: UInt64(number)).toData().withUnsafeBytes { try writer.insert($0) }
      }
    }
    #expect(first == nil)
    #expect(test.workspace.fetch(for: Club.Member.self).all().count == 101)
  }

  @Test("A1: A refused write undoes no other writes after an upsert that listed a table and changed nothing else")
  func listedByUnchangedWrite() throws {
    let test = try TestWorkspace { $0.fillsIndexes = false }
    let member = Club.Member(number: 1)
    try test.workspace.transactAndWait([Club.Member.self]) { try $0.insert(member) }
    try RawDatabase.execute("DELETE FROM dflat_entity", on: test.path)
    let members = try Self.described(try #require(Club.Member.flatBuffersSchema).text)
    let posts = try Self.described(try #require(Post.flatBuffersSchema).text)
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try other.transactAndWait([Post.self]) { try $0.insert(Post(title: "a")) }
    try other.transactAndWait(declaring: [members, posts]) { transaction in
      let writer = try DescribedWriter(members, in: transaction)
      try member.toData().withUnsafeBytes { try writer.upsert($0) }
      try Post(title: "b").toData().withUnsafeBytes { try DescribedWriter(posts, in: transaction).insert($0) }
      #expect(throws: WorkspaceError.self) { try member.toData().withUnsafeBytes { try writer.insert($0) } }
    }
    #expect(other.fetch(for: Post.self).all().map(\.title) == ["a", "b"])
    #expect(try other.checkIntegrity([Club.Member.self, Post.self]) == [])
  }

  @Test("A writer needs the declaration of its type") func undeclared() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Club.Member.self]) { try $0.insert(Club.Member(number: 1)) }
    let type = try Self.described(try #require(try test.workspace.storedTables().first?.schema))
    let error = #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait([Post.self]) { _ = try DescribedWriter(type, in: $0) }
    }
    #expect(error?.code == .undeclaredType && error?.message.contains("Club.Member") == true)
  }

  @Test("Only the vectors of the chosen fields are sorted by their elements' keys") func vectorOrder() throws {
    let schema = try SchemaText.schema(
      of: """
        table Item { name: string (key); }
        struct Point { x: int (key); }
        table List { id: int (primary); items: [Item]; points: [Point]; others: [Item]; }
        root_type List;
        """)
    let type = SchemaType(.table(try #require(schema.files.last?.rootTable)), in: schema)
    let items = #"[{"name":"b"},{"name":"a"}]"#
    let text = #"{"id":1,"items":\#(items),"points":[{"x":2},{"x":1}],"others":\#(items)}"#
    let bytes = try type.verifiedBytes(try JSONParser.parse(Array(text.utf8))) { $0 == "others" }
    let json = try bytes.withUnsafeBytes { JSONWriter.string(try type.json($0)) }
    #expect(
      json == #"{"id":1,"items":\#(items),"points":[{"x":2},{"x":1}],"others":[{"name":"a"},{"name":"b"}]}"#)
  }

  @Test("A schema whose types lead to an index on very many paths, or very long ones, is read") func hostileSchema() {
    for (count, fields) in [(40, ["a", "b"]), (1_500, ["a"])] {
      let tables = (0..<count).map { number in
        "table T\(number) { \(fields.map { "\($0): T\(number + 1);" }.joined(separator: " ")) }"
      }
      let text =
        tables.joined(separator: "\n")
        + "\ntable T\(count) { n: int (indexed); }\ntable Root { id: int (primary); t: T0; }\nroot_type Root;"
      let table = StoredTable(name: "root", schema: text, count: nil, indexes: [], isSearchComplete: nil)
      #expect(StoredType(table) != nil)
    }
  }
}
