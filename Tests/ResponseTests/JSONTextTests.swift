import DflatKV
import DflatResponses
import Foundation
import TestSupport
import Testing

/// Custom scalars with any JSON.
@Suite struct JSONTextTests {
  private func text(_ json: String) throws -> String {
    try JSONDecoder().decode([JSONText].self, from: Data("[\(json)]".utf8))[0].text
  }

  @Test(
    "A value of any type is kept as JSON, without white space and in the order of names",
    arguments: [
      ("null", "null"), ("true", "true"), ("false", "false"), ("0", "0"), ("1.0", "1"), ("-2.50", "-2.5"),
      ("9223372036854775807", "9223372036854775807"), ("18446744073709551615", "18446744073709551615"),
      ("12345678901234567890123456789.123", "12345678901234567890123456789.123"), ("1e300", "1e+300"),
      ("5e-324", "5e-324"), (#""""#, #""""#), (#""\u0000\n\"\/\\é𝄞""#, #""\u0000\n\"/\\é𝄞""#),
      (#"{ "b": [1, {}, []], "a": {"é": null, "Z": "x"} }"#, #"{"a":{"Z":"x","é":null},"b":[1,{},[]]}"#),
      (#"[[[]], {"": 0}]"#, #"[[[]],{"":0}]"#),
    ])
  func values(json: String, expected: String) throws {
    #expect(try text(json) == expected)
    #expect(try text(expected) == expected, "the text of the text")
  }

  @Test("JSON that nests deeper than 200 is refused") func deep() throws {
    let json = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(try text(json(200)) == json(200))
    #expect(throws: DecodingError.self) { try text(json(202)) }
  }

  @Test("It is stored as text, and an equal value changes nothing") func storing() async throws {
    let test = try TestWorkspace()
    func store(_ json: String) async throws -> StoredObjects {
      let data = Data(#"{"data": {"film": \#(json)}}"#.utf8)
      return try await JSONDecoder().decode(GraphQLResponse<ExtrasQuery>.self, from: data).result()
        .store(in: test.workspace)
    }
    let first = try await store(#"{"code": 1, "extra": {"b": 1, "a": null}, "extras": [["x", null, 2], null]}"#)
    #expect(first.new(Film.self).map(\.extra) == [#"{"a":null,"b":1}"#])
    #expect(first.new(Film.self).first?.extras.map(\.items) == [["\"x\"", "2"]])
    let second = try await store(#"{"code": 1, "extra": {"a": null, "b": 1.0}, "extras": [["x", 2]]}"#)
    #expect(second.unchangedCount == 1 && second.changedCount == 0)
    let third = try await store(#"{"code": 1, "extra": null, "extras": []}"#)
    #expect(third.changed(Film.self).map(\.extra) == [nil])
  }
}
