import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The descriptors of standard input, output and error.
enum StandardDescriptors {
  /// Occupies those that the caller has closed. Otherwise the next file to be opened, such as the database's side file,
  /// would take the place of standard output. Reading from and writing to them still fails.
  static func occupyClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The system assigns the lowest free descriptor, which is this one.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

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

  static func write(line: String) throws {
    try write(Array(line.utf8) + [UInt8(ascii: "\n")])
  }

  /// Writes JSON: indented on a terminal, else on one line.
  static func write(_ json: JSONValue) throws {
    try write(line: JSONWriter.string(json, layout: isTerminal ? .indented : .line))
  }
}

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

/// Reads whole files and standard input.
enum InputFile {
  /// Returns the content of a file, or of standard input if the path is `-`. If that is a terminal, a line on standard
  /// error says what the tool is waiting for.
  static func read(_ path: String, for purpose: String) throws -> [UInt8] {
    if path == "-" {
      if isatty(STDIN_FILENO) == 1 {
        StandardError.write(message: "reading \(purpose) from the terminal: end with Ctrl-D on a line of its own")
      }
      return try readAll(STDIN_FILENO, name: "standard input")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ToolError(.otherError, "cannot read \(path): \(systemMessage())")
    }
    defer { close(descriptor) }
    return try readAll(descriptor, name: path)
  }

  static func standardInput(for purpose: String) throws -> [UInt8] {
    try read("-", for: purpose)
  }

  private static func readAll(_ descriptor: Int32, name: String) throws -> [UInt8] {
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        content.append(contentsOf: chunk[..<count])
      } else if count == 0 {
        return content
      } else if errno != EINTR {
        throw ToolError(.otherError, "cannot read \(name): \(systemMessage())")
      }
    }
  }
}

func systemMessage(_ code: Int32 = errno) -> String {
  String(cString: strerror(code))
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}
