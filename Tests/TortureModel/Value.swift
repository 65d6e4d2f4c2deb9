import DflatBuffers
import DflatKV
import Foundation
import GoldenModels
import Synchronization

/// A value of a program.
enum Value: Codable, Hashable, Sendable {
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case float(UInt32)
  case double(UInt64)
  case text(Text)
  case data(Text)
  /// A `Codable` value.
  case pair(Int64, Text)
  /// A FlatBuffers value.
  case flat(Text)
  /// A `Codable` value that can't be encoded.
  case unencodable
  /// A FlatBuffers value that can't be encoded: a plain write of one fails when its group is applied.
  case deep
  /// A value larger than SQLite can store.
  case huge

  /// The error with which a plain write of the value fails after it was accepted.
  var lateFailure: String? {
    switch self {
    case .deep: "!unencodable"
    case .huge: "!tooLarge"
    default: nil
    }
  }

  /// A text that distinguishes stored values by type and bits. All NaNs are equal.
  var token: String {
    switch self {
    case .bool(let value): "b\(value)"
    case .int(let value): "i\(value)"
    case .uint(let value): "u\(value)"
    case .float(let bits): Token.real(Float(bitPattern: bits))
    case .double(let bits): Token.real(Double(bitPattern: bits))
    case .text(let text): Token.bytes("s", text.bytes)
    case .data(let text): Token.bytes("x", text.bytes)
    case .pair(let number, let text): Token.bytes("p\(number),", text.bytes)
    case .flat(let text): Token.bytes("t", text.bytes)
    case .unencodable, .deep: "!"
    case .huge: Token.huge
    }
  }
}

/// Short texts that represent values.
enum Token {
  /// The token of a huge value, whose bytes are never read.
  static let huge = "xhuge"

  static func real(_ value: Float) -> String {
    value.isNaN ? "fNaN" : "f\(value)\(value.sign == .minus ? "-" : "+")"
  }

  static func real(_ value: Double) -> String {
    value.isNaN ? "dNaN" : "d\(value)\(value.sign == .minus ? "-" : "+")"
  }

  /// Returns the `Double` that a read of a number returns. Nil if there is none of exactly its value, or if it is no
  /// number.
  static func double(_ token: String) -> Double? {
    let text = token.dropFirst()
    switch token.first {
    case "i"?: return Int64(text).flatMap { Double(exactly: $0) }
    case "u"?: return UInt64(text).flatMap { Double(exactly: $0) }
    case "f"?: return text == "NaN" ? .nan : Float(text.dropLast()).map { Double($0) }
    case "d"?: return text == "NaN" ? .nan : Double(text.dropLast())
    default: return nil
    }
  }

  /// Returns the bits of an object's field, which keeps the bits of a NaN.
  static func bits(_ value: Double) -> String {
    value.isNaN ? "dNaN\(String(value.bitPattern & 0x8007_ffff_ffff_ffff, radix: 16))" : real(value)
  }

  static func bytes(_ kind: String, _ bytes: some Collection<UInt8>) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\(kind)\(bytes.count):\(String(hash, radix: 36))"
  }

  /// Returns the approximate size of a value in the file.
  static func size(_ token: String?) -> Int {
    guard let token, token != huge, let kind = token.first, "sxpt".contains(kind), let colon = token.firstIndex(of: ":")
    else {
      return 8
    }
    let length = token[..<colon].split(whereSeparator: { "sxpt,".contains($0) }).last.flatMap { Int($0) } ?? 0
    // Property lists and FlatBuffers have bytes of their own.
    return length + (kind == "p" || kind == "t" ? 120 : 0)
  }

  /// Returns the token of a stored value of any type.
  static func stored(_ value: StoredValue?) throws -> String {
    switch value {
    case nil: return "-"
    case .bool(let value)?: return "b\(value)"
    case .int(let value)?: return "i\(value)"
    case .uint(let value)?: return "u\(value)"
    case .float(let value)?: return real(value)
    case .double(let value)?: return real(value)
    case .string(let text)?: return bytes("s", Array(text.utf8))
    case .data(let data)?: return data.count < Huge.count ? bytes("x", data) : huge
    case .propertyList(let data)?: return pair(try PropertyListDecoder().decode(Pair.self, from: data))
    case .flatBuffers(let data, _)?: return flat(try TextContent(data: data))
    // The programs have no key.
    case .sealed(let envelope)?: return bytes("z", envelope)
    }
  }

  static func pair(_ pair: Pair) -> String { bytes("p\(pair.number),", Array(pair.text.utf8)) }

  static func flat(_ content: TextContent) -> String { bytes("t", Array((content.text ?? "").utf8)) }
}

