import DflatSchema
import TestSupport
import Testing

@testable import DflatGraphQL

/// Schemas of entities replace those of earlier runs, whatever operations and GraphQL schemas they were made from.
@Suite struct EntityEvolutionTests {
  @Test("The schema of each run can replace that of every earlier one") func anyTwoRuns() throws {
    var generator = SeededGenerator.announced(for: "anyTwoRuns")
    for _ in 0..<60 {
      var lock: String?
      var runs: [Schema] = []
      for _ in 0..<6 {
        let document = RandomSchema(&generator)
        let result = try EntitySchemaTests.schema(
          document.operations(&generator), of: [EntityOptions(name: "Item", key: "id")], schema: document.text,
          after: lock)
        lock = result.lock
        runs.append(try SchemaCompiler(source: MemorySource(["Item.fbs": result.text])).compile("Item.fbs"))
        for (index, old) in runs.dropLast().enumerated() {
          let problems = SchemaEvolution.problems(from: old, to: runs[runs.count - 1])
          #expect(problems.isEmpty, "run \(index) to run \(runs.count - 1): \(problems)\n\(result.text)")
        }
      }
    }
  }

  /// Returns the output for an entity `Item` with a field `status`, after runs with other types of that field.
  private func output(ofRuns types: [String]) throws -> GraphQLDocuments.Output {
    var outputs: [GraphQLDocuments.Output] = []
    for type in types {
      let isObject = type.hasPrefix("type")
      outputs.append(
        try EntitySchemaTests.output(
          "query Items { items { id status \(isObject ? "{ text }" : "") } }",
          of: [EntityOptions(name: "Item", key: "id")],
          schema: "type Query { items: [Item] } type Item { id: ID! status: Status } \(type)",
          after: outputs.last?.schemas[0].lock))
    }
    return try #require(outputs.last)
  }

  @Test("An enum is stored, although an object had its name in an earlier run") func enumWithNameOfObject() throws {
    for runs in 1...2 {
      let enums = [String](repeating: "enum Status { OPEN }", count: runs)
      let output = try output(ofRuns: ["type Status { text: String }"] + enums)
      #expect(output.schemas[0].text.contains("enum Status_: int"))
      #expect(
        output.operations.contains(
          """
          extension _Item.Status_ {
            fileprivate init(_ value: GraphQLTypes.Status) {
              switch value {
              case .OPEN: self = .OPEN
              case .unknown: self = .unknown
          """))
    }
  }

  @Test("A value that is called Unknown is stored with a number of its own") func unknownAsValue() throws {
    for runs in 1...2 {
      let later = [String](repeating: "enum Status { OPEN Unknown }", count: runs)
      let output = try output(ofRuns: ["enum Status { OPEN }"] + later)
      #expect(output.schemas[0].text.contains("Unknown = 0,"))
      #expect(output.schemas[0].text.contains("Unknown_ = 2"))
      #expect(output.operations.contains("case .unknown: self = .Unknown_\n"))
      #expect(output.operations.contains("case .unknown2: self = .unknown\n"))
    }
  }

  @Test(
    "A value that is called Unknown and one with underscores after that are different values, whichever is added first",
    arguments: [
      (["OPEN Unknown Unknown_"], "Unknown_ = 2", "Unknown__ = 3"),
      (["OPEN Unknown", "OPEN Unknown Unknown_"], "Unknown_ = 2", "Unknown__ = 3"),
      (["OPEN Unknown_", "OPEN Unknown"], "Unknown_ = 3", "Unknown__ = 2"),
      (["OPEN Unknown_", "OPEN Unknown Unknown_"], "Unknown_ = 3", "Unknown__ = 2"),
    ])
  func unknownWithUnderscores(later: [String], first: String, second: String) throws {
    let text = try output(ofRuns: (["OPEN"] + later).map { "enum Status { \($0) }" }).schemas[0].text
    for value in ["Unknown = 0", first, second] {
      #expect(text.contains("  \(value)"), "\(text)")
    }
    #expect(throws: Never.self) { try SchemaCompiler(source: MemorySource(["Item.fbs": text])).compile("Item.fbs") }
  }

  @Test("A type that becomes an entity, or no longer is one, is another member of unions", arguments: [false, true])
  func typeThatBecomesAnEntity(isEntityFirst: Bool) throws {
    let schema = """
      type Query { items: [Item] } type Item { id: ID! about: Thing } union Thing = Part | Other
      type Part { id: ID! name: String } type Other { text: String }
      """
    let operations = "query Items { items { about { ... on Part { name } ... on Other { text } } } }"
    let documents = try GraphQLDocuments(
      schemas: ["schema"], operations: ["operations"],
      from: MemorySource(["schema": schema, "operations": operations]))
    let (item, part) = (EntityOptions(name: "Item", key: "id"), EntityOptions(name: "Part", key: "id"))
    var locks: [String: Schema] = [:]
    var runs: [Schema] = []
    for run in 0..<4 {
      let isEntity = (run % 2 == 0) == isEntityFirst
      let output = try documents.output(
        for: isEntity ? [item, part] : [item], scalars: [:], file: { "\($0).fbs" }, lock: { locks[$0] })
      for schema in output.schemas {
        locks[schema.entity] = try SchemaLock.schema(of: Array(schema.lock.utf8), at: "lock")
      }
      let text = output.schemas[0].text
      runs.append(try SchemaCompiler(source: MemorySource(["Item.fbs": text])).compile("Item.fbs"))
      for old in runs.dropLast() {
        #expect(SchemaEvolution.problems(from: old, to: runs[run]).isEmpty, "\(text)")
      }
      // The member of the first run keeps its name.
      let member = isEntity == isEntityFirst ? "part" : "Part_"
      let value = isEntity ? "reference" : "member"
      #expect(output.operations.contains("table.subtype = .\(member)(\(value))"), "\(output.operations)")
    }
  }

  @Test("An enum that is no longer stored needs no value of the schema") func enumThatIsNotStored() throws {
    let schema = "type Query { items: [Item] status: Status } type Item { id: ID! status: Status }"
    let entities = [EntityOptions(name: "Item", key: "id")]
    let first = try EntitySchemaTests.output(
      "{ items { id status } }", of: entities, schema: schema + " enum Status { OPEN }", after: nil)
    let second = try EntitySchemaTests.output(
      "{ items { id } status }", of: entities, schema: schema + " enum Status { OPEN SHUT }",
      after: first.schemas[0].lock)
    #expect(second.schemas[0].text.contains("enum Status: int"))
    #expect(!second.operations.contains("fileprivate init(_ value: GraphQLTypes.Status)"))
  }
}

