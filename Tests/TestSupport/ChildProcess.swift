import Foundation

/// A program started by a test, with its standard output read line by line.
///
/// A child that still runs when the object is destroyed is killed.
package final class ChildProcess: @unchecked Sendable {
  // Unchecked: `condition` guards the mutable state. `process` is set up in `init`; afterwards only its status is read,
  // and signals are sent to it.
  private let process = Process()
  private let input: Pipe
  private let condition = NSCondition()
  private var lines: [String] = []
  private var outputEnded = false
  private var errorText = Data()
  private var errorEnded = false
  private var exited = false

  /// Starts the program. Lines written to its standard error are collected in `standardError`.
  package init(_ executable: URL, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    signal(SIGPIPE, SIG_IGN)
    ProgramStart.begin()
    defer { ProgramStart.end() }
    input = Pipe()
    let output = Pipe()
    let error = Pipe()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = error
    process.terminationHandler = { [weak self] _ in self?.noteExit() }
    try process.run()
    Self.readLines(of: output.fileHandleForReading) { [weak self] in self?.noteLine($0) }
    Self.readAll(of: error.fileHandleForReading) { [weak self] in self?.noteError($0) }
  }

  deinit {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
  }

  /// The process's number.
  package var processIdentifier: Int32 { process.processIdentifier }

  /// The way in which the process ended.
  package enum Ending: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  // MARK: - Output

  /// Waits for the next line of the output and returns it without the newline; nil at the end. Throws `WaitGivenUp` if
  /// the time runs out.
  package func nextLine(within seconds: TimeInterval = generousTime) throws -> String? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    return try condition.withLock {
      while lines.isEmpty && !outputEnded {
        guard condition.wait(until: deadline) else { throw WaitGivenUp(description: "the child printed no line") }
      }
      return lines.isEmpty ? nil : lines.removeFirst()
    }
  }

  /// Waits for the end of the output, and returns the lines that were not read yet.
  package func remainingLines(within seconds: TimeInterval = generousTime) throws -> [String] {
    var all: [String] = []
    while let line = try nextLine(within: seconds) { all.append(line) }
    return all
  }

  /// Reads lines up to and including the first that satisfies the condition; throws at the end of the output.
  @discardableResult
  package func readUntil(_ isWanted: (String) -> Bool) throws -> String {
    while let line = try nextLine() {
      if isWanted(line) { return line }
    }
    throw WaitGivenUp(description: "the child ended before the line that was waited for: \(standardError)")
  }

  /// The standard error so far.
  package var standardError: String { condition.withLock { String(decoding: errorText, as: UTF8.self) } }

  /// Returns the whole standard error of a process that has ended. The reading thread may be behind, so this waits for
  /// the end of the output, unless a program that the process started keeps it open for longer than `seconds`.
  package func wholeStandardError(within seconds: TimeInterval = 10) -> String {
    let deadline = Date(timeIntervalSinceNow: seconds)
    condition.withLock { while !errorEnded, condition.wait(until: deadline) {} }
    return standardError
  }

  // MARK: - Input and signals

  /// Writes a line to its standard input.
  package func write(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Ends its standard input.
  package func closeInput() { try? input.fileHandleForWriting.close() }

  /// Sends a signal; SIGKILL by default.
  package func kill(_ signal: Int32 = SIGKILL) { Foundation.kill(process.processIdentifier, signal) }

  /// Waits until the process has ended.
  @discardableResult package func wait() throws -> Ending {
    let deadline = Date(timeIntervalSinceNow: generousTime)
    try condition.withLock {
      while !exited {
        guard condition.wait(until: deadline) else { throw WaitGivenUp(description: "the child did not end") }
      }
    }
    let status = process.terminationStatus
    return process.terminationReason == .exit ? .exit(status) : .signal(status)
  }

  // MARK: - Reading

  private func noteExit() {
    condition.withLock {
      exited = true
      condition.broadcast()
    }
  }

  private func noteLine(_ line: String?) {
    condition.withLock {
      if let line { lines.append(line) } else { outputEnded = true }
      condition.broadcast()
    }
  }

  private func noteError(_ bytes: Data?) {
    condition.withLock {
      if let bytes { errorText.append(bytes) } else { errorEnded = true }
      condition.broadcast()
    }
  }

  /// Passes each line to the handler, then nil. Uses a thread of its own because the reads block.
  private static func readLines(of handle: FileHandle, _ handler: @escaping @Sendable (String?) -> Void) {
    Thread.detachNewThread {
      var rest = Data()
      while case let bytes = handle.availableData, !bytes.isEmpty {
        rest.append(bytes)
        while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
          handler(String(decoding: rest[rest.startIndex..<newline], as: UTF8.self))
          rest = Data(rest[(newline + 1)...])
        }
      }
      if !rest.isEmpty { handler(String(decoding: rest, as: UTF8.self)) }
      handler(nil)
    }
  }

  /// Passes each piece to the handler, then nil.
  private static func readAll(of handle: FileHandle, _ handler: @escaping @Sendable (Data?) -> Void) {
    Thread.detachNewThread {
      while case let bytes = handle.availableData, !bytes.isEmpty { handler(bytes) }
      handler(nil)
    }
  }
}
