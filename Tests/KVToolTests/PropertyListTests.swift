import DflatKV
import DflatSupport
import Foundation
import Testing

@testable import kvtool

@Suite struct PropertyListTests {
  static let sample = PropertyListNode.dictionary([
    .init(key: "array", value: .array([.int(0), .int(-1), .int(.max), .int(.min), .int(300), .int(70_000)])),
    .init(key: "big", value: .uint(.max)),
    .init(key: "bytes", value: .data(Array(0...255))),
    .init(key: "date", value: .date(785_982_946)),
    .init(key: "empty", value: .dictionary([])),
    .init(key: "flags", value: .array([.bool(true), .bool(false)])),
    .init(key: "long", value: .string(String(repeating: "long ", count: 100))),
    .init(key: "real", value: .array([.real(1), .real(-0.0), .real(.infinity), .real(.leastNonzeroMagnitude)])),
    .init(key: "text <&>", value: .string("caf\u{e9} \u{1F600}\r\n\t\"'")),
  ])

  private struct Settings: Codable, Equatable {
    var name = "caf\u{e9}"
    var scale = 1.0
    var level: Float = 0.5
    var count = -3
    var enabled = true
    var saved = Date(timeIntervalSinceReferenceDate: 785_982_946.123456)
    var bytes = Data([1, 2, 3])
    var tags = ["a", "b"]
    var note: String?
  }

  @Test("A binary property list is read as it was written") func binaryReadsWhatItWrites() throws {
    #expect(try PropertyListNode.parse(BinaryPropertyListWriter.write(Self.sample)) == Self.sample)
  }

  @Test("An XML property list is read as it was written") func xmlReadsWhatItWrites() throws {
    let text = try XMLPropertyListWriter.string(Self.sample)
    #expect(try PropertyListNode.parse(Array(text.utf8)) == Self.sample)
  }

