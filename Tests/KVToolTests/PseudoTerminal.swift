import Foundation
import Synchronization
import TestSupport
import Testing

/// A terminal for a tool to read and write, as in a window of a terminal program.
final class PseudoTerminal: Sendable {
  /// The side of the tool.
  let device: FileHandle
  /// The side of the window: reads what is shown, and writes what is typed.
  private let window: FileHandle

  init() throws {
    // No other program that starts meanwhile may keep the terminal open.
    let (ours, theirs) = try ProgramStart.alone {
      var ours: Int32 = -1
      var theirs: Int32 = -1
      guard openpty(&ours, &theirs, nil, nil, nil) == 0 else {
        throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO)
      }
      for descriptor in [ours, theirs] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      return (ours, theirs)
    }
    window = FileHandle(fileDescriptor: ours, closeOnDealloc: true)
    device = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
  }

  /// Types text; `\u{4}` at the beginning of a line ends the tool's input.
  func type(_ text: String) throws {
    try window.write(contentsOf: Data(text.utf8))
  }

  /// Returns what was shown, typed text included, without carriage returns. The tool must have ended.
  func shown() throws -> Data {
    try device.close()
    var shown = Data()
    readToEnd { shown.append(contentsOf: $0) }
    return shown
  }

  /// Passes on what is shown, without carriage returns, until nothing has the terminal open.
  func readToEnd(_ body: (ArraySlice<UInt8>) -> Void) {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(window.fileDescriptor, &chunk, chunk.count)
      if count > 0 {
        body(chunk[..<count].filter { $0 != UInt8(ascii: "\r") }[...])
      } else if count == 0 || errno != EINTR {
        return  // on Linux, the end is an error
      }
    }
  }
}

/// A tool that runs on a terminal, in a conversation with the test.
final class InteractiveTool: Sendable {
  private struct Screen {
    var text = ""
    /// The number of bytes that the test has waited for.
    var seen = 0
    var waiting: (text: String, continuation: CheckedContinuation<Void, Never>)?
    var hasEnded = false
  }

  private let terminal: PseudoTerminal
  private let screen = Mutex(Screen())
  private let ended: AsyncStream<Int32>
  private let processIdentifier: Int32

  /// Starts the tool, whose standard input, output and error are the terminal.
  init(_ process: Process) throws {
    terminal = try PseudoTerminal()
    let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.ended = ended
    process.standardInput = terminal.device
    process.standardOutput = terminal.device
    process.standardError = terminal.device
    process.terminationHandler = { process in
      continuation.yield(process.terminationStatus)
      continuation.finish()
    }
    try ProgramStart.alone { try process.run() }
    processIdentifier = process.processIdentifier
    try terminal.device.close()
    Thread.detachNewThread { [terminal, self] in
      terminal.readToEnd { bytes in self.show(bytes) }
      self.end()
    }
  }

  func type(_ text: String) throws { try terminal.type(text) }

  /// Sends SIGTERM. The tool must not have ended.
  func terminate() { kill(processIdentifier, SIGTERM) }

  var shown: String { screen.withLock { $0.text } }

  /// Returns the exit status once the tool has ended.
  func status() async -> Int32? { await ended.first { _ in true } }

  /// Returns when the text has appeared after what was waited for before, or the tool has ended.
  func wait(for text: String) async {
    await withCheckedContinuation { continuation in
      screen.withLock { screen in
        screen.waiting = (text, continuation)
        Self.wake(&screen)
      }
    }
  }

  private func show(_ bytes: ArraySlice<UInt8>) {
    screen.withLock { screen in
      screen.text += String(decoding: bytes, as: UTF8.self)
      Self.wake(&screen)
    }
  }

  private func end() {
    screen.withLock { screen in
      screen.hasEnded = true
      Self.wake(&screen)
    }
  }

  private static func wake(_ screen: inout Screen) {
    guard let (text, continuation) = screen.waiting else { return }
    let rest = screen.text.utf8.dropFirst(screen.seen)
    if let found = rest.firstRange(of: Array(text.utf8)) {
      screen.seen = screen.text.utf8.distance(from: screen.text.startIndex, to: found.upperBound)
    } else if !screen.hasEnded {
      return
    } else {
      Issue.record("The tool has ended without \(text.debugDescription): \(screen.text.debugDescription)")
    }
    screen.waiting = nil
    continuation.resume()
  }
}
