import DflatSupport

/// Standard output, without a buffer: when `write` returns, the system has all bytes.
enum StandardOutput {
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes all bytes.
  ///
  /// - Throws: ``OutputClosed`` if the reader has closed the pipe; ``ToolError`` if the write fails otherwise.
  static func write(_ bytes: [UInt8]) throws {
    var start = 0
    while start < bytes.count {
      let written = bytes.withUnsafeBytes { buffer in
        systemWrite(STDOUT_FILENO, buffer.baseAddress.map { $0 + start }, buffer.count - start)
      }
      if written >= 0 {
        start += written
      } else if errno == EPIPE {
        throw OutputClosed()
      } else if errno != EINTR {
        throw ToolError(.otherError, "cannot write to standard output: \(systemMessage())")
      }
    }
  }

  /// Writes all bytes, and then throws the command's own error, if it has one. The exit status is that of this error even
  /// if the output can't be written: such a failure is only reported, and a closed output is none.
  static func write(_ bytes: [UInt8], before failure: (any Error)?) throws {
    let printing = Result { try write(bytes) }
    guard let failure else { return try printing.get() }
    if case .failure(let error as ToolError) = printing { StandardError.write(message: error.message) }
    throw failure
  }

  /// Writes lines as ``write(_:before:)`` does.
  static func write(lines: [String], before failure: (any Error)? = nil) throws {
    try write(Array(lines.map { $0 + "\n" }.joined().utf8), before: failure)
  }

  static func write(line: String) throws {
    try write(Array(line.utf8) + [UInt8(ascii: "\n")])
  }

  /// Writes JSON: indented on a terminal, else on one line.
  static func write(_ json: JSONValue) throws {
    try write(line: text(json))
  }

  /// Returns a text as it is printed: on a terminal, without hidden characters.
  static func shown(_ text: String) -> String {
    guard isTerminal else { return text }
    return text.unicodeScalars.map { $0.isHidden && $0 != "\n" ? $0.jsonEscape : String($0) }.joined()
  }

  /// Returns a text that may have come from a file or another machine as one line, without control characters.
  static func line(of text: String) -> String { shown(text.asLine) }

  /// Returns JSON as it is printed.
  static func text(_ json: JSONValue) -> String {
    JSONWriter.string(json, layout: isTerminal ? .indented : .line)
  }
}
