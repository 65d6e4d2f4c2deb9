import DflatSupport

/// The lines of standard input, where no line editor is used: in a script, or on a system without one.
struct TypedLines {
  private var rest: [UInt8] = []
  /// The number of bytes that were searched for the end of a line.
  private var searched = 0
  private var hasEnded = false

  /// Returns the next line without its newline, or nil at the end of the input. A carriage return before it stays: it may
  /// be part of a quoted text, and is white space elsewhere.
  ///
  /// - Throws: ``ToolError`` if the input can't be read, or isn't UTF-8.
  mutating func next() throws -> String? {
    while true {
      if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest[..<end]
        rest.removeSubrange(...end)
        searched = 0
        return try Self.text(line)
      }
      searched = rest.count
      if hasEnded {
        if rest.isEmpty { return nil }
        defer { (rest, searched) = ([], 0) }
        return try Self.text(rest[...])
      }
      try readMore()
    }
  }

  private mutating func readMore() throws {
    var chunk = [UInt8](repeating: 0, count: 1 << 12)
    let count = chunk.withUnsafeMutableBytes { systemRead(STDIN_FILENO, $0.baseAddress, $0.count) }
    if count > 0 {
      rest += chunk[..<count]
    } else if count == 0 {
      hasEnded = true
    } else if errno != EINTR {
      throw ToolError(.otherError, "cannot read standard input: \(systemMessage())")
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ToolError(.usage, "a line of the input is not UTF-8")
    }
    return text
  }
}
