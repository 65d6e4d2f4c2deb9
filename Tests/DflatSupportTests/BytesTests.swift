import DflatSupport
import Testing

/// The comparison of bytes.
@Suite struct BytesTests {
  private static let samples: [[UInt8]] = [
    [], [0], [0, 0], [0, 255], [1], [1, 2], [1, 2, 3], [1, 3], [128], [255],
  ]

  @Test("Bytes compare as unsigned numbers, with a prefix before the longer sequence", arguments: samples)
  func bytes(left: [UInt8]) {
    left.withUnsafeBytes { bytes in
      for right in Self.samples {
        #expect(bytes.isSame(as: right) == (left == right))
        right.withUnsafeBytes { other in
          #expect(bytes.isSame(as: other) == (left == right))
          #expect(bytes.begins(with: other) == left.starts(with: right))
          #expect((bytes.compare(to: other) < 0) == left.lexicographicallyPrecedes(right))
          #expect((bytes.compare(to: other) > 0) == right.lexicographicallyPrecedes(left))
        }
      }
    }
  }

  @Test("Scalars are replaced that are parts of characters") func replacedScalars() {
    let text = "\"a\"\u{301}\r\n\u{e9}"
    let replaced = text.replacingScalars { $0 == "\"" ? "''" : $0 == "\n" ? "" : nil }
    #expect(Array(replaced.utf8) == Array("''a''\u{301}\r\u{e9}".utf8))
    #expect("".replacingScalars { _ in "x" }.isEmpty)
  }

  @Test("Strings compare by their UTF-8 bytes, whether they are short or long and wherever they are stored")
  func strings() {
    let long = String(repeating: "long ", count: 10)
    let texts = ["", "a", "a\u{0}", "ab", "e\u{301}", "\u{e9}", long, long + "er"]
    for left in texts {
      // The same bytes in memory of their own.
      #expect(left.hasSameBytes(as: String(decoding: Array(left.utf8), as: UTF8.self)))
      for right in texts {
        let (a, b) = (Array(left.utf8), Array(right.utf8))
        #expect(left.hasSameBytes(as: right) == (a == b))
        #expect(left.precedesInBytes(right) == a.lexicographicallyPrecedes(b))
        #expect(left.hasBytePrefix(right) == a.starts(with: b))
      }
    }
  }
}
