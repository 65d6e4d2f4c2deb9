import Foundation
import GoldenModels

/// The names that programs use, chosen to be confused with each other. A program refers to them by index, so the model
/// never compares strings.
enum Alphabet {
  static let namespaces = ["", "a", "\u{e9}", "e\u{301}", "b\0", String(repeating: "n", count: 300), "trigger"]
  /// The name whose changes trigger callbacks. Programs don't write it themselves.
  static let trigger = Name(namespace: 6, key: 2)

  /// The keys of programs. The last ones collide in a process that is asked for them before it runs a program.
  nonisolated(unsafe) private(set) static var keys = fixed + placeholders

  private static let fixed: [String] = [
    "", "\0", "a", "a\0", "a\0b", "ab", "abc", "abcdefgh", "abcdefghi", "fifteen bytes!!", "sixteen bytes!!!",
    // Canonical equivalents.
    "\u{e9}", "e\u{301}", "x\u{e9}", "xe\u{301}", "\u{ac00}", "\u{1100}\u{1161}", "\u{c5}", "A\u{30a}", "\u{212b}",
    "\u{3a9}", "\u{2126}", "K", "\u{212a}",
    // Keys that UTF-16 orders differently.
    "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{10ffff}",
    "👩‍👩‍👧", "🇩🇪", String(repeating: "L", count: 600), String(repeating: "L", count: 601),
    String(repeating: "L", count: 5_000), "z", "0",
  ]

  /// Keys as long as those that collide, and in the same order.
  private static let placeholders = (0..<collisions).flatMap { ["h\($0)00000000", "h\($0)99999999"] }
  static let collisions = 3

  /// Adopts pairs of keys whose hashes are equal in some process. A key is an `h`, the pair's number, and eight digits.
  static func use(colliding: [String]) {
    if colliding.count == placeholders.count { keys = fixed + colliding }
  }

  /// Pairs of keys that are easily taken for each other.
  static let twins = [
    [11, 12], [13, 14], [15, 16], [17, 18], [18, 19], [20, 21], [22, 23], [2, 3], [31, 32], [0, 1], [36, 37], [38, 39],
    [40, 41],
  ]

  static let prefixes = ["", "a", "ab", "e", "\u{e9}", "\0", "LLL", "x", "A", "q", "h", "h1"]

  /// The rank of each key in the order of UTF-8 bytes.
  static let ranks: [Int] = {
    let order = keys.indices.sorted { keys[$0].utf8.lexicographicallyPrecedes(keys[$1].utf8) }
    var ranks = [Int](repeating: 0, count: order.count)
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    return ranks
  }()

  static let namespaceRanks: [Int] = {
    let order = namespaces.indices.sorted { namespaces[$0].utf8.lexicographicallyPrecedes(namespaces[$1].utf8) }
    var ranks = [Int](repeating: 0, count: order.count)
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    return ranks
  }()

  private static let fixedNumbers = Dictionary(uniqueKeysWithValues: fixed.enumerated().map { (Array($1.utf8), $0) })
  private static let namespaceNumbers = Dictionary(
    uniqueKeysWithValues: namespaces.enumerated().map { (Array($1.utf8), $0) })

  static let prefixCovers: [[Bool]] = prefixes.map { prefix in keys.map { $0.utf8.starts(with: prefix.utf8) } }

  /// Returns a key's index, or the bytes of a text that is no key of programs.
  static func key(_ text: String) -> String {
    let bytes = Array(text.utf8)
    if let number = fixedNumbers[bytes] { return "\(number)" }
    let number = keys.indices.last { $0 >= fixed.count && keys[$0].utf8.elementsEqual(bytes) }
    return number.map(String.init) ?? "?\(bytes)"
  }

  static func namespace(_ text: String) -> String {
    namespaceNumbers[Array(text.utf8)].map(String.init) ?? "?\(Array(text.utf8))"
  }

  /// Returns a Swift literal, for the printed case.
  static func literal(_ text: String) -> String {
    if text.utf8.count > 40, let first = text.first { return "String(repeating: \"\(first)\", count: \(text.count))" }
    let escaped = text.unicodeScalars.map { scalar in
      scalar.isASCII && scalar.value >= 32 ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return "\"\(escaped.joined())\""
  }
}

/// A key of a namespace, by their indexes.
struct Name: Codable, Hashable, Sendable {
  var namespace: Int
  var key: Int
}

/// A text, or bytes, generated on demand: a program stays small however long its values are.
struct Text: Codable, Hashable, Sendable {
  /// A number that distinguishes texts of one length.
  var salt: Int
  var length: Int

  static func == (left: Text, right: Text) -> Bool {
    left.length == right.length && (left.salt == right.salt || left.length < 8 && left.bytes == right.bytes)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(length) }

  var bytes: [UInt8] {
    var bytes = Array("\(salt).".utf8.prefix(length))
    bytes.reserveCapacity(length)
    while bytes.count < length { bytes.append(UInt8(97 + bytes.count % 26)) }
    return bytes
  }

  var string: String { String(decoding: bytes, as: UTF8.self) }
}
