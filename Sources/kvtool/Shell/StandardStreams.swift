#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Standard output, written in whole pieces and without a buffer of its own: what `write` returns from is with the reader.
enum StandardOutput {
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes all bytes.
  ///
  /// Throws ``OutputClosed`` when nobody reads any more.
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
}

/// Standard error: one line per message, whatever the message holds.
enum StandardError {
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  static func write(message: String) {
    write(line: "kvtool: \(message)")
  }

  /// Writes text as one line, without this tool's name before it.
  static func write(line: String) {
    write(text: "\(singleLine(line))\n")
  }

  /// Writes text as it is; what cannot be written is lost, for there is no place left to say so.
  static func write(text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { systemWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  static func singleLine(_ message: String) -> String {
    let lines = message.split(whereSeparator: \.isNewline)
    let scalars = lines.joined(separator: " ").unicodeScalars.filter { $0.properties.generalCategory != .control }
    return String(String.UnicodeScalarView(scalars))
  }
}

/// Whole files and standard input, as bytes.
enum InputFile {
  /// The content of a file, or of standard input for `-`.
  static func read(_ path: String) throws -> [UInt8] {
    if path == "-" {
      return try readAll(STDIN_FILENO, name: "standard input")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ToolError(.otherError, "cannot read \(path): \(systemMessage())")
    }
    defer { close(descriptor) }
    return try readAll(descriptor, name: path)
  }

  static func standardInput() throws -> [UInt8] {
    try read("-")
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
