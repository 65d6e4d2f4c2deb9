import DflatKV
import Foundation
import Testing

@testable import kvtool

/// Values as text.
@Suite struct ValueTests {
  @Test(
    "A text is read as a value of the type that is asked for",
    arguments: [
      ("true", ValueType.bool, StoredValue.bool(true)), ("no", .bool, .bool(false)), ("-7", .int, .int(-7)),
      ("18446744073709551615", .uint, .uint(.max)), ("0.1", .float, .float(0.1)), ("1e300", .double, .double(1e300)),
      ("inf", .double, .double(.infinity)), (" x ", .string, .string(" x ")), ("", .string, .string("")),
      ("5", .json, .int(5)), ("\"5\"", .json, .string("5")), ("2.0", .json, .double(2)), ("true", .json, .bool(true)),
    ])
  func readsText(text: String, type: ValueType, expected: StoredValue) throws {
    #expect(try ValueText(text).value(as: type) == expected)
  }

  @Test(
    "A text that doesn't fit the type that is asked for is refused",
    arguments: [
      ("2", ValueType.bool), ("1.0", .int), ("9223372036854775808", .int), ("-1", .uint), ("1e39", .float),
      ("1e400", .double), ("", .int), (" 1", .int), ("null", .json), ("{", .json), ("{\"a\":1}", .plist),
    ])
  func refusesText(text: String, type: ValueType) {
    #expect(throws: ValueFailure.self) { try ValueText(text).value(as: type) }
  }

  @Test("A value read from a stream loses its last newline, unless it is data")
  func leavesOutTheNewlineThatEndsAStream() throws {
    #expect(try ValueText(stream: Array("5\n".utf8)).value(as: .int) == .int(5))
    #expect(try ValueText(stream: Array("a\n\n".utf8)).value(as: .string) == .string("a\n"))
    #expect(try ValueText(stream: [1, 10]).value(as: .data) == .data(Data([1, 10])))
    #expect(try ValueText("a\n").value(as: .string) == .string("a\n"))
    #expect(throws: ValueFailure.self) { try ValueText(stream: [0xFF]).value(as: .string) }
  }

  @Test("A text for an existing property list is read as a property list") func keepsTheTypeOfAPropertyList() throws {
    let list = try ValueText("[1, 2.0]").value(keeping: .propertyList)
    #expect(list.kind == .propertyList)
    #expect(try list.rawText() == "[1,2.0]")
    #expect(throws: ValueFailure.self) { try ValueText("5").value(keeping: .propertyList) }
    let xml = "<plist><array><integer>1</integer></array></plist>"
    #expect(try ValueText(xml).value(keeping: .propertyList).rawText() == "[1]")
    #expect(throws: ValueFailure.self) { try ValueText("x").value(keeping: .flatBuffers) }
  }

