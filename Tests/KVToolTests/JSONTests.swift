import Foundation
import Testing

@testable import kvtool

@Suite struct JSONTests {
  private func parse(_ text: String) throws -> JSONValue {
    try JSONParser.parse(Array(text.utf8))
  }

  @Test("The parser reads every kind of JSON value") func readsEveryKindOfValue() throws {
    let value = try parse(#" {"b": [true, false, null], "a": {"n": -5, "d": 1.0, "s": "x\n\u00e9\ud83d\ude00"}} "#)
    #expect(
      value
        == .object(
          JSONObject([
            "a": .object(JSONObject(["n": .int(-5), "d": .double(1), "s": .string("x\n\u{e9}\u{1F600}")])),
            "b": .array([.bool(true), .bool(false), .null]),
          ])))
  }

  @Test(
    "The parser reads numbers exactly",
    arguments: [
      ("9223372036854775807", JSONValue.int(.max)), ("-9223372036854775808", .int(.min)),
      ("18446744073709551615", .uint(.max)), ("18446744073709551616", .double(18446744073709551616)),
      ("12345678901234567000000000000", .double(12_345_678_901_234_567e12)),
      ("-100000000000000000000", .double(-1e20)), ("5e-324", .double(.leastNonzeroMagnitude)), ("1E2", .double(100)),
      ("0", .int(0)),
    ])
  func readsNumbersExactly(text: String, expected: JSONValue) throws {
    #expect(try parse(text) == expected)
  }

  @Test(
    "A whole number of which digits would be lost is refused",
    arguments: ["18446744073709551617", "-123456789012345678901"])
  func refusesLongNumbers(text: String) {
    #expect { try parse(text) } throws: { "\($0)".contains("more digits than can be stored") }
  }

  @Test("The parser keeps the sign of zero") func keepsTheSignOfZero() throws {
    guard case .double(let zero) = try parse("-0") else {
      Issue.record("-0 has to be a double, because an integer has no negative zero")
      return
    }
    #expect(zero.sign == .minus)
  }

  @Test(
    "The parser refuses malformed JSON",
    arguments: [
      "", " ", "{", "[1,]", "{\"a\":1,}", "01", "1.", ".5", "+1", "-", "1e", "nul", "\"", "\"\\x\"", "\"\\ud800\"",
      "\"\\ud800\\u0041\"", "\"\\u12g4\"", "\"a\nb\"", "1 2", "{\"a\" 1}", "{1:2}", "[1 2]", "1e999",
      "{\"a\":1,\"a\":2}",
    ])
  func refusesWhatIsNotJSON(text: String) {
    #expect(throws: JSONParser.Failure.self) { try parse(text) }
  }

  @Test("The parser refuses text that is not UTF-8") func refusesTextThatIsNotUTF8() {
    #expect(throws: JSONParser.Failure.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
  }

  @Test("The parser refuses nesting that would exhaust the stack")
  func refusesNestingThatWouldExhaustTheStack() throws {
    let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try parse(deep(JSONParser.maximumDepth))
    #expect(throws: JSONParser.Failure.self) { try parse(deep(JSONParser.maximumDepth + 1)) }
    #expect(throws: JSONParser.Failure.self) { try parse(String(repeating: "[", count: 1_000_000)) }
  }

  @Test("The parser names the line of an error") func namesTheLineOfAnError() {
    #expect(throws: JSONParser.Failure(line: 3, message: "',' or '}' is expected here")) {
      try parse("{\n\"a\": 1\n\"b\": 2}")
    }
  }

  @Test("The parser keeps canonically equivalent names apart") func keepsSpellingsOfOneCharacterApart() throws {
    let value = try parse("{\"e\u{301}\": 1, \"\u{e9}\": 2}")
    guard case .object(let object) = value else {
      Issue.record("The value is no object")
      return
    }
    #expect(object.members.count == 2)
    #expect(object["\u{e9}"] == .int(2))
  }

  @Test("The writer sorts names by bytes and escapes control characters")
  func sortsNamesByBytesAndEscapesControls() throws {
    let value = try parse(#"{"b":"\u0000\u001b\u009b\u2028\"\\","a/":"/","B":1}"#)
    #expect(JSONWriter.string(value) == #"{"B":1,"a/":"/","b":"\u0000\u001b\u009b\u2028\"\\"}"#)
  }

  @Test("The writer indents nested values") func indents() throws {
    let value = try parse(#"{"a":[1,{"b":[]}],"c":{}}"#)
    let text = """
      {
        "a": [
          1,
          {
            "b": []
          }
        ],
        "c": {}
      }
      """
    #expect(JSONWriter.string(value, layout: .indented) == text)
    #expect(try parse(text) == value)
  }

  @Test("A written number is read back to the same bits") func numbersReadBackToTheSameBits() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let double = Double(bitPattern: generator.next())
      guard double.isFinite else {
        continue
      }
      guard case .double(let read) = try parse(JSONWriter.string(.double(double))) else {
        Issue.record("\(double) did not read back as a double")
        return
      }
      #expect(read.bitPattern == double.bitPattern)
    }
  }

  @Test("The parser reads comments, bare words and infinities in the dialect of flatc")
  func readsWhatFlatcWrites() throws {
    let text = """
      // A comment
      { name: "x", color: Red, /* another **/ list: [inf, -inf, +nan, -infinity, 1,], 'quoted': true, flag: false,
      }
      """.replacingOccurrences(of: "'", with: "\"")
    #expect(throws: JSONParser.Failure.self) { try parse(text) }
    #expect(
      try JSONParser.parse(Array(text.utf8), dialect: .flatc)
        == .object(
          JSONObject([
            "name": .string("x"), "color": .string("Red"), "quoted": .bool(true), "flag": .bool(false),
            "list": .array([.string("inf"), .string("-inf"), .string("nan"), .string("-infinity"), .int(1)]),
          ])))
  }

  @Test(
    "The parser refuses malformed texts in the dialect of flatc",
    arguments: ["{a:}", "{a 1}", "{1:2}", "[-x]", "[+1]", "[,]", "{,}", "/* [1]", "/", "[1] /", "-", "[1,,]"])
  func flatcsDialectHasLimits(text: String) {
    #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(Array(text.utf8), dialect: .flatc) }
  }
}