  @Test(
    "The tool reads property lists that Foundation writes",
    arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func readsWhatThePlatformWrites(format: PropertyListSerialization.PropertyListFormat) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    let node = try PropertyListNode.parse([UInt8](encoder.encode(Settings())))
    guard case .dictionary(let members) = node else {
      Issue.record("The property list is no dictionary")
      return
    }
    let values = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) })
    #expect(values["scale"] == .real(1), "A real is distinct from an integer")
    #expect(values["count"] == .int(-3))
    #expect(values["enabled"] == .bool(true))
    #expect(values["bytes"] == .data([1, 2, 3]))
    #expect(values["tags"] == .array([.string("a"), .string("b")]))
    #expect(values["name"] == .string("caf\u{e9}"))
  }

  @Test("Foundation reads binary property lists that the tool writes") func thePlatformReadsWhatItWrites() throws {
    let settings = Settings()
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let node = try PropertyListNode.parse([UInt8](encoder.encode(settings)))
    let again = Data(try BinaryPropertyListWriter.write(node))
    #expect(try PropertyListDecoder().decode(Settings.self, from: again) == settings)
  }

  @Test("A property list's JSON restores every kind of value") func jsonRestoresEverything() throws {
    let node = PropertyListNode.array([
      Self.sample, .null, .uid(7), .date(0.1), .date(1e20), .real(.nan),
      .dictionary([.init(key: "$data", value: .int(1))]),
      .dictionary([.init(key: "$dictionary", value: .dictionary([]))]),
    ])
    let text = JSONWriter.string(try node.json())
    let again = try PropertyListNode(try JSONParser.parse(Array(text.utf8)))
    // NaN is equal to nothing, so the bytes are compared.
    #expect(try BinaryPropertyListWriter.write(again) == BinaryPropertyListWriter.write(node))
  }

  @Test("A truncated property list is refused, and an altered one never traps") func damagedBytesGiveAnError() throws {
    let bytes = try BinaryPropertyListWriter.write(Self.sample)
    for index in bytes.indices {
      for replacement: UInt8 in [0, 0x0F, 0x7F, 0xAF, 0xDF, 0xFF] {
        var damaged = bytes
        damaged[index] = replacement
        _ = try? PropertyListNode.parse(damaged)
      }
      #expect(throws: PropertyListFailure.self) { try PropertyListNode.parse(Array(bytes[..<index])) }
    }
  }

  @Test("A property list that contains itself is refused") func aListThatHoldsItselfGivesAnError() {
    // One array, whose only element is the array.
    let bytes = Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + [0, 0, 0, 0, 0, 0, 1, 1]
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10]
    #expect(throws: PropertyListFailure("the property list is nested too deeply, or contains itself")) {
      try PropertyListNode.parse(bytes + trailer)
    }
  }

  @Test("A document type with declarations is refused") func refusesDeclarationsInADocumentType() throws {
    let plist = "<plist version=\"1.0\"><string>&a;</string></plist>"
    let declarations = "[<!ENTITY a \"<b>\"><!ELEMENT string (#PCDATA)>]"
    #expect(throws: PropertyListFailure("the property list's document type has declarations in brackets: remove them"))
    {
      try PropertyListNode.parse(Array("<!DOCTYPE plist \(declarations)>\(plist)".utf8))
    }
    for start in ["<!DOCTYPE plist SYSTEM \"a>[b\">", "<!DOCTYPE plist SYSTEM 'a>\"[b'>", "<!DOCTYPE plist>"] {
      let text = start + "<plist version=\"1.0\"><string>a</string></plist>"
      #expect(try PropertyListNode.parse(Array(text.utf8)) == .string("a"))
    }
    for end in ["<!DOCTYPE plist", "<!DOCTYPE plist \"", "<!DOCTYPE plist SYSTEM \"a>\(plist)"] {
      #expect(throws: PropertyListFailure.self) { try PropertyListNode.parse(Array(end.utf8)) }
    }
  }

  @Test("The tool reads XML property lists as other programs write them") func readsXMLAsOtherProgramsWriteIt() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- a comment -->
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
        <key>a &amp; b</key><string>x&#233;&#xe9;<![CDATA[<raw>]]><!-- c --></string>
        <key>empty</key><string/>
        <key>hex</key><integer>0x1F</integer>
        <key>data</key><data>
          AQ
          ID
        </data>
        <key>date</key><date>2001-01-01T00:00:10Z</date>
        <key>yes</key><true/>
      </dict></plist>
      """
    #expect(
      try PropertyListNode.parse(Array(text.utf8))
        == .dictionary([
          .init(key: "a & b", value: .string("x\u{e9}\u{e9}<raw>")), .init(key: "empty", value: .string("")),
          .init(key: "hex", value: .int(31)), .init(key: "data", value: .data([1, 2, 3])),
          .init(key: "date", value: .date(10)), .init(key: "yes", value: .bool(true)),
        ]))
  }

  @Test(
    "A malformed XML property list and other XML are refused",
    arguments: [
      "", "<plist>", "<plist></plist>", "<plist><dict></array></plist>", "<plist><dict><true/></dict></plist>",
      "<plist><integer>x</integer></plist>", "<plist><date>2001-02-30T00:00:00Z</date></plist>",
      "<plist><foo/></plist>", "<plist><string>&unknown;</string></plist>", "<plist><true/></plist><plist>",
      "<plist><data>*</data></plist>", "<html></html>", "plain", "<plist><dict><key>a</key></dict></plist>",
      "<plist><string>a", "<!--",
    ])
  func refusesOtherXML(text: String) {
    #expect(throws: PropertyListFailure.self) { try PropertyListNode.parse(Array(text.utf8)) }
  }

  @Test("Characters that don't show are written as references, and read back")
  func xmlEscapesHiddenCharacters() throws {
    let hidden = "\u{7F}\u{85}\u{9B}\u{AD}\u{200B}\u{202E}\u{2028}\u{2066}\u{FEFF}\u{E0001}"
    let node = PropertyListNode.dictionary([.init(key: "k\(hidden)", value: .string("a\t\n\(hidden)b"))])
    let text = try XMLPropertyListWriter.string(node)
    #expect(text.unicodeScalars.allSatisfy { !$0.isHidden || $0 == "\t" || $0 == "\n" })
    #expect(text.contains("<string>a\t\n&#x007F;&#x0085;"), "\(text)")
    #expect(try PropertyListNode.parse(Array(text.utf8)) == node)
    let read = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil) as? [String: String]
    #expect(read == ["k\(hidden)": "a\t\n\(hidden)b"])
  }

  @Test("A character that XML can't hold is not written") func xmlRefusesCharactersThatItCannotHold() {
    #expect(throws: PropertyListFailure.self) { try XMLPropertyListWriter.string(.string("a\u{0}b")) }
  }

  @Test(
    "A date is written and read exactly",
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (785_982_946, "2025-11-28T00:35:46Z"), (-1, "2000-12-31T23:59:59Z"),
      (-63_113_904_000, "0001-01-01T00:00:00Z"), (94_608_000, "2004-01-01T00:00:00Z"),
      (99_705_600, "2004-02-29T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
    ])
  func writesInstants(seconds: Double, text: String) {
    #expect(TimestampText.string(seconds) == text)
    #expect(TimestampText.seconds(text) == seconds)
  }

  @Test("A written date is read back to the same bits") func instantsReadBackToTheSameBits() {
    var written = 0
    for _ in 0..<2000 {
      let seconds = Double.random(in: -2e9...2e9)
      guard let text = TimestampText.string(seconds) else {
        continue
      }
      written += 1
      #expect(TimestampText.seconds(text)?.bitPattern == seconds.bitPattern)
    }
    #expect(written > 1900)
    #expect(TimestampText.string(.infinity) == nil)
    #expect(TimestampText.string(.nan) == nil)
    #expect(TimestampText.string(1e12) == nil)
  }

  @Test("A property list that expands to too many values is refused")
  func largeTrees() throws {
    // Sixteen levels of eight references each to the next.
    var objects = (1...16).map { [0xa8] + [UInt8](repeating: $0, count: 8) }
    objects.append([0xa0])
    var bytes = BinaryPropertyListReader.magic
    var table: [UInt8] = []
    for object in objects {
      table.append(UInt8(bytes.count))
      bytes += object
    }
    let start = UInt8(bytes.count)
    bytes += table + [0, 0, 0, 0, 0, 0, 1, 1]
    bytes += [0, 0, 0, 0, 0, 0, 0, 17] + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, 0, start]
    #expect(throws: PropertyListFailure("the property list would take more values or memory than is allowed")) {
      try PropertyListNode.parse(bytes)
    }
  }

  @Test(
    "Every NaN has a text that can be read",
    arguments: [0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0001, 0x7ff0_0000_0000_0001, 0xfff4_0000_0000_0000, .max >> 1])
  func notANumber(bits: UInt64) throws {
    let value = Double(bitPattern: bits)
    let again = try PropertyListNode(PropertyListNode.real(value).json())
    guard case .real(let number) = again else { return #expect(Bool(false), "\(again)") }
    #expect(number.isNaN)
    #expect(number.exactDescription == value.exactDescription)
  }

  @Test("A property list in XML is stored as a binary one")
  func importsXML() throws {
    let xml = try XMLPropertyListWriter.string(Self.sample)
    let json = JSONValue.string(Data(xml.utf8).base64EncodedString())
    guard case .propertyList(let data) = try StoredValue(json, kind: .propertyList) else {
      Issue.record("The value is no property list")
      return
    }
    #expect(data.starts(with: BinaryPropertyListReader.magic))
    #expect(try PropertyListNode.parse([UInt8](data)) == Self.sample)
    let scalar = "<plist version=\"1.0\"><string>a</string></plist>"
    #expect(throws: ValueFailure.self) {
      try StoredValue(.string(Data(scalar.utf8).base64EncodedString()), kind: .propertyList)
    }
  }
}
