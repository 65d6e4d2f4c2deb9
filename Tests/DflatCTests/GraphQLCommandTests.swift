import Foundation
import Testing

/// `dflatc graphql` writes the schemas of entities, which dflatc compiles.
@Suite(.timeLimit(.minutes(15))) struct GraphQLCommandTests {
  static let schema = """
    type Query { hero: Character film(code: Int!): Film }
    interface Character { id: ID! name: String! films: [Film!] }
    type Human implements Character { id: ID! name: String! films: [Film!] height: Float }
    type Film { code: Int! title: String year: Year hero: Character }
    scalar Year
    """
  static let hero = "query Hero { hero { id name films { code title } ... on Human { height } } }"
  static let film = "query Film($code: Int!) { film(code: $code) { code year hero { id } } }"

  private func runner() throws -> DFlatCRunner {
    try DFlatCRunner([
      "schema.graphqls": Self.schema, "queries/hero.graphql": Self.hero, "queries/film.graphql": Self.film,
    ])
  }

  private let arguments = [
    "graphql", "--schema", "schema.graphqls", "--entity", "Character", "--entity", "Film:code", "--scalar", "Year=int",
    "--index", "Film.year", "-o", "Models", "queries/hero.graphql", "queries/film.graphql",
  ]

  @Test("Entities' schemas and locks are written, and compile") func writesSchemas() throws {
    let dflatc = try runner()
    let outcome = try dflatc(arguments)
    #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.error.isEmpty, "\(outcome.error)")
    let written = [
      "Models/Character.fbs", "Models/Character.fbs.lock", "Models/Film.fbs", "Models/Film.fbs.lock",
      "Models/GraphQLOperations.swift",
    ]
    #expect(try dflatc.files().filter { $0.hasPrefix("Models") } == written)
    let film = try dflatc.text("Models/Film.fbs")
    #expect(film.contains("  code: int (id: 0, primary);\n  hero: string (id: 1);\n  title: string (id: 2);\n"))
    #expect(film.contains("  year: int = null (id: 3, indexed);\n"))
    // The namespace of the values has the entity's name.
    let compiled = try dflatc("Models/Character.fbs", "Models/Film.fbs")
    #expect(compiled.status == 0 && compiled.error.isEmpty, "\(compiled.error)")
    #expect(try dflatc.text("Models/Character.fbs.swift").contains("class Character"))
  }

  @Test("Files that wouldn't change are not written again") func unchanged() throws {
    let dflatc = try runner()
    #expect(try dflatc(arguments).status == 0)
    let before = try ["Film.fbs", "Film.fbs.lock"].map { try dflatc.identity("Models/\($0)") }
    #expect(try dflatc(arguments).status == 0)
    #expect(try ["Film.fbs", "Film.fbs.lock"].map { try dflatc.identity("Models/\($0)") } == before)
  }

  @Test("The lock decides the numbers when operations change, and 'dflatc check' passes") func grows() throws {
    let dflatc = try runner()
    #expect(try dflatc(arguments).status == 0)
    let old = try dflatc.text("Models/Film.fbs")
    try dflatc.write(old, to: "old/Film.fbs")
    try dflatc.write("query Hero { hero { films { code year } } }", to: "queries/hero.graphql")
    try dflatc.write("query Film { film(code: 1) { code genre: title } }", to: "queries/film.graphql")
    #expect(try dflatc(arguments).status == 0)
    let text = try dflatc.text("Models/Film.fbs")
    #expect(text.contains("  title: string (id: 2);\n  year: int = null (id: 3, indexed);\n"))
    #expect(text.contains("  hero: string (id: 1, deprecated);\n"))
    let check = try dflatc("check", "old/Film.fbs", "Models/Film.fbs")
    #expect(check.status == 0, "\(check.error)")
  }

  @Test("If anything has an error, nothing is written, and all errors are reported at their places")
  func errors() throws {
    let dflatc = try runner()
    try dflatc.write("query Hero { hero { id nam } }", to: "queries/hero.graphql")
    try dflatc.write("query Film { film { code } }", to: "queries/film.graphql")
    let outcome = try dflatc(arguments)
    #expect(outcome.status == 1)
    let lines = outcome.error.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines[0].hasPrefix("queries/hero.graphql:1:24: error: 'Character' has no field 'nam'; did you mean 'name'?"))
    #expect(lines[1].hasPrefix("queries/film.graphql:1:14: error: the field 'film' lacks the argument 'code'"))
    #expect(try dflatc.files().filter { $0.hasPrefix("Models") }.isEmpty)
    // A file that isn't there.
    let missing = try dflatc("graphql", "--schema", "schema.json", "--entity", "Film", "a.graphql")
    #expect(missing.status == 1)
    #expect(missing.error.contains("schema.json:1:1: error: this file can't be read"))
    #expect(missing.error.contains("a.graphql:1:1: error: this file can't be read"))
  }

  @Test("A build takes the options of a file and the locks of another folder, and fails until they are accepted")
  func build() throws {
    let dflatc = try runner()
    let options = #"{"graphql": {"entities": {"Film": "code", "Character": "id"}, "scalars": {"Year": "int"}}}"#
    try dflatc.write(options, to: "dflatc.json")
    let operations = ["queries/hero.graphql", "queries/film.graphql"]
    let base = ["graphql", "--options", "dflatc.json", "--schema", "schema.graphqls"]
    let building = base + ["--swift", "--locks", ".", "-o", "Build"] + operations
    let missing = try dflatc(building)
    #expect(missing.status == 1)
    #expect(
      missing.error.split(separator: "\n").map { $0.prefix { $0 != ";" } } == [
        "./Character.fbs.lock:1:1: error: there is no such lock", "./Film.fbs.lock:1:1: error: there is no such lock",
      ])
    #expect(try dflatc.files().filter { $0.hasPrefix("Build") }.isEmpty)
    // Write the locks, and nothing else.
    let before = try dflatc.files()
    let accepted = try dflatc(base + ["--accept", "-o", "."] + operations)
    #expect(accepted.status == 0 && accepted.error.isEmpty, "\(accepted.error)")
    #expect(try dflatc.files() == (before + ["Character.fbs.lock", "Film.fbs.lock"]).sorted())
    let built = try dflatc(building)
    #expect(built.status == 0 && built.error.isEmpty, "\(built.error)")
    #expect(
      try dflatc.files().filter { $0.hasPrefix("Build") } == [
        "Build/Character.fbs", "Build/Character.fbs.swift", "Build/Film.fbs", "Build/Film.fbs.swift",
        "Build/GraphQLOperations.swift",
      ])
    #expect(try dflatc.text("Build/Film.fbs.swift").hasPrefix("// Generated by dflatc from Film.fbs;"))
    // Locks of GraphQL entities are no orphans of other schemas in the folder.
    try dflatc.write("table Other {}", to: "other.fbs")
    let other = try dflatc("--options", "dflatc.json", "other.fbs")
    #expect(other.status == 0 && other.error.isEmpty, "\(other.error)")
    // A field more.
    try dflatc.write("query Hero { hero { id name films { code title year } } }", to: "queries/hero.graphql")
    try dflatc.write(
      "query Film($code: Int!) { film(code: $code) { code title hero { id name } } }", to: "queries/film.graphql")
    let outdated = try dflatc(building)
    #expect(outdated.status == 1)
    #expect(outdated.error.hasPrefix("./Character.fbs.lock:1:1: error: this lock is not that of the operations; run "))
    #expect(try dflatc(base + ["--accept", "-o", "."] + operations).status == 0)
    #expect(try dflatc(building).status == 0)
  }

  @Test(
    "An options file that isn't one is refused, with what it may say",
    arguments: [
      (#"{"graphql": {"entities": {"Film": 1}}}"#, "not a valid options file"),
      (#"{"graphql": {"entities": {"Film": "code"}, "scalars": {"Year": "float"}}}"#, "not a valid options file"),
      (#"{"graphql": {"entities": {"Film": "code"}, "indexes": ["year"]}}"#, "not a valid options file"),
      (#"{"graphql": {"scalars": {}}}"#, "not a valid options file"),
      (
        #"{"graphql": {"entities": {}, "index": []}}"#,
        #"no option "index" here; the options are "entities", "scalars","#
      ),
      (#"{"graphQL": {}}"#, #"no option "graphQL" here; the options are "declareNamespaces", "graphql""#),
    ])
  func wrongOptions(text: String, message: String) throws {
    let dflatc = try runner()
    try dflatc.write(text, to: "dflatc.json")
    let outcome = try dflatc(
      "graphql", "--options", "dflatc.json", "--schema", "schema.graphqls", "queries/hero.graphql")
    #expect(outcome.status == 1 && outcome.error.hasPrefix("dflatc.json:1:1: error: "))
    #expect(outcome.error.contains(message), "\(outcome.error)")
  }

  @Test("A damaged lock is an error, and stays as it is") func damagedLock() throws {
    let dflatc = try runner()
    try dflatc.write("// Schema lock of dflatc, format 1\ntable Film {", to: "Models/Film.fbs.lock")
    let outcome = try dflatc(arguments)
    #expect(outcome.status == 1)
    #expect(outcome.error.contains("Models/Film.fbs.lock:2:13: error: this lock can't be read: its end is missing"))
    #expect(try dflatc.files().filter { $0.hasPrefix("Models") } == ["Models/Film.fbs.lock"])
  }

  @Test(
    "A wrong command line is refused",
    arguments: [
      ["graphql", "--schema", "s", "q"], ["graphql", "--entity", "A", "q"],
      ["graphql", "--schema", "s", "--entity", "A"],
      ["graphql", "--schema", "s", "--entity", "A:", "q"],
      ["graphql", "--schema", "s", "--entity", "A", "--entity", "A", "q"],
      ["graphql", "--schema", "s", "--entity", "A", "--scalar", "B=float", "q"],
      ["graphql", "--schema", "s", "--entity", "A", "--index", "B.c", "q"],
      ["graphql", "--schema", "s", "--entity", "A", "--index", "A", "q"],
      ["graphql", "--schema", "s", "--entity", "A", "--accept", "--locks", ".", "q"],
    ])
  func usage(arguments: [String]) throws {
    let outcome = try runner()(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.error.hasPrefix("Error: "))
  }
}
