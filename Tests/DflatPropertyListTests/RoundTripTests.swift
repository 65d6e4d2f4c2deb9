import DflatPropertyList
import Foundation
import TestSupport
import Testing

/// Values keep their bits when they are encoded and decoded.
@Suite struct RoundTripTests {
  private let encoder = BinaryPropertyListEncoder()
  private let decoder = BinaryPropertyListDecoder()

  @Test("Any value comes back with the same bits", arguments: 0..<20)
  func wild(seed: UInt64) throws {
    var source = SampleSource(random: SeededGenerator(seed: seed), isTame: false)
    for _ in 0..<100 {
      let sample = source.sample()
      let again = try decoder.decode(Sample.self, from: encoder.encode(sample))
      #expect(again.bits == sample.bits)
    }
  }

  @Test(
    "Foundation's decoder reads what the encoder writes, and the decoder what Foundation's writes", arguments: 0..<20)
  func foundation(seed: UInt64) throws {
    var source = SampleSource(random: SeededGenerator(seed: seed), isTame: true)
    let theirs = PropertyListEncoder()
    theirs.outputFormat = .binary
    for _ in 0..<50 {
      let sample = source.sample()
      #expect(try PropertyListDecoder().decode(Sample.self, from: encoder.encode(sample)) == sample)
      #expect(try decoder.decode(Sample.self, from: theirs.encode(sample)) == sample)
    }
  }

  @Test("Foundation's serialization reads the same tree from both encoders", arguments: 0..<5)
  func serialization(seed: UInt64) throws {
    var source = SampleSource(random: SeededGenerator(seed: seed), isTame: true)
    let theirs = PropertyListEncoder()
    theirs.outputFormat = .binary
    for _ in 0..<20 {
      let sample = source.sample()
      let trees = try [encoder.encode(sample), theirs.encode(sample)].map {
        try PropertyListSerialization.propertyList(from: $0, format: nil) as? NSDictionary
      }
      #expect(try #require(trees[0]) == #require(trees[1]))
    }
  }

  @Test(
    "NaN of many kinds and zeros of both signs keep their bits")
  func numbers() throws {
    let numbers =
      [0, -0.0] + (0..<1_000).map { Double(bitPattern: 0x7ff8_0000_0000_0000 | UInt64($0 % 2) << 63 | UInt64($0)) }
    let again = try decoder.decode([Double].self, from: encoder.encode(numbers))
    #expect(again.map(\.bitPattern) == numbers.map(\.bitPattern))
    let floats = (0..<100).map { Float(bitPattern: 0x7fc0_0000 | $0) } + [0, -0.0]
    #expect(
      try decoder.decode([Float].self, from: encoder.encode(floats)).map(\.bitPattern) == floats.map(\.bitPattern))
  }

  @Test("The spellings of a text are not merged, as keys or as values")
  func spellings() throws {
    let texts = ["\u{e9}", "e\u{301}", "\u{e9}"]
    let again = try decoder.decode([String].self, from: encoder.encode(texts))
    #expect(again.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    let member = try decoder.decode([[String: String]].self, from: encoder.encode([[texts[0]: texts[1]]]))
    #expect(Array(member[0].keys.first!.utf8) == Array(texts[0].utf8))
    #expect(Array(member[0].values.first!.utf8) == Array(texts[1].utf8))
  }

  @Test("The text $null and an absence are read as what they were written")
  func null() throws {
    let texts: [String?] = ["$null", nil, "null", nil, "$null"]
    let list = try encoder.encode(texts)
    #expect(try decoder.decode([String?].self, from: list) == texts)
    #expect(try PropertyListDecoder().decode([String?].self, from: list) == texts)
    #expect(try decoder.decode([String: String].self, from: encoder.encode(["$null": "$null"])) == ["$null": "$null"])
  }

  @Test("Any value may be at the top")
  func top() throws {
    #expect(try decoder.decode(String.self, from: encoder.encode("text")) == "text")
    #expect(try decoder.decode(Int?.self, from: encoder.encode(Int?.none)) == Int?.none)
    #expect(try decoder.decode(Int?.self, from: encoder.encode(Int?.some(7))) == 7)
    #expect(try decoder.decode(UInt64.self, from: encoder.encode(UInt64.max)) == .max)
    #expect(
      try decoder.decode(Date.self, from: encoder.encode(Date(timeIntervalSince1970: 1))).timeIntervalSince1970 == 1)
    #expect(try decoder.decode([Int].self, from: encoder.encode([Int]())) == [])
    #expect(try decoder.decode([String: Int].self, from: encoder.encode([String: Int]())) == [:])
  }

  @Test("Equal objects are stored once")
  func uniquing() throws {
    let text = String(repeating: "long ", count: 100)
    #expect(try encoder.encode([String](repeating: text, count: 100)).count < 800)
    #expect(try encoder.encode((0..<100).map { $0 % 3 }).count < 160)
  }

  @Test("Offsets and references of every width are read again")
  func widths() throws {
    for count in [10, 250, 300, 70_000] {
      let numbers = Array(0..<count)
      let list = try encoder.encode(numbers)
      #expect(try decoder.decode([Int].self, from: list) == numbers)
      #expect(try PropertyListDecoder().decode([Int].self, from: list) == numbers)
    }
  }

  @Test("A number is decoded as another type only if it keeps its value")
  func conversions() throws {
    func converted<A: Encodable, B: Decodable>(_ value: A, _ type: B.Type) throws -> B {
      try decoder.decode([B].self, from: encoder.encode([value]))[0]
    }
    #expect(try converted(3.0, Int.self) == 3)
    #expect(try converted(3, Double.self) == 3)
    #expect(try converted(UInt64(1) << 63, Double.self) == 0x1p63)
    #expect(try converted(1 << 24, Float.self) == 0x1p24)
    #expect(try converted(1.5, Float.self) == 1.5)
    #expect(try converted(Double.nan, Float.self).isNaN)
    #expect(throws: DecodingError.self) { try converted(3.5, Int.self) }
    #expect(throws: DecodingError.self) { try converted(300, UInt8.self) }
    #expect(throws: DecodingError.self) { try converted(-1, UInt64.self) }
    #expect(throws: DecodingError.self) { try converted(0.1, Float.self) }
    #expect(throws: DecodingError.self) { try converted(UInt64.max, Double.self) }
    #expect(throws: DecodingError.self) { try converted((1 << 53) + 1, Double.self) }
    #expect(throws: DecodingError.self) { try converted((1 << 24) + 1, Float.self) }
    #expect(throws: DecodingError.self) { try converted(true, Int.self) }
    #expect(throws: DecodingError.self) { try converted("1", Int.self) }
  }
}