/// A GraphQL schema with an entity `Item`, whose fields have other types each time.
private struct RandomSchema {
  private var fields: [(type: String, fields: [(name: String, type: String)])] = []
  private(set) var text = "type Query { items: [Item] first: First second: Second part: Part other: Other }\n"

  private static let types = [
    "Int", "Float!", "String", "[String!]", "[[Int]]", "Color", "[Color!]!", "Part", "[Part]", "Thing", "[Thing!]",
    "Item", "[Item!]", "Date",
  ]

  init(_ generator: inout SeededGenerator) {
    let key = [(name: "id", type: "ID!")]
    let common = Self.fields(["a", "b"], &generator)
    // The entity is an interface or an object; others are objects, unions or enums.
    if Bool.random(using: &generator) {
      add("interface Item", key + common)
      add("type First implements Item", key + common + Self.fields(["c", "d"], &generator))
      add("type Second implements Item", key + common + Self.fields(["d", "e"], &generator))
    } else {
      add("type Item", key + common)
      add("type First", Self.fields(["c"], &generator))
      add("type Second", Self.fields(["d"], &generator))
    }
    add("type Part", Self.fields(["p", "q"], &generator))
    add("type Other", [(name: "p", type: "Int")])
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: text += "union Thing = Part | Other\n"
    case 1: text += "union Thing = Other | First\n"
    case 2: text += "enum Thing { ONE TWO }\n"
    // An interface that no object implements yet.
    case 3: text += "interface Thing { p: Int }\n"
    case 4: text += "interface Thing { p: Int } type Made implements Thing { p: Int }\n"
    default: add("type Thing", Self.fields(["p", "q"], &generator))
    }
    let colors = ["RED", "GREEN", "BLUE", "Unknown"].shuffled(using: &generator)
    text += "enum Color { \(colors.prefix(Int.random(in: 1...4, using: &generator)).joined(separator: " ")) }\n"
    text += "scalar Date\n"
  }

  private static func fields(_ names: [String], _ generator: inout SeededGenerator) -> [(name: String, type: String)] {
    names.map { ($0, types.randomElement(using: &generator) ?? "") }
  }

  private mutating func add(_ header: String, _ fields: [(name: String, type: String)]) {
    self.fields.append((String(header.split(separator: " ")[1]), fields))
    text += "\(header) { \(fields.map { "\($0.name): \($0.type)" }.joined(separator: " ")) }\n"
  }

  /// Returns queries that select some fields of each type.
  func operations(_ generator: inout SeededGenerator) -> String {
    var text = ""
    for (type, fields) in fields where type != "Thing" {
      let selected = fields.filter { _ in Bool.random(using: &generator) }.map { "\($0.name)\(braces($0.type))" }
      let field = type == "Item" ? "items" : type.lowercased()
      text += "query \(type) { \(field) { __typename \(selected.joined(separator: " ")) } }\n"
    }
    return text
  }

  /// Returns a selection for a field's type, if it has fields.
  private func braces(_ type: String) -> String {
    let name = type.filter(\.isLetter)
    let isEnum = name == "Color" || name == "Thing" && text.contains("enum Thing")
    return ["ID", "Int", "Float", "String", "Date"].contains(name) || isEnum ? "" : " { __typename }"
  }
}
