import DflatSupport

/// Standard error. Each message is one line, whatever text it contains.
enum StandardError {
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  static func write(message: String) {
    write(line: "kvtool: \(message)")
  }

  /// Writes text as one line, without the tool's name in front.
  static func write(line: String) {
    write(text: "\(singleLine(line))\n")
  }

  /// Writes text unchanged. A failed write is ignored, because no other channel could report it.
  static func write(text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { systemWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Returns the message on one line, without control characters, and with other hidden ones escaped as in JSON.
  static func singleLine(_ message: String) -> String {
    let lines = message.split(whereSeparator: \.isNewline)
    var line = ""
    for scalar in lines.joined(separator: " ").unicodeScalars where scalar.properties.generalCategory != .control {
      line += scalar.isHidden ? scalar.jsonEscape : String(scalar)
    }
    return line
  }
}
