import Foundation
import TestSupport

/// Runs kvtool's commands on a damaged file, each as a process. A command ends by itself, with a documented status and
/// at most one line of error.
struct HostileTool {
  private struct Command {
    let arguments: [String]
    var input = ""
    /// The file that the command creates from the damaged one; its arguments name both.
    var created: String?

    init(_ arguments: String..., input: String = "", creating created: String? = nil) {
      self.arguments = arguments
      self.input = input
      self.created = created
    }
  }

  let executable: URL
  let path: String
  /// The schema of the stored objects.
  let schema: String

  private var commands: [Command] {
    [
      Command("get", "key0", "key1"), Command("get", "bomb", "key3", "--format", "json"), Command("exists", "key0"),
      Command("type", "key0"), Command("keys", "--long"), Command("keys", "--namespace", "a"), Command("count"),
      Command("namespaces"), Command("stats"), Command("export"), Command("export", "--format", "plist"),
      Command("check"),
      Command("check", "--schema", schema), Command("subscribe", "key0", "--for", "0.05"), Command("backup", "copy.db"),
      Command("set", "key0", "5", "--int"), Command("incr", "n"), Command("rename", "key1", "z"),
      Command("get", "key3", "--path", "a[0]"), Command("check", "--format", "json"),
      Command("keys", "--format", "json"), Command("replaced", "--all-namespaces"),
      Command("replaced", "--all-namespaces", "--format", "json"),
      Command("delete", "key2"), Command("delete", "--prefix", "key"),
      Command("tables"), Command("tables", "--format", "json"), Command("log"), Command("log", "--format", "ndjson"),
      Command("top", "--count", "1", "--interval", "0.1"),
      Command("recover", path, path + "-recovered", creating: path + "-recovered"),
      Command("compact"), Command("repair"), Command("repair", "--schema", schema),
      Command("txn", input: #"{"op": "set", "key": "key3", "value": 1.5}"# + "\n" + #"{"op": "incr", "key": "n"}"#),
      Command(
        "import", "-",
        input: #"""
          {"format": "dflatkv-export", "version": 1, "namespaces": {"b": {"k": {"type": "string", "value": "v"}}}}
          """#),
    ]
  }

  /// Success, another error, key absent, condition not met, not a DflatKV file or damaged.
  private static let statuses: Set<Int32> = [0, 1, 2, 3, 5]
  /// A recovery refuses a file that somebody has open.
  private static let statusesOfRecovery: Set<Int32> = [0, 4, 5]
  private static let patience = 10.0

  /// Runs all commands, or that many in turn.
  func run(_ count: Int = .max, from start: Int = 0) throws {
    let all = commands
    for number in 0..<min(count, all.count) {
      let command = all[(start % all.count + number) % all.count]
      try run(command)
      guard let created = command.created, FileManager.default.fileExists(atPath: created) else { continue }
      // Whatever was damaged, the new file is sound.
      let tool = HostileTool(executable: executable, path: created, schema: schema)
      if try tool.run(Command("check")) != 0 { throw Finding("'kvtool recover' has made a damaged file.") }
      try FileManager.default.removeItem(atPath: created)
    }
  }

  /// Runs a command, and returns its status.
  @discardableResult
  private func run(_ command: Command) throws -> Int32 {
    let name = "kvtool " + command.arguments.joined(separator: " ")
    let (errors, input) = (path + "-errors", path + "-input")
    try Data().write(to: URL(fileURLWithPath: errors))
    try Data(command.input.utf8).write(to: URL(fileURLWithPath: input))
    let process = Process()
    process.executableURL = executable
    process.arguments = command.arguments + (command.created == nil ? ["--db", path] : [])
    process.currentDirectoryURL = URL(fileURLWithPath: path).deletingLastPathComponent()
    process.standardInput = FileHandle(forReadingAtPath: input)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try ProgramStart.alone { try process.run() }
    if ended.wait(timeout: .now() + Self.patience) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      throw Finding("'\(name)' did not end.")
    }
    let text = String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: errors))) ?? Data(), as: UTF8.self)
    let statuses = command.created == nil ? Self.statuses : Self.statusesOfRecovery
    guard process.terminationReason == .exit, statuses.contains(process.terminationStatus) else {
      throw Finding("'\(name)' ended with \(process.terminationStatus): \(text.prefix(300))")
    }
    // Errors without an explanation, or with one that no damage can have.
    if let match = text.firstMatch(of: /SQLite failed|SQLite [0-9]+:|disk is full|out of memory|is locked/) {
      throw Finding("'\(name)' reported '\(match.output)' for a damaged file: \(text.prefix(300))")
    }
    // A subscription prints a line for each key that it can't read, and so does an export, which then fails.
    let namesKeys =
      switch command.arguments[0] {
      case "subscribe": true
      case "export": process.terminationStatus == 5
      default: false
      }
    if text.count(where: \.isNewline) > 1, !namesKeys {
      throw Finding("'\(name)' wrote several lines of error: \(text.prefix(300))")
    }
    return process.terminationStatus
  }
}
