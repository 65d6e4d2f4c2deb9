import Foundation
import TestSupport

/// A value that uses every kind of container, and names its own kind, so that any decoder can restore it.
indirect enum Sample: Equatable {
  case absent
  case bool(Bool)
  case int8(Int8)
  case int(Int)
  case uint64(UInt64)
  case float(Float)
  case double(Double)
  case text(String)
  case date(Date)
  case data(Data)
  case id(UUID)
  case url(URL)
  case decimal(Decimal)
  /// An unkeyed container nested in a keyed one.
  case nested([Sample])
  /// An array of its own.
  case list([Sample])
  case members([String: Sample])
  /// The parts are encoded like a class and its superclass.
  case inherited(own: Sample, parent: Sample)

  private enum Key: String, CodingKey {
    case kind, value, own
  }

  private var kind: String {
    switch self {
    case .absent: "absent"
    case .bool: "bool"
    case .int8: "int8"
    case .int: "int"
    case .uint64: "uint64"
    case .float: "float"
    case .double: "double"
    case .text: "text"
    case .date: "date"
    case .data: "data"
    case .id: "id"
    case .url: "url"
    case .decimal: "decimal"
    case .nested: "nested"
    case .list: "list"
    case .members: "members"
    case .inherited: "inherited"
    }
  }
}

extension Sample: Codable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .absent: try container.encodeNil(forKey: .value)
    case .bool(let value): try container.encode(value, forKey: .value)
    case .int8(let value): try container.encode(value, forKey: .value)
    case .int(let value): try container.encode(value, forKey: .value)
    case .uint64(let value): try container.encode(value, forKey: .value)
    case .float(let value): try container.encode(value, forKey: .value)
    case .double(let value): try container.encode(value, forKey: .value)
    case .text(let value): try container.encode(value, forKey: .value)
    case .date(let value): try container.encode(value, forKey: .value)
    case .data(let value): try container.encode(value, forKey: .value)
    case .id(let value): try container.encode(value, forKey: .value)
    case .url(let value): try container.encode(value, forKey: .value)
    case .decimal(let value): try container.encode(value, forKey: .value)
    case .nested(let samples):
      var nested = container.nestedUnkeyedContainer(forKey: .value)
      for sample in samples { try nested.encode(sample) }
    case .list(let samples): try container.encode(samples, forKey: .value)
    case .members(let samples): try container.encode(samples, forKey: .value)
    case .inherited(let own, let parent):
      try container.encode(own, forKey: .own)
      try parent.encode(to: container.superEncoder())
    }
    // Written after the nested containers, which must not be finished by it.
    try container.encode(kind, forKey: .kind)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch try container.decode(String.self, forKey: .kind) {
    case "absent":
      guard try container.decodeNil(forKey: .value) else {
        throw DecodingError.dataCorrupted(.init(codingPath: container.codingPath, debugDescription: "not absent"))
      }
      self = .absent
    case "bool": self = .bool(try container.decode(Bool.self, forKey: .value))
    case "int8": self = .int8(try container.decode(Int8.self, forKey: .value))
    case "int": self = .int(try container.decode(Int.self, forKey: .value))
    case "uint64": self = .uint64(try container.decode(UInt64.self, forKey: .value))
    case "float": self = .float(try container.decode(Float.self, forKey: .value))
    case "double": self = .double(try container.decode(Double.self, forKey: .value))
    case "text": self = .text(try container.decode(String.self, forKey: .value))
    case "date": self = .date(try container.decode(Date.self, forKey: .value))
    case "data": self = .data(try container.decode(Data.self, forKey: .value))
    case "id": self = .id(try container.decode(UUID.self, forKey: .value))
    case "url": self = .url(try container.decode(URL.self, forKey: .value))
    case "decimal": self = .decimal(try container.decode(Decimal.self, forKey: .value))
    case "nested":
      var nested = try container.nestedUnkeyedContainer(forKey: .value)
      var samples: [Sample] = []
      while !nested.isAtEnd { samples.append(try nested.decode(Sample.self)) }
      self = .nested(samples)
    case "list": self = .list(try container.decode([Sample].self, forKey: .value))
    case "members": self = .members(try container.decode([String: Sample].self, forKey: .value))
    case "inherited":
      self = .inherited(
        own: try container.decode(Sample.self, forKey: .own), parent: try Sample(from: container.superDecoder()))
    case let kind:
      throw DecodingError.dataCorrupted(.init(codingPath: container.codingPath, debugDescription: "unknown: \(kind)"))
    }
  }
}

