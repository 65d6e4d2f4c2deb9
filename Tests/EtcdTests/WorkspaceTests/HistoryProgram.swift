import EtcdTestSupport
import Foundation
import Synchronization

/// A running `StressWorker history`, which calls random transactions on a replica and logs them.
///
/// One thread talks with it. Others may stop it, and let it go on.
final class HistoryProgram: Sendable {
  /// Thrown if it ends, or answers otherwise than expected.
  struct BadAnswer: Error, CustomStringConvertible { let description: String }

  private let process: ChildProcess
  private let input: FileHandle
  private let output: FileHandle
  private let unread = Mutex(Data())
  private let errors: URL
  private let hasEnded = Mutex(false)

  /// Starts the program. Its log and its errors are files of the folder.
  ///
  /// - Parameters:
  ///   - number: Identifies the process in the history.
  ///   - arguments: The database, and the arguments of `history` after the log.
  init(_ folder: URL, number: Int, database: String, _ arguments: [String]) throws {
    let (toProgram, fromProgram) = (try Self.pipe(), try Self.pipe())
    errors = folder.appending(path: "\(number).errors")
    try Data().write(to: errors)
    let error = try FileHandle(forWritingTo: errors)
    process = try ChildProcess(
      [
        BuiltTool.url(named: "StressWorker").path(), "history", folder.appending(path: database).path(),
        folder.appending(path: "\(number).log").path(),
      ] + arguments, input: toProgram.read.fileDescriptor, output: fromProgram.write.fileDescriptor,
      error: error.fileDescriptor)
    (input, output) = (toProgram.write, fromProgram.read)
    for handle in [toProgram.read, fromProgram.write, error] { try handle.close() }
    try expect("ok")
  }

  deinit { kill() }

  /// Returns the ends of a pipe that other children don't inherit.
  private static func pipe() throws -> (read: FileHandle, write: FileHandle) {
    var ends: [Int32] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else { throw BadAnswer(description: "no pipe can be made") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let handles = ends.map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) }
    return (handles[0], handles[1])
  }

  // MARK: Talking

  func say(_ line: String) throws { try input.write(contentsOf: Data("\(line)\n".utf8)) }

  /// Gives an order, and waits until it has been carried out.
  func obey(_ line: String) throws {
    try say(line)
    try expect("ok")
  }

  /// Waits for a line, and passes over dots.
  func expect(_ wanted: String) throws {
    while let line = nextLine() {
      if line == wanted { return }
      if line != "." { throw BadAnswer(description: "\(line), not \(wanted)") }
    }
    throw BadAnswer(description: "ended before \(wanted): \(text(ofErrors: 5))")
  }

  /// Waits for the next line; returns nil at the end of the output.
  func nextLine() -> String? {
    unread.withLock { unread in
      while true {
        if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
          defer { unread = Data(unread[(end + 1)...]) }
          return String(decoding: unread[..<end], as: UTF8.self)
        }
        let more = output.availableData
        if more.isEmpty { return nil }
        unread.append(more)
      }
    }
  }

  // MARK: Ending

  /// Lets the program end, and returns the number of closures that ran in vain.
  func finish() throws -> Int {
    try input.close()
    var conflicts = 0
    while let line = nextLine() {
      if line.hasPrefix("conflicts ") { conflicts = Int(line.dropFirst(10)) ?? 0 }
    }
    guard wait() == 0 else { throw BadAnswer(description: "failed at its end: \(text(ofErrors: 5))") }
    return conflicts
  }

  /// Kills the program, unless it has ended.
  func kill() {
    hasEnded.withLock { hasEnded in
      if hasEnded { return }
      process.signal(SIGKILL)
      _ = process.wait()
      hasEnded = true
    }
  }

  private func wait() -> Int32 {
    hasEnded.withLock { hasEnded in
      hasEnded = true
      return process.wait()
    }
  }

  /// Stops the program without ending it.
  func freeze() { signal(SIGSTOP) }

  /// Lets a frozen program go on.
  func thaw() { signal(SIGCONT) }

  private func signal(_ number: Int32) { hasEnded.withLock { if !$0 { process.signal(number) } } }

  /// The first lines of its errors.
  func text(ofErrors count: Int) -> String {
    let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").prefix(count).joined(separator: "\n")
  }
}
