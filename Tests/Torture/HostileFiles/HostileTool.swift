import Foundation
import TestSupport

/// kvtool's commands on a damaged file, each a process: it ends by itself, with a documented status and at most one line of
/// error.
struct HostileTool {
  let executable: URL
  let path: String

  private static let commands = [
    ["get", "key0", "key1"], ["exists", "key0"], ["type", "key0"], ["keys", "--long"], ["count"], ["namespaces"],
    ["stats"], ["export"], ["check"], ["subscribe", "key0", "--for", "0.05"], ["backup", "copy.db"],
    ["set", "key0", "5", "--int"], ["incr", "n"], ["rename", "key1", "z"], ["delete", "key2"], ["compact"],
  ]
  /// Done, another error, key absent, condition not met, no file of ours or damaged.
  private static let statuses: Set<Int32> = [0, 1, 2, 3, 5]
  private static let patience = 10.0

  func run() throws {
    for command in Self.commands {
      let errors = path + "-errors"
      try Data().write(to: URL(fileURLWithPath: errors))
      let process = Process()
      process.executableURL = executable
      process.arguments = command + ["--db", path]
      process.currentDirectoryURL = URL(fileURLWithPath: path).deletingLastPathComponent()
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
      try ProgramStart.alone { try process.run() }
      let deadline = Date(timeIntervalSinceNow: Self.patience)
      while process.isRunning, Date() < deadline { usleep(2_000) }
      if process.isRunning {
        kill(process.processIdentifier, SIGKILL)
        throw Finding("'kvtool \(command.joined(separator: " "))' does not end.")
      }
      let text = String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: errors))) ?? Data(), as: UTF8.self)
      guard process.terminationReason == .exit, Self.statuses.contains(process.terminationStatus) else {
        throw Finding(
          "'kvtool \(command.joined(separator: " "))' ends with \(process.terminationStatus): \(text.prefix(300))")
      }
      // A subscription has a line for each key that it can't read.
      if text.filter(\.isNewline).count > 1, command[0] != "subscribe" {
        throw Finding("'kvtool \(command.joined(separator: " "))' writes several lines: \(text.prefix(300))")
      }
    }
  }
}