// MARK: Random samples

/// Makes random samples.
struct SampleSource {
  var random: SeededGenerator
  /// Without values that Foundation's encoder changes, or traps on: NaN, zeros below zero, texts that are equal without
  /// having the same bytes, the text `$null`.
  let isTame: Bool

  mutating func sample(levels: Int = 4) -> Sample {
    switch Int.random(in: 0..<(levels > 0 ? 18 : 13), using: &random) {
    case 0: return .absent
    case 1: return .bool(.random(using: &random))
    case 2: return .int8(.random(in: .min ... .max, using: &random))
    case 3: return .int(Int(truncatingIfNeeded: bits()))
    case 4: return .uint64(bits())
    case 5: return .float(float())
    case 6: return .double(double())
    case 7, 8: return .text(text())
    case 9: return .date(Date(timeIntervalSinceReferenceDate: double()))
    case 10:
      return .data(Data((0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8(truncatingIfNeeded: bits()) }))
    case 11: return .id(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)
    case 12:
      return Bool.random(using: &random)
        ? .url(URL(string: "https://example.com/a?b=c")!)
        : .decimal(Decimal(Int.random(in: -999...999, using: &random)) / 8)
    case 13: return .nested(samples(levels))
    case 14: return .list(samples(levels))
    case 15, 16:
      return .members(Dictionary(samples(levels).map { (text(), $0) }, uniquingKeysWith: { first, _ in first }))
    default: return .inherited(own: sample(levels: levels - 1), parent: sample(levels: levels - 1))
    }
  }

  private mutating func samples(_ levels: Int) -> [Sample] {
    // Around the number of keys from which lookups use a table, and the count that a marker holds.
    let count = [0, 1, 2, 5, 14, 15, 16, 17, 40].randomElement(using: &random)!
    return (0..<(levels > 2 ? count : min(count, 3))).map { _ in sample(levels: levels - 1) }
  }

  /// Numbers of all magnitudes.
  private mutating func bits() -> UInt64 {
    UInt64.random(in: .min ... .max, using: &random) >> UInt64.random(in: 0...63, using: &random)
  }

  private mutating func double() -> Double {
    if isTame || Int.random(in: 0...3, using: &random) > 0 {
      return Double.random(in: -1e9...1e9, using: &random)
    }
    return [
      0, -0.0, .infinity, -.infinity, .nan, -.nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      Double(bitPattern: 0x7ff8_0000_0000_0000 | UInt64.random(in: 0...99, using: &random)),
    ].randomElement(using: &random)!
  }

  private mutating func float() -> Float {
    isTame
      ? Float.random(in: -1e9...1e9, using: &random)
      : Float(bitPattern: UInt32.random(in: .min ... .max, using: &random))
  }

  private mutating func text() -> String {
    let tame = [
      "", "a", "key", "ü", "日本", "🧀", "fourteen chars", "fifteen charact", String(repeating: "x", count: 300),
      String(repeating: "ж", count: 200), "a\0b", "value", "kind",
    ]
    let wild = ["e\u{301}", "\u{e9}", "$null", "\u{1100}\u{1161}", "\u{ac00}", "A\u{30a}", "\u{212b}", "\u{c5}"]
    return ((isTame ? [] : wild) + tame).randomElement(using: &random)!
      + (Bool.random(using: &random) ? "" : String(Int.random(in: 0...99, using: &random)))
  }
}

extension Sample {
  /// The sample with all bits visible, so that two descriptions are equal only if the samples are the same.
  var bits: String {
    switch self {
    case .float(let value): "float \(value.bitPattern)"
    case .double(let value): "double \(value.bitPattern)"
    case .date(let value): "date \(value.timeIntervalSinceReferenceDate.bitPattern)"
    case .text(let text): "text \(Array(text.utf8))"
    case .nested(let samples): "nested \(samples.map(\.bits))"
    case .list(let samples): "list \(samples.map(\.bits))"
    case .members(let samples):
      "members \(samples.map { "\(Array($0.key.utf8)): \($0.value.bits)" }.sorted())"
    case .inherited(let own, let parent): "inherited \(own.bits) \(parent.bits)"
    default: "\(self)"
    }
  }
}