  @Test(
    "The message about a value that can't replace a property list says what can", arguments: ["light", "3", #""x""#])
  func namesWhatReplacesAPropertyList(text: String) {
    #expect { try ValueText(text).value(keeping: .propertyList) } throws: { error in
      let message = (error as? ValueFailure)?.message ?? ""
      return message.hasPrefix("it holds a property list: ") && message.contains("array") && message.contains("--type")
    }
  }

  @Test("The message about a word that is no JSON has the word in quotes, and others have none")
  func quotesAWordThatIsNoJSON() {
    let word = "the value is not JSON, line 1: a value is expected here; a string is in quotes: '\"dark\"'"
    #expect(throws: ValueFailure(word)) { try ValueText("dark").value(as: .json) }
    let comma = "the value is not JSON, line 1: a name in double quotes is expected here"
    #expect(throws: ValueFailure(comma)) { try ValueText(#"{"a":1,}"#).value(as: .json) }
  }

  @Test(
    "Typed JSON restores every value without loss",
    arguments: [
      StoredValue.bool(true), .int(.min), .uint(.max), .float(0.1), .float(-.infinity), .double(0.1 + 0.2),
      .double(.nan), .double(-0.0), .string("a\u{0}\n\"\u{1F600}"), .data(Data([0, 255])),
      .flatBuffers(Data([1]), schemaVersion: "3"), .sealed(Data([1, 2])),
      .propertyList(Data(try BinaryPropertyListWriter.write(PropertyListTests.sample))),
    ])
  func typedJSONIsLossless(value: StoredValue) throws {
    let schemaVersion: String? = if case .flatBuffers(_, let version) = value { version } else { nil }
    let text = JSONWriter.string(value.losslessJSON)
    let json = try JSONParser.parse(Array(text.utf8))
    #expect(try StoredValue(json, kind: value.kind, schemaVersion: schemaVersion).isSame(as: value))
    if value.kind != .flatBuffers {
      let typed = JSONWriter.string(try value.typedJSON())
      #expect(try StoredValue(JSONParser.parse(Array(typed.utf8)), kind: value.kind).isSame(as: value))
    }
  }

  @Test(
    "A string is printed as its format and the terminal require",
    arguments: [
      (OutputFormat.auto, false, "a \"b\"\n"), (.auto, true, "\"a \\\"b\\\"\"\n"), (.raw, true, "a \"b\"\n"),
      (.json, false, "\"a \\\"b\\\"\"\n"), (.hex, false, "612022" + "6222\n"),
    ])
  func printsAString(format: OutputFormat, isTerminal: Bool, expected: String) throws {
    let printed = try ValuePrinter(format, isTerminal: isTerminal).bytes(.string("a \"b\""))
    #expect(String(decoding: printed, as: UTF8.self) == expected)
  }

  @Test("Data is printed as bytes, in hexadecimal or as JSON") func printsDataAsItsBytes() throws {
    #expect(try ValuePrinter(.auto, isTerminal: false).bytes(.data(Data([1, 2]))) == [1, 2])
    #expect(try ValuePrinter(.auto, isTerminal: true).bytes(.data(Data([1, 2]))) == Array("0102\n".utf8))
    #expect(try ValuePrinter(.json, isTerminal: true).bytes(.data(Data([1]))) == Array("{\"$data\":\"AQ==\"}\n".utf8))
  }

  @Test("A property list is printed as JSON or XML") func printsPropertyLists() throws {
    let value = try ValueText("{\"b\": [1.5], \"a\": \"x\"}").value(as: .json)
    let text = { (format: OutputFormat, isTerminal: Bool) in
      String(decoding: try ValuePrinter(format, isTerminal: isTerminal).bytes(value), as: UTF8.self)
    }
    #expect(try text(.auto, false) == "{\"a\":\"x\",\"b\":[1.5]}\n")
    #expect(try text(.auto, true) == "{\n  \"a\": \"x\",\n  \"b\": [\n    1.5\n  ]\n}\n")
    #expect(try text(.plist, false).contains("<real>1.5</real>"))
    let version = StoredValue.flatBuffers(Data([1, 2]), schemaVersion: "4")
    #expect(try version.rawText() == "flatbuffers version 4 2 bytes")
    let hidden = StoredValue.flatBuffers(Data([1]), schemaVersion: "4\u{202E}")
    #expect(try hidden.rawText() == #"flatbuffers version "4\u202e" 1 bytes"#)
  }

  @Test("A printed number is read back unchanged") func numbersPrintSoThatTheyReadBack() throws {
    for value in [StoredValue.float(0.1), .float(16_777_216), .double(1e21), .double(.nan), .double(-.infinity)] {
      guard let type = ValueType(keeping: value.kind) else {
        continue
      }
      #expect(try ValueText(value.rawText()).value(as: type).isSame(as: value))
    }
  }

  @Test("Values are compared by their type and their bytes") func stringsCompareByTheirBytes() {
    #expect(!StoredValue.string("\u{e9}").isSame(as: .string("e\u{301}")))
    #expect(!StoredValue.int(1).isSame(as: .uint(1)))
  }

  @Test("An increment keeps the type of the value") func incrementsKeepTheType() throws {
    #expect(try Increment("2").added(to: .int(40)) == .int(42))
    #expect(try Increment("-2").added(to: .uint(3)) == .uint(1))
    #expect(try Increment("1").added(to: .double(0.5)) == .double(1.5))
    #expect(try Increment("1").added(to: nil) == .int(1))
    #expect(try Increment("18446744073709551615").added(to: nil) == .uint(.max))
    #expect(try Increment("0.5").added(to: nil) == .double(0.5))
    #expect(try Increment("0.5").added(to: .int(1)) == .double(1.5))
    #expect(try Increment("-0.5").added(to: .uint(1)) == .double(0.5))
    #expect(try Increment("1e3").added(to: .int(1)) == .int(1001))
    #expect(try Increment("0.5").added(to: .float(1)) == .float(1.5))
    #expect(try Increment("-9223372036854775808").added(to: .uint(1 << 63)) == .uint(0))
    #expect(try Increment("9223372036854775808").added(to: .int(-1)) == .int(.max))
  }

  @Test(
    "An increment that doesn't fit the value is refused",
    arguments: [
      ("1", StoredValue.int(.max)), ("-1", .int(.min)), ("-1", .uint(0)), ("-4", .uint(3)), ("1", .uint(.max)),
      ("18446744073709551615", .int(-1)), ("1.7e308", .double(1.7e308)), ("1", .string("1")), ("1", .bool(true)),
      ("0.5", .int(.max)), ("1e300", .int(1)), ("-9223372036854775809", .int(1)), ("3e38", .float(3e38)),
    ])
  func incrementsThatDoNotFitAreErrors(by: String, current: StoredValue) {
    #expect(throws: ValueFailure.self) { try Increment(by).added(to: current) }
  }

  @Test("An increment has to be a finite number", arguments: ["", "x", "nan", "inf", "1 "])
  func incrementsAreNumbers(text: String) {
    #expect(throws: ValueFailure.self) { try Increment(text) }
  }
}
