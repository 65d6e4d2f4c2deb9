import DflatSupport
import Testing

/// The validation of UTF-8.
@Suite struct UTF8Tests {
  private func firstInvalid(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBytes(UTF8Check.firstInvalid(in:)) }

  private func isValid(_ bytes: [UInt8]) -> Bool { firstInvalid(bytes) == nil }

  private func expected(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

  @Test("The check agrees with Swift on sequences of up to four bytes") func short() {
    let interesting: [UInt8] = [0, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xFF]
    for first in UInt8.min...UInt8.max {
      #expect(isValid([first]) == expected([first]))
      for second in UInt8.min...UInt8.max {
        if isValid([first, second]) != expected([first, second]) {
          Issue.record("The check disagrees with Swift on the bytes \(first) \(second)")
        }
      }
      for second in interesting {
        for third in interesting {
          for bytes in [[first, second, third]] + interesting.map({ [first, second, third, $0] })
          where isValid(bytes) != expected(bytes) {
            Issue.record("The check disagrees with Swift on the bytes \(bytes)")
          }
        }
      }
    }
  }

  @Test("The check accepts texts of any length and finds invalid bytes at both ends") func texts() {
    for text in ["", "abc", "Größe", "🐲", "中文字符", "a\u{0}b"] {
      for count in 0..<20 {
        let bytes = Array((String(repeating: "x", count: count) + text + String(repeating: "y", count: count)).utf8)
        #expect(isValid(bytes))
        #expect(firstInvalid(bytes + [0xC3]) == bytes.count)
        #expect(firstInvalid([0xBF] + bytes) == 0)
      }
    }
  }
}
