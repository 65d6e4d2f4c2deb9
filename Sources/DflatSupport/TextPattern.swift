/// A text to look for in others. Texts are compared by their UTF-8 bytes, or by those of their lower case.
///
/// The lower case of a text consists of the lowercase mappings of its scalars, as in `String.lowercased()`. It depends
/// on neither the language nor the neighboring scalars.
package struct TextPattern: Hashable, Sendable {
  /// The part of a text that has to equal the pattern.
  package enum Place: Hashable, Sendable { case whole, start, end, anywhere }

  package let place: Place
  package let ignoresCase: Bool
  /// The pattern; in lower case if case is ignored.
  private let bytes: [UInt8]
  /// For each byte, the length of the longest part of the pattern that ends there, and is also the beginning of the
  /// pattern, other than the whole up to there (Knuth, Morris and Pratt). It makes a search linear in the text,
  /// whatever both contain.
  private let borders: [Int]

  package init(_ text: String, at place: Place, ignoringCase ignoresCase: Bool) {
    self.place = place
    self.ignoresCase = ignoresCase
    bytes = ignoresCase ? text.lowercaseBytes : Array(text.utf8)
    borders = Self.borders(of: bytes)
  }

  private static func borders(of bytes: [UInt8]) -> [Int] {
    var borders = [Int](repeating: 0, count: bytes.count)
    var length = 0
    for index in bytes.indices.dropFirst() {
      while length > 0, bytes[index] != bytes[length] { length = borders[length - 1] }
      if bytes[index] == bytes[length] { length += 1 }
      borders[index] = length
    }
    return borders
  }

  package var isEmpty: Bool { bytes.isEmpty }

  /// Returns true if a text has the pattern at its place. Allocates nothing. Bytes that are not UTF-8 equal themselves
  /// only.
  package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { pattern in
      if ignoresCase { return matches(lowercaseOf: text, pattern) }
      switch place {
      case .whole: return text.isSame(as: pattern)
      case .start: return text.begins(with: pattern)
      case .end: return text.ends(with: pattern)
      case .anywhere: return isFound(in: text, pattern)
      }
    }
  }

  private func isFound(in text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
    guard let first = pattern.first else { return true }
    guard text.count >= pattern.count, let start = text.baseAddress else { return false }
    var position = 0
    var matched = 0
    while position < text.count {
      if matched == 0 {
        guard let found = memchr(start + position, Int32(first), text.count - position) else { return false }
        position = start.distance(to: UnsafeRawPointer(found))
        matched = 1
      } else {
        advance(&matched, by: text[position], pattern)
      }
      if matched == pattern.count { return true }
      position += 1
    }
    return false
  }

  private func matches(lowercaseOf text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
    if pattern.isEmpty { return place != .whole || text.isEmpty }
    var matched = 0
    switch place {
    case .whole, .start:
      // Compare from the start, and stop at the first difference or, for a prefix, at its end.
      var differs = false
      text.forEachLowercaseByte { byte in
        guard matched < pattern.count, byte == pattern[matched] else {
          differs = true
          return false
        }
        matched += 1
        return place == .whole || matched < pattern.count
      }
      return !differs && matched == pattern.count
    case .end, .anywhere:
      // Follow the longest part of the pattern that ends at each byte. Only `anywhere` may match before the text's end.
      text.forEachLowercaseByte { byte in
        advance(&matched, by: byte, pattern)
        return place == .end || matched < pattern.count
      }
      return matched == pattern.count
    }
  }

  /// Updates the length of the longest beginning of the pattern that ends at the current byte of a text.
  @inline(__always)
  private func advance(_ matched: inout Int, by byte: UInt8, _ pattern: UnsafeRawBufferPointer) {
    while matched > 0, matched == pattern.count || pattern[matched] != byte { matched = borders[matched - 1] }
    if pattern[matched] == byte { matched += 1 }
  }
}

extension String {
  /// The UTF-8 bytes of the text in lower case.
  fileprivate var lowercaseBytes: [UInt8] {
    var copy = self
    return copy.withUTF8 { bytes in
      var result: [UInt8] = []
      UnsafeRawBufferPointer(bytes).forEachLowercaseByte { byte in
        result.append(byte)
        return true
      }
      return result
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Passes the UTF-8 bytes of a text in lower case to `body` until that returns false. Bytes that are not UTF-8 are
  /// passed as they are.
  @inline(__always)
  fileprivate func forEachLowercaseByte(_ body: (UInt8) -> Bool) {
    guard let start = baseAddress else { return }
    var position = 0
    while position < count {
      let first = self[position]
      if first < 0x80 {
        position += 1
        if !body(first >= 0x41 && first <= 0x5A ? first | 0x20 : first) { return }
        continue
      }
      let length = UTF8Check.lengthOfSequence(start + position, first: first, left: count - position)
      var value = UInt32(first) & (0xFF >> UInt32(length + 1))
      for index in 1..<Swift.max(length, 1) { value = value << 6 | UInt32(self[position + index] & 0x3F) }
      position += Swift.max(length, 1)
      guard length > 0, let scalar = Unicode.Scalar(value) else {
        if !body(first) { return }
        continue
      }
      for byte in scalar.properties.lowercaseMapping.utf8 where !body(byte) { return }
    }
  }
}
