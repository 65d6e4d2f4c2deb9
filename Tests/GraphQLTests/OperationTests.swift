import DflatSchema
import Foundation
import TestSupport
import Testing

@testable import DflatGraphQL

/// The Swift code for operations.
@Suite struct OperationTests {
  private static func output(
    _ operations: String, schema: String = EntitySchemaTests.schema, of entities: [EntityOptions]
  ) throws(SchemaErrors) -> GraphQLDocuments.Output {
    try GraphQLDocuments(
      schemas: ["schema"], operations: ["operations"],
      from: MemorySource(["schema": schema, "operations": operations])
    ).output(for: entities, scalars: [:], file: { "\($0).fbs" }, lock: { _ in nil })
  }

  private static let character = EntityOptions(name: "Character", key: "id")
  private static let ship = EntityOptions(name: "Starship", key: "id")

  /// Returns the documents for the server of all operations.
  private static func documents(
    _ operations: String, schema: String = EntitySchemaTests.schema, of entities: [EntityOptions]
  ) throws(SchemaErrors) -> [String] {
    let documents = try GraphQLDocuments(
      schemas: ["schema"], operations: ["operations"],
      from: MemorySource(["schema": schema, "operations": operations]))
    var problems: [MappingProblem] = []
    let added = AddedFields(documents, EntityMembership(entities, in: documents.system, &problems))
    return documents.operations.compactMap { operation in
      ResponseShaper.shape(of: operation, in: documents, adding: added).map { shape in
        OperationPrinter.print(operation, of: documents, adding: added, typeNamed: shape.typeNamed)
          .joined(separator: "\n")
      }
    }
  }

