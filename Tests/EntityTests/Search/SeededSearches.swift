import TestSupport

/// Random texts and searches, which a seed determines.
struct SeededSearches {
  /// Words, separators and the search language's own characters.
  static let syntax = [
    "a", "b", "ab", " ", " ", "\"", "*", "-", "(", ")", "OR", " OR ", "AND", "NOT", "'", ";", ":", "{", "}", "^", "+",
    "\u{0}", "\u{301}", "é", "日本", "🎉", "\u{200d}", "\n", "f4", "NEAR(", ",",
  ]
  static let words = ["red", "fox", "wolf", "Re", "FOX", "reds", "naïve", "nai\u{308}ve", "日本", "🎉", "a\u{0}b", "été"]

  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func text(of parts: [String], upTo count: Int) -> String {
    (0..<number(0...count)).map { _ in parts[number(0...(parts.count - 1))] }.joined()
  }

  /// Returns a text of words, or nil.
  mutating func words(upTo count: Int) -> String? {
    if number(0...5) == 0 { return nil }
    return (0..<number(0...count)).map { _ in Self.words[number(0...(Self.words.count - 1))] }.joined(separator: " ")
  }

  /// Returns a search in words, of any form.
  mutating func search() -> String {
    if number(0...7) == 0 { return text(of: Self.syntax, upTo: 8) }
    return (0..<number(1...4)).map { _ in
      var word = Self.words[number(0...(Self.words.count - 1))]
      switch number(0...9) {
      case 0: word = "\"\(word) \(Self.words[number(0...4)])\""
      case 1: word = "\(word.prefix(2))*"
      case 2: word = "-\(word)"
      case 3: word = "(\(word) OR \(Self.words[number(0...4)]))"
      default: break
      }
      return number(0...6) == 0 ? "OR \(word)" : word
    }.joined(separator: " ")
  }
}
