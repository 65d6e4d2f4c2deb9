import DflatSupport
import Testing

@Suite struct TextPatternTests {
  /// Texts and patterns, with beginnings that repeat, bytes that are no UTF-8, and letters of several lengths.
  private static let samples: [[UInt8]] = [
    [], [0], Array("a".utf8), Array("aa".utf8), Array("ab".utf8), Array("aab".utf8), Array("abab".utf8),
    Array("ababac".utf8), Array("xababababacx".utf8), Array("ABAB".utf8), Array("xaBaBaBacX".utf8),
    Array("\0a\0b".utf8),
    Array("\u{e9}".utf8), Array("\u{c9}".utf8), Array("E\u{301}".utf8), Array("e\u{301}".utf8), Array("\u{130}".utf8),
    Array("i\u{307}".utf8), Array("\u{307}".utf8), Array("\u{212a}".utf8), Array("k".utf8), Array("\u{df}".utf8),
    Array("SS".utf8), Array("\u{1e9e}".utf8), Array("\u{3a3}".utf8), Array("\u{3c2}".utf8), Array("\u{3c3}".utf8),
    Array("\u{10400}".utf8), Array("\u{10428}".utf8), Array("日本".utf8), Array(String(repeating: "a", count: 40).utf8),
    Array((String(repeating: "a", count: 40) + "b").utf8),
    [0xFF], [0x41, 0xFF, 0x42], [0x61, 0xFF, 0x62], [0xC3], [0xE2, 0x84], [0xED, 0xA0, 0x80], [0xC1, 0x81],
  ]

  /// Returns what a comparison is about: the bytes, or those of the lower case in Swift, with ill-formed bytes as they
  /// are.
  private func bytes(_ text: [UInt8], ignoringCase: Bool) -> [UInt8] {
    if !ignoringCase { return text }
    guard let string = String(validating: text, as: UTF8.self) else {
      return text.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
    return Array(string.lowercased().utf8)
  }

  private func matches(_ pattern: TextPattern, _ text: [UInt8]) -> Bool { text.withUnsafeBytes(pattern.matches) }

  @Test(
    "A pattern is found where plain Swift finds it in the bytes, or in those of the lower case",
    arguments: [false, true])
  func agreesWithSwift(ignoringCase: Bool) {
    for sample in Self.samples {
      guard let text = String(validating: sample, as: UTF8.self) else { continue }
      let pattern = bytes(sample, ignoringCase: ignoringCase)
      func make(_ place: TextPattern.Place) -> TextPattern { TextPattern(text, at: place, ignoringCase: ignoringCase) }
      for other in Self.samples {
        let whole = bytes(other, ignoringCase: ignoringCase)
        let isInside = (0...whole.count).contains { whole[$0...].starts(with: pattern) }
        #expect(matches(make(.whole), other) == (whole == pattern), "\(other) is \(sample)")
        #expect(matches(make(.start), other) == whole.starts(with: pattern), "\(other) begins with \(sample)")
        #expect(
          matches(make(.end), other) == whole.reversed().starts(with: pattern.reversed()),
          "\(other) ends with \(sample)")
        #expect(matches(make(.anywhere), other) == isInside, "\(other) contains \(sample)")
      }
    }
  }

  @Test("Every text has the empty pattern at its ends, and only the empty text is it", arguments: [false, true])
  func emptyPattern(ignoringCase: Bool) {
    for place in [TextPattern.Place.start, .end, .anywhere] {
      let pattern = TextPattern("", at: place, ignoringCase: ignoringCase)
      #expect(pattern.isEmpty && matches(pattern, []) && matches(pattern, [0xFF]))
    }
    let whole = TextPattern("", at: .whole, ignoringCase: ignoringCase)
    #expect(matches(whole, []) && !matches(whole, [0]))
  }

  @Test("Ill-formed bytes equal themselves, and the letters between them ignore case")
  func illFormed() {
    let pattern = TextPattern("b", at: .end, ignoringCase: true)
    #expect(matches(pattern, [0xFF, 0x42]) && matches(pattern, [0xE2, 0x84, 0x62]))
    #expect(!matches(pattern, [0x42, 0xFF]))
  }

  @Test("Case is ignored letter by letter, without folding")
  func lowerCase() {
    func isSame(_ left: String, _ right: String) -> Bool {
      matches(TextPattern(left, at: .whole, ignoringCase: true), Array(right.utf8))
    }
    #expect(isSame("SWIFT", "swift") && isSame("\u{c9}", "\u{e9}") && isSame("\u{212a}", "K"))
    #expect(isSame("\u{130}", "i\u{307}") && isSame("\u{1e9e}", "\u{df}") && isSame("\u{3a3}", "\u{3c3}"))
    #expect(!isSame("\u{c9}", "e") && !isSame("\u{e9}", "e\u{301}") && !isSame("\u{df}", "ss"))
    #expect(!isSame("\u{3c2}", "\u{3c3}") && !isSame("\u{131}", "i"))
  }

  @Test("The end of bytes is compared with a suffix")
  func suffixes() {
    for text in Self.samples {
      for suffix in Self.samples {
        let expected = text.reversed().starts(with: suffix.reversed())
        #expect(text.withUnsafeBytes { text in suffix.withUnsafeBytes { text.ends(with: $0) } } == expected)
      }
    }
  }
}
