import EtcdTestSupport
import Foundation

/// A `kvtool web` in a folder of its own, and the other commands on the same file.
final class WebProcess {
  struct Outcome {
    let status: Int32
    let output: String
    let error: String
  }

  /// The process has printed no URL; its outcome.
  struct NotServing: Error {
    let outcome: Outcome
  }

  let folder: URL
  let name: String
  private var process: ChildProcess?
  private var output: Pipe?
  private(set) var url = ""
  /// Variables of the commands that are started from now on.
  var environment: [String: String] = [:]

  var database: URL { folder.appending(path: name) }
  var port: UInt16 { UInt16(url.split(separator: ":").last?.split(separator: "/").first ?? "") ?? 0 }
  /// The path of the page, without a slash at its end.
  var base: String { "/" + (url.split(separator: "/").last.map(String.init) ?? "") }

  /// - Parameter name: The name of the database file, which a test creates.
  init(file name: String = "app.db") throws {
    self.name = name
    folder = FileManager.default.temporaryDirectory.appending(path: "kvtool-web-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    process?.signal(SIGKILL)
    _ = process?.wait()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The executable that was built together with the tests.
  private static let tool: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return (bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL).appending(path: "kvtool")
  }()

  /// Starts a command whose standard error goes to a file.
  private func makeProcess(_ arguments: [String], output: Int32, error: URL) throws -> ChildProcess {
    try Data().write(to: error)
    let errors = try FileHandle(forWritingTo: error)
    defer { try? errors.close() }
    return try ChildProcess(
      ["env", "-C", folder.path(), Self.tool.path()] + arguments + ["--db", name],
      environment: environment.merging(["HOME": folder.path()]) { $1 }, output: output, error: errors.fileDescriptor)
  }

  /// Runs another command on the file to its end.
  @discardableResult
  func kvtool(_ arguments: String...) throws -> Outcome {
    let (output, error) = (folder.appending(path: "output"), folder.appending(path: "error"))
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    defer { try? handle.close() }
    let status = try makeProcess(arguments, output: handle.fileDescriptor, error: error).wait()
    return Outcome(
      status: status, output: try String(contentsOf: output, encoding: .utf8),
      error: try String(contentsOf: error, encoding: .utf8))
  }

  /// Copies a backup into the database, as SQLite's shell does. Returns the status of the process, 0 if it has.
  func restore(_ backup: String) throws -> Int32 {
    let script = """
      import sqlite3, sys
      sqlite3.connect(sys.argv[1], timeout=30).backup(sqlite3.connect(sys.argv[2], timeout=30))
      """
    let command = ["env", "-C", folder.path(), "python3", "-c", script, backup, name]
    return try ChildProcess(command, environment: environment).wait()
  }

  /// Starts the server, and returns when it has printed its URL.
  func start(_ arguments: String...) throws {
    _ = end(by: SIGKILL)
    let (output, error) = (Pipe(), folder.appending(path: "server-error"))
    let process = try makeProcess(
      ["web"] + arguments, output: output.fileHandleForWriting.fileDescriptor, error: error)
    try output.fileHandleForWriting.close()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty {
        throw NotServing(
          outcome: Outcome(
            status: process.wait(), output: String(decoding: line, as: UTF8.self),
            error: try String(contentsOf: error, encoding: .utf8)))
      }
      line += bytes
    }
    url = String(decoding: line.dropLast(), as: UTF8.self)
    (self.process, self.output) = (process, output)
  }

  /// Sends a signal, and returns the status with which the process ends.
  func end(by signal: Int32) -> Int32 {
    guard let process else { return -1 }
    process.signal(signal)
    self.process = nil
    return process.wait()
  }

  /// The memory that the server uses, in bytes. Linux only.
  var residentBytes: Int {
    guard let process,
      let text = try? String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
    else { return 0 }
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}