  @Test("A document has keys and type names where they are missing") func additions() throws {
    let operations = """
      query Q($episode: Episode = EMPIRE) {
        hero(episode: $episode) { ...Names friends { id } }
        search(text: "a \\"b\\" \\\\ \\u0007 ü") { ... on Starship { long: length } ... on Review { stars } }
        node @include(if: true) { __typename ... on Human { height(unit: FOOT) } }
      }
      fragment Names on Character { name ... @skip(if: false) { appearsIn } }
      """
    let text = try Self.documents(operations, of: [Self.character, Self.ship])
    #expect(
      text == [
        """
        query Q($episode: Episode = EMPIRE) {
          hero(episode: $episode) {
            __typename
            id
            ...Names
            friends {
              __typename
              id
            }
          }
          search(text: "a \\"b\\" \\\\ \\u0007 ü") {
            __typename
            ... on Human { id }
            ... on Droid { id }
            ... on Starship { id }
            ... on Starship {
              long: length
            }
            ... on Review {
              stars
            }
          }
          node @include(if: true) {
            ... on Human { id }
            ... on Droid { id }
            ... on Starship { id }
            __typename
            ... on Human {
              height(unit: FOOT)
            }
          }
        }
        fragment Names on Character {
          name
          ... @skip(if: false) {
            appearsIn
          }
        }
        """
      ])
  }

  @Test(
    "Documents are valid, and adding to them again changes nothing",
    arguments: [
      "query Q { hero { name friends { friends { name } } } search(text: \"\") { __typename } }",
      "query Q { hero { id: name __typename: name } node { id: __typename } }",
      "query Q { search(text: \"\") { ... on Human { id: name } ... on Starship { length } } reviews { about { __typename } } }",
      "query Q { ...A } fragment A on Query { hero { ...B } } fragment B on Character { ... on Human { home { name } } id }",
    ])
  func valid(operations: String) throws {
    let first = try Self.documents(operations, of: [Self.character, Self.ship])
    for document in first {
      #expect(GraphQLErrors.of(schema: EntitySchemaTests.schema, operations: document).isEmpty, "\(document)")
    }
    // Fragments on object types are added to unions again, as are fields under other names.
    if !operations.contains("id: ") && !operations.contains("search") {
      #expect(try first.flatMap { try Self.documents($0, of: [Self.character, Self.ship]) } == first)
    }
  }

  @Test("The models of the tests of storing are dflatc's output") func golden() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("ResponseTests")
    let documents = try GraphQLDocuments(
      schemas: [folder.path + "/GraphQL/schema.graphqls"], operations: [folder.path + "/GraphQL/operations.graphql"])
    let models = folder.appendingPathComponent("Models")
    let entities = [Self.character, EntityOptions(name: "Film", key: "code")]
    let output = try documents.output(
      for: entities, scalars: ["Year": .int, "JSON": .json], file: { "\($0).fbs" },
      lock: { entity in
        let path = models.path + "/\(entity).fbs.lock"
        return (FileManager.default.contents(atPath: path)).flatMap { try? SchemaLock.schema(of: Array($0), at: path) }
      })
    var files = output.schemas.flatMap {
      [("\($0.entity).fbs", $0.text), ("\($0.entity).fbs.lock", $0.lock), ("\($0.entity).fbs.swift", $0.swift)]
    }
    files.append(("GraphQLOperations.swift", output.operations))
    for (name, text) in files {
      let url = models.appendingPathComponent(name)
      if ProcessInfo.processInfo.environment["DFLATKV_UPDATE_GOLDEN"] != nil {
        try Data(text.utf8).write(to: url)
      } else {
        #expect(try String(contentsOf: url, encoding: .utf8) == text, "\(name) differs; set DFLATKV_UPDATE_GOLDEN=1")
      }
    }
  }

  @Test("An operation without a name is named after its file") func anonymous() throws {
    let text = try Self.output("{ hero { name } }", of: [Self.character]).operations
    #expect(text.contains("public enum OperationsQuery: GraphQLOperation {"))
    #expect(text.contains("public static let operationName: String? = nil"))
  }

  @Test(
    "Operations whose types would have one name are refused at their places",
    arguments: [
      ("query Hero { hero { id } } query hero { hero { id } }", 34, "'hero'", "'Hero'"),
      (
        "mutation Hero { __typename } query A { hero { id } } mutation heroMutation { __typename }", 63,
        "'heroMutation'", "'Hero'"
      ),
      ("query A { hero { id } } query aQuery { hero { id } }", 31, "'aQuery'", "'A'"),
    ])
  func sameNames(operations: String, column: Int, name: String, other: String) throws {
    let schema = EntitySchemaTests.schema + "\ntype Mutation { a: Int }"
    let error = #expect(throws: SchemaErrors.self) {
      try Self.output(operations, schema: schema, of: [Self.character])
    }
    let diagnostic = try #require(error?.diagnostics.first)
    #expect(diagnostic.location.column == column && error?.diagnostics.count == 1, "\(diagnostic)")
    #expect(diagnostic.message.hasPrefix("\(name) would have the same type '") && diagnostic.message.hasSuffix(other))
  }

  @Test(
    "Entities that responses can't have are refused, with the reason",
    arguments: [
      (
        "type Query { u: U } union U = A | B type A { id: ID! } type B { id: Int! }", "U",
        "query Q { u { __typename } }",
        "the key 'B.id' has the type 'Int!', and 'A.id' the type 'ID!'"
      ),
      (
        "type Query { i: I } type I { id(raw: Boolean!): ID! x: Int }", "I", "query Q { i { x } }",
        "the key 'I.id' needs the argument 'raw'"
      ),
      (
        "type Query { d: Double } type Double { id: ID! p: Float }", "Double", "query Q { d { p } }",
        "the entity 'Double' would hide a type that the Swift code needs"
      ),
      (
        "type Query { i: I } type I { id: ID! name(upper: Boolean): String }", "I",
        "query Q { i { id: name(upper: true) } }", "this field would be stored as 'id', which is the key"
      ),
      (
        "type Query { i: I } interface I { id: ID! } type A implements I { id: ID! size(unit: Int): Int }", "I",
        "query Q { i { ... on A { subtype: size(unit: 1) } } }",
        "this field would be stored as 'subtype', which is the type of the object"
      ),
      (
        "type Query { i: int } type int { id: ID! }", "int", "query Q { i { id } }",
        "the entity 'int' has the name of a scalar of FlatBuffers"
      ),
      (
        "type Query { i: I } interface I { id: ID! }", "I", "query Q { i { id } }",
        "no object type implements the entity 'I'"
      ),
      (
        "type Query { i: A_b j: aB } type A_b { id: ID! } type AB { id: ID! } type aB { id: ID! }", "AB A_b",
        "query Q { i { id } }", "the entity 'A_b' would have the same type 'AB' in Swift as the entity 'AB'"
      ),
      (
        "type Query { i: URL j: Url } type URL { id: ID! } type Url { id: ID! }", "URL Url", "query Q { i { id } }",
        "the entity 'Url' would have the same files as 'URL' where the case of letters doesn't count in file names"
      ),
    ])
  func refused(schema: String, entities: String, operations: String, message: String) throws {
    let entities = entities.split(separator: " ").map { EntityOptions(name: String($0), key: "id") }
    let error = #expect(throws: SchemaErrors.self) { try Self.output(operations, schema: schema, of: entities) }
    #expect(error?.diagnostics.map(\.message) == [message])
  }

  @Test("An object of another interface than the entity is stored, and referred to, if its type belongs to the entity")
  func otherInterface() throws {
    let schema = """
      type Query { posts: [Post!] } interface Actor { id: ID! } type User implements Actor { id: ID! name: String }
      type Post { id: ID! author: Actor! editor: Actor editors: [Actor] readers: [[Actor!]!] reviewer: User }
      """
    let text = try Self.output(
      "query Q { posts { author { id } editor { id } editors { id } readers { id } reviewer { name } } }",
      schema: schema, of: [EntityOptions(name: "Post", key: "id"), EntityOptions(name: "User", key: "id")]
    ).operations
    for line in [
      #"object.author = ["User"].contains(self.author.typename) ? self.author.id : nil"#,
      #"object.editor = self.editor.flatMap { ["User"].contains($0.typename) ? $0.id : nil }"#,
      #"object.editors = (self.editors ?? []).compactMap { $0.flatMap { ["User"].contains($0.typename) ? $0.id : nil } }"#,
      #"_Post.ListOfActor(items: $0.compactMap { ["User"].contains($0.typename) ? $0.id : nil }) }"#,
      "object.reviewer = self.reviewer?.id\n",
    ] {
      #expect(text.contains(line), "\(text)")
    }
    // All but the reviewer, whose type is the entity's.
    let upsert = #"    case "User":\#n      try writer.upsert(_User.self"#
    #expect(text.components(separatedBy: upsert).count == 5, "\(text)")
  }

  @Test("A part that many fragments lead to is made once") func manyFragments() throws {
    let schema = "type Query { a: Item } type Item { id: ID! a: Item x: Int }"
    var text = "query Q { a { ...F0 ...G0 } } fragment F60 on Item { x } fragment G60 on Item { x }"
    for level in 0..<60 {
      for name in ["F", "G"] {
        text += " fragment \(name)\(level) on Item { a { ...F\(level + 1) ...G\(level + 1) } }"
      }
    }
    let output = try Self.output(text, schema: schema, of: [EntityOptions(name: "Item", key: "id")])
    #expect(output.operations.count { $0 == "\n" } > 60)
  }

  @Test("A chain of fragments that is too deep is refused") func deepFragments() throws {
    let schema = "type Query { item: Item } type Item { id: ID! a: Item }"
    var text = "query Q { item { ...F0 } } fragment F3000 on Item { id }"
    for level in 0..<3_000 { text += " fragment F\(level) on Item { a { ...F\(level + 1) } }" }
    let error = #expect(throws: SchemaErrors.self) {
      try Self.output(text, schema: schema, of: [EntityOptions(name: "Item", key: "id")])
    }
    #expect(error?.diagnostics.first?.message == "the result of 'Q' is too large")
  }

  @Test("Conditions of fragments that multiply are refused") func manyConditions() throws {
    var schema = "type Query { i: I } interface I { id: ID! }"
    var text = "query Q { i { ...F0 } } fragment F20 on I { id }"
    for index in 0..<20 {
      schema += " type T\(index) implements I { id: ID! }"
      let others = (0..<20).filter { $0 != index }.map { "T\($0)" }
      schema += " union U\(index) = \(others.joined(separator: " | "))"
      text += " fragment F\(index) on I { ...F\(index + 1) ... on U\(index) { ...F\(index + 1) } }"
    }
    let error = #expect(throws: SchemaErrors.self) {
      try Self.output(text, schema: schema, of: [EntityOptions(name: "I", key: "id")])
    }
    #expect(error?.diagnostics.first?.message == "the result of 'Q' is too large")
  }

  @Test("Fragments that multiply the parts of a result are refused") func manyParts() throws {
    let schema = "type Query { item: Item } type Item { id: ID! a: Item b: Item }"
    var text = "query Q { item { ...F0 } } fragment F60 on Item { id }"
    for level in 0..<60 { text += " fragment F\(level) on Item { a { ...F\(level + 1) } b { ...F\(level + 1) } }" }
    let error = #expect(throws: SchemaErrors.self) {
      try Self.output(text, schema: schema, of: [EntityOptions(name: "Item", key: "id")])
    }
    #expect(error?.diagnostics.first?.message == "the result of 'Q' is too large")
    // A fragment that many others use is one part.
    text = "query Q { item { ...F0 } } fragment F60 on Item { id }"
    for level in 0..<60 { text += " fragment F\(level) on Item { ...F\(level + 1) ... on Item { ...F\(level + 1) } }" }
    _ = try Self.output(text, schema: schema, of: [EntityOptions(name: "Item", key: "id")])
  }
}
