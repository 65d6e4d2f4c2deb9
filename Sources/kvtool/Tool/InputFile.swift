import DflatSupport
import Synchronization

/// Reads whole files and standard input.
enum InputFile {
  private static let hasCommands = Atomic(false)

  /// Notes that standard input has the shell's commands. From then on, nothing else is read from it.
  static func reserveStandardInput() { hasCommands.store(true, ordering: .relaxed) }

  /// Returns the content of a file, or of standard input if the path is `-`. If that is a terminal, a line on standard
  /// error says what the tool is waiting for.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - purpose: What the content is, for messages.
  ///   - advice: What to do if standard input can't be read.
  static func read(
    _ path: String, for purpose: String, advice: String = "give it as an argument"
  ) throws -> [UInt8] {
    if path == "-" {
      guard !hasCommands.load(ordering: .relaxed) else {
        throw ToolError(.usage, "standard input has the commands, not \(purpose): \(advice)")
      }
      // A closed descriptor was occupied for writing, when the program began.
      guard fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE != O_WRONLY else {
        throw ToolError(.otherError, "there is no standard input for \(purpose): \(advice)")
      }
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

  static func standardInput(for purpose: String, advice: String = "give it as an argument") throws -> [UInt8] {
    try read("-", for: purpose, advice: advice)
  }

  /// Reads to the end of an open file. `name` is for errors.
  static func readAll(_ descriptor: Int32, name: String) throws -> [UInt8] {
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