/// The `Codable` value of the programs. Its coding calls the workspace if the running step requests it.
struct Pair: Codable, Equatable, Sendable {
  var number: Int64
  var text: String

  private enum CodingKeys: CodingKey { case number, text }

  init(_ number: Int64, _ text: Text) {
    self.number = number
    self.text = text.string
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    number = try container.decode(Int64.self, forKey: .number)
    text = try container.decode(String.self, forKey: .text)
    CodingHook.run()
  }

  func encode(to encoder: any Encoder) throws {
    CodingHook.run()
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encode(text, forKey: .text)
  }
}

/// A value that can't be encoded.
struct Unencodable: Codable, Equatable, Sendable {
  struct Refusal: Error {}

  init() {}
  init(from decoder: any Decoder) throws { throw Refusal() }
  func encode(to encoder: any Encoder) throws { throw Refusal() }
}

/// A FlatBuffers value that can't be encoded: its tables are nested too deeply.
struct Deep: FlatBufferTableValue, FlatBuffersCodable, Equatable {
  static var flatBuffersSchemaVersion: String? { nil }
  static let flatBufferLayout: TableLayout = .init("Deep", fields: [.table("inner", 4) { Deep.flatBufferLayout }])

  private var levels = 100

  init() {}
  init(_ table: FlatBufferTable) throws(FlatBufferError) {}

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    var inner = self
    inner.levels -= 1
    let offset = levels > 1 ? builder.create(inner) : nil
    builder.startTable(slots: 1)
    builder.add(offset, at: 4)
    return builder.endTable()
  }
}

/// A `TextContent` whose encoding runs the operations that the running step requests, once, on any thread that encodes
/// it.
struct LateText: FlatBufferTableValue, FlatBuffersCodable, Equatable {
  static var flatBuffersSchemaVersion: String? { nil }
  static let flatBufferLayout: TableLayout = .init("LateText", fields: [.string("text", 4)])

  private var text: String?

  init(_ text: Text) { self.text = text.string }
  init(_ table: FlatBufferTable) throws(FlatBufferError) { text = try table.string(4) }

  private static let hook = Mutex<(@Sendable () -> Void)?>(nil)

  static func set(_ body: (@Sendable () -> Void)?) { hook.withLock { $0 = body } }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let body = Self.hook.withLock { hook in
      defer { hook = nil }
      return hook
    }
    body?()
    let text = builder.create(self.text)
    builder.startTable(slots: 1)
    builder.add(text, at: 4)
    return builder.endTable()
  }
}

/// One byte more than SQLite stores. The bytes are never read, so they take no memory.
enum Huge {
  static let count = 1_000_000_001
  static let data = Data(count: count)
}

/// The operations that the coding of a `Pair` on this thread runs, once.
enum CodingHook {
  private static let key = "torture.coding"

  static func set(_ body: (() -> Void)?) { Thread.current.threadDictionary[key] = body }

  fileprivate static func run() {
    let dictionary = Thread.current.threadDictionary
    guard let body = dictionary[key] as? () -> Void else { return }
    dictionary[key] = nil
    body()
  }
}

/// The fields of a stored object.
struct Row: Codable, Hashable, Sendable {
  var number: UInt64
  /// A key of the alphabet, by index.
  var email: Int?
  var card: Int32?
  /// The bits of a `Double`.
  var balance: UInt64
  var level: UInt8
  var note: Text?
  /// A field of a later schema.
  var code: Text?

  /// Minus zero equals the field's default, which is not stored.
  var real: Double { Double(bitPattern: balance) == 0 ? 0 : Double(bitPattern: balance) }

  var token: String {
    let note = note.map { Token.bytes("", $0.bytes) } ?? "-"
    return
      "\(number)/\(email.map(String.init) ?? "-")/\(card.map(String.init) ?? "-")/\(Token.bits(real))/\(level)/\(note)"
  }

  var member: Club.Member { Club.MemberBuilder(self).build(identity: .unsaved) }
}

extension Club.MemberBuilder {
  init(_ row: Row) {
    self.init()
    number = row.number
    email = row.email.map { Alphabet.keys[$0] }
    card = row.card
    balance = row.real
    level = Club.Level(rawValue: row.level) ?? .guest
    note = row.note?.string
  }
}

extension Club.Member {
  var token: String {
    let email = email.map { Alphabet.key($0) } ?? "-"
    let note = note.map { Token.bytes("", Array($0.utf8)) } ?? "-"
    return
      "\(number)/\(email)/\(card.map(String.init) ?? "-")/\(Token.bits(balance == 0 ? 0 : balance))/\(level.rawValue)/\(note)"
  }
}
