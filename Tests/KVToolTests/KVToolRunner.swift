import DflatSQLite
import Foundation
import Synchronization
import TestSupport

/// Runs the tool as a process of its own in a folder with a database file. The folder is removed with the last
/// reference.
final class KVToolRunner: Sendable {
  struct Outcome: Sendable {
    let status: Int32
    let bytes: Data
    let error: String

    var output: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  private let directory: TemporaryDirectory
  let folder: URL
  let database: URL

  init() throws {
    directory = try TemporaryDirectory("kvtool")
    folder = URL(fileURLWithPath: directory.path)
    database = URL(fileURLWithPath: directory.file())
  }

  /// Runs the tool to its end, on this folder's database unless the arguments include `--db`.
  @discardableResult
  func callAsFunction(
    _ arguments: String..., input: Data = Data(), environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run(arguments, input: input, environment: environment)
  }

  @discardableResult
  func run(
    _ arguments: [String], input: Data = Data(), environment: [String: String] = [:]
  ) async throws -> Outcome {
    // Files rather than pipes: a process that writes much to two streams never waits for a reader.
    let stem = folder.appendingPathComponent(UUID().uuidString)
    let files = ["in", "out", "err"].map { stem.appendingPathExtension($0) }
    try input.write(to: files[0])
    try Data().write(to: files[1])
    try Data().write(to: files[2])
    defer { files.forEach { try? FileManager.default.removeItem(at: $0) } }
    let process = makeProcess(arguments, environment: environment)
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try await process.runToEnd()
    return Outcome(
      status: process.terminationStatus, bytes: try Data(contentsOf: files[1]),
      error: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
  }

  /// Copies a backup into the database, as SQLite's shell does.
  func restore(_ backup: String) throws {
    let source = try Connection(path: backup, mode: .readOnly, busyTimeout: .seconds(30))
    defer { source.close() }
    try source.backup(to: database.path) {}
  }

  /// Runs the tool to its end on a terminal, except for its standard error. The input is typed before the tool starts.
  func onTerminal(_ arguments: String..., typed: String = "") async throws -> Outcome {
    let terminal = try PseudoTerminal()
    let errors = folder.appendingPathComponent(UUID().uuidString)
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    let process = makeProcess(arguments, environment: [:])
    process.standardInput = terminal.device
    process.standardOutput = terminal.device
    process.standardError = try FileHandle(forWritingTo: errors)
    try terminal.type(typed)
    try await process.runToEnd()
    return Outcome(
      status: process.terminationStatus, bytes: try terminal.shown(),
      error: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }

  /// Starts the tool on a terminal.
  func startOnTerminal(_ arguments: [String]) throws -> InteractiveTool {
    try InteractiveTool(makeProcess(arguments, environment: ["TERM": "xterm"]))
  }

  /// Starts the tool, whose lines can be read as they come.
  func start(_ arguments: String..., environment: [String: String] = [:]) throws -> RunningTool {
    try RunningTool(makeProcess(arguments, environment: environment))
  }

  func start(_ arguments: [String]) throws -> RunningTool {
    try RunningTool(makeProcess(arguments, environment: [:]))
  }

  /// Runs a shell script in which `kvtool` is the tool and KVTOOL_DB the database.
  @discardableResult
  func shell(_ script: String) async throws -> Outcome {
    let output = folder.appendingPathComponent(UUID().uuidString)
    try Data().write(to: output)
    defer { try? FileManager.default.removeItem(at: output) }
    let process = makeProcess([], environment: [:])
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try await process.runToEnd()
    return Outcome(status: process.terminationStatus, bytes: try Data(contentsOf: output), error: "")
  }

  private func makeProcess(_ arguments: [String], environment: [String: String]) -> Process {
    _ = Self.takesInterrupts
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let tools = Self.executable.deletingLastPathComponent().path
    let basic = ["PATH": "\(tools):/usr/bin:/bin", "HOME": folder.path, "KVTOOL_DB": database.path]
    process.environment = basic.merging(environment) { _, new in new }
    return process
  }

  /// Ends the ignoring of SIGINT, which tools would inherit from tests that run as a background job of a script.
  private static let takesInterrupts: Void = { _ = signal(SIGINT, SIG_DFL) }()

  /// The executable that was built together with the tests.
  private static let executable: URL = {
    if let path = ProcessInfo.processInfo.environment["KVTOOL_EXECUTABLE"] {
      return URL(fileURLWithPath: path)
    }
    let testBundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let folder = testBundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    return folder.appendingPathComponent("kvtool")
  }()
}

/// A tool that runs until it is stopped.
final class RunningTool: Sendable {
  private let process: Mutex<Process>
  private let lines: AsyncStream<String>
  private let ended: AsyncStream<Int32>

  fileprivate init(_ process: Process) throws {
    process.standardInput = FileHandle.nullDevice
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    let (ended, endContinuation) = AsyncStream.makeStream(of: Int32.self)
    self.lines = lines
    self.ended = ended
    process.terminationHandler = { process in
      endContinuation.yield(process.terminationStatus)
      endContinuation.finish()
    }
    let output = try ProgramStart.alone {
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      return output
    }
    try output.fileHandleForWriting.close()
    self.process = Mutex(process)
    let handle = output.fileHandleForReading
    Thread.detachNewThread {
      Self.forEachLine(handle) { continuation.yield($0) }
      continuation.finish()
    }
  }

  /// Calls `read` directly, because a file handle ends the process when a signal interrupts it.
  private static func forEachLine(_ handle: FileHandle, _ body: (String) -> Void) {
    var rest: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(handle.fileDescriptor, &chunk, chunk.count)
      guard count > 0 || count < 0 && errno == EINTR else {
        return
      }
      rest += chunk[..<max(0, count)]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        body(String(decoding: rest[..<end], as: UTF8.self))
        rest.removeFirst(end + 1)
      }
    }
  }

  /// Returns the next lines, fewer if the tool ends before.
  func next(_ count: Int) async -> [String] {
    var taken: [String] = []
    guard count > 0 else {
      return taken
    }
    for await line in lines {
      taken.append(line)
      if taken.count == count {
        break
      }
    }
    return taken
  }

  func next() async -> String? {
    await next(1).first
  }

  func interrupt() {
    process.withLock { $0.interrupt() }
  }

  func terminate() {
    process.withLock { $0.terminate() }
  }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  /// True if a signal has ended the tool. Its status is then the signal's number.
  var wasKilled: Bool { process.withLock { $0.terminationReason == .uncaughtSignal } }

  /// Returns the exit status once the tool has ended.
  func status() async -> Int32? {
    await ended.first { _ in true }
  }
}

extension Process {
  /// Runs the process and returns when it has ended, even if the task is cancelled.
  fileprivate func runToEnd() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      terminationHandler = { _ in continuation.resume() }
      do {
        try ProgramStart.alone { try run() }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
