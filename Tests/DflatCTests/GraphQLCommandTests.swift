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
    let written = ["Models/Character.fbs", "Models/Character.fbs.lock", "Models/Film.fbs", "Models/Film.fbs.lock"]
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
    ])
  func usage(arguments: [String]) throws {
    let outcome = try runner()(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.error.hasPrefix("Error: "))
  }
}
