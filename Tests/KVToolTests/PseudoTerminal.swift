import Foundation
import TestSupport

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
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(window.fileDescriptor, &chunk, chunk.count)
      if count > 0 {
        shown.append(contentsOf: chunk[..<count].filter { $0 != UInt8(ascii: "\r") })
      } else if count == 0 || errno != EINTR {
        return shown  // on Linux, the end is an error
      }
    }
  }
}
