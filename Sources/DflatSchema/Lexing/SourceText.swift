/// The bytes of a schema file, and their lines and columns.
package struct SourceText: Sendable {
  /// The path in diagnostics.
  package let path: String
  package let bytes: [UInt8]
  private let lineStarts: [Int]
  /// The number of UTF-8 continuation bytes before each block; empty for ASCII files. It makes finding a column take
  /// constant time, even in a file that is one long line.
  private let continuationsBefore: [Int]

  private static let blockSize = 256

  package init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    var lineStarts = [0]
    var isASCII = true
    for (position, byte) in bytes.enumerated() {
      // A carriage return alone ends a line too.
      let isHalfOfLineEnd =
        byte == UInt8(ascii: "\r") && position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n")
      if byte.isLineEnd && !isHalfOfLineEnd { lineStarts.append(position + 1) }
      if byte >= 0x80 { isASCII = false }
    }
    self.lineStarts = lineStarts
    self.continuationsBefore = isASCII ? [] : Self.countContinuations(in: bytes)
  }

  private static func countContinuations(in bytes: [UInt8]) -> [Int] {
    var counts: [Int] = []
    var count = 0
    for (position, byte) in bytes.enumerated() {
      if position % blockSize == 0 { counts.append(count) }
      if byte & 0xC0 == 0x80 { count += 1 }
    }
    counts.append(count)
    return counts
  }

  /// Returns the line and column of a byte, or of the end.
  package func location(at position: Int) -> SourceLocation {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= position { low = middle } else { high = middle }
    }
    let start = lineStarts[low]
    var column = position - start + 1 - continuations(before: position) + continuations(before: start)
    // A byte order mark does not count as a column.
    if low == 0, hasByteOrderMark, position >= 3 { column -= 1 }
    return SourceLocation(file: path, line: low + 1, column: column)
  }

  package var hasByteOrderMark: Bool { bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

  private func continuations(before position: Int) -> Int {
    guard !continuationsBefore.isEmpty else { return 0 }
    let block = position / Self.blockSize
    return bytes[(block * Self.blockSize)..<position].reduce(continuationsBefore[block]) {
      $1 & 0xC0 == 0x80 ? $0 + 1 : $0
    }
  }

  package func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
