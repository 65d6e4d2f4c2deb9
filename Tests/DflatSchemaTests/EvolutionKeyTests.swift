import DflatSchema
import Testing

/// Problems of primary keys that `check` reports, beyond the fixtures: each change once, and moves as moves.
@Suite struct EvolutionKeyTests {
  static let advice = "keep the primary key, or change 'v' of the table to start over"

  private func problems(_ old: String, _ new: String) throws -> [String] {
    try evolutionProblems("table A { \(old) } root_type A;", "table A {\n\(new) } root_type A;")
  }

  @Test("A string that joins the primary key is reported once") func aStringThatJoinsTheKeyIsToldOnce() throws {
    #expect(
      try problems("id: int (primary); name: string;", "id: int (primary); name: string (primary);")
        == ["2:20: 'name' was not part of the primary key; \(Self.advice)"])
  }

  @Test("A string that leaves the primary key is reported once") func aStringThatLeavesTheKeyIsToldOnce() throws {
    #expect(
      try problems("id: int (primary); name: string (primary);", "id: int (primary); name: string;")
        == ["2:20: 'name' was part of the primary key; \(Self.advice)"])
  }

  @Test("A required string that joins the primary key is reported once")
  func aFieldThatBecomesTheKeyAndRequired() throws {
    #expect(
      try problems("id: int (primary); name: string (required);", "id: int (primary); name: string (primary);")
        == ["2:20: 'name' was not part of the primary key; \(Self.advice)"])
  }

  @Test("A new string in the primary key is reported once") func aNewStringInTheKeyIsToldOnce() throws {
    #expect(
      try problems("id: int (primary);", "id: int (primary); name: string (primary);")
        == ["2:20: 'name' was not part of the primary key; \(Self.advice)"])
  }

  @Test("A key field that moves to another id is not reported as leaving the key")
  func aKeyThatMovesHasNotLeft() throws {
    #expect(
      try problems("id: int (primary, id: 0); a: int (id: 1);", "a: int (id: 0); id: int (primary, id: 1);") == [
        "2:1: 'a' has moved from id 1 to id 0; append new fields after the old ones, deprecate fields instead of removing "
          + "them, or write ids",
        "2:17: 'id' has moved from id 0 to id 1; append new fields after the old ones, deprecate fields instead of removing "
          + "them, or write ids",
      ])
  }

  @Test("A removed key field is reported as a removed field only") func aKeyThatIsGone() throws {
    #expect(
      try problems("a: int (primary); b: int; id: int (primary);", "a: int (primary); b: int;") == [
        "1:7: the field 'id' with the id 2 was removed; "
          + "keep it and mark it as 'deprecated', so that no other field gets its id"
      ])
  }

  @Test("A new order of key fields is reported together with a field that joins the key")
  func theOrderOfWhatIsKeptIsToldBesideWhatJoins() throws {
    #expect(
      try problems(
        "a: int (primary, id: 0); b: int (primary, id: 1);",
        "b: int (primary, id: 1); c: int (primary, id: 2); a: int (primary, id: 0);") == [
          "1:7: the fields of the primary key are in a different order; \(Self.advice)",
          "2:26: 'c' was not part of the primary key; \(Self.advice)",
        ])
  }

  @Test("Key fields that keep their order can be renamed") func renamedKeysKeepTheirOrder() throws {
    #expect(
      try problems("a: int (primary); b: string (primary);", "number: int (primary); title: string (primary);") == [])
  }

  @Test("A table that becomes a root can get a primary key") func aTableThatBecomesARootHasNoOldKey() throws {
    #expect(
      try evolutionProblems(
        "table A { id: int; name: string; }", "table A { id: int (primary); name: string; } root_type A;") == [])
  }
}

/// Returns the problems of an evolution in the form `line:column: message; advice`, after the name of an included file.
func evolutionProblems(
  _ old: String, _ new: String, with oldFiles: [String: String] = [:], and newFiles: [String: String] = [:]
) throws -> [String] {
  func schema(_ text: String, _ files: [String: String]) throws -> Schema {
    let source = MemorySource(files.merging(["t.fbs": text]) { first, _ in first })
    return try SchemaCompiler(source: source).compile("t.fbs")
  }
  return SchemaEvolution.problems(from: try schema(old, oldFiles), to: try schema(new, newFiles)).map { problem in
    let place = problem.location
    let file = place.file == "t.fbs" ? "" : "\(place.file):"
    return "\(file)\(place.line):\(place.column): \(problem.message); \(problem.advice)"
  }
}
