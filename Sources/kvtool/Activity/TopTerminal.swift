import CLineEditor
import DflatSupport
import Dispatch

/// The terminal as a screen that is drawn again and again, until the user presses q.
///
/// Uses the alternate screen (xterm's control sequences), so that the terminal's content is there again at the end.
final class TopTerminal {
  private let saved: termios
  private let keys: any DispatchSourceRead

  /// - Parameter quit: Called when the user presses q.
  init(quit: @escaping @Sendable () -> Void) throws {
    TerminalRestoreAtSignals()
    // Suspended, it would leave the screen as it is.
    signal(SIGTSTP, SIG_IGN)
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    saved = settings
    // Keys arrive at once, and are not shown.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    keys.setEventHandler { [keys] in
      var byte: UInt8 = 0
      let count = systemRead(STDIN_FILENO, &byte, 1)
      if count <= 0 { keys.cancel() }
      if count > 0 && byte == UInt8(ascii: "q") || count == 0 { quit() }
    }
    keys.resume()
    try StandardOutput.write(Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
  }

  static func draw(_ lines: [String]) throws {
    let rows = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    try StandardOutput.write(Array("\u{1B}[H\(rows)\u{1B}[J".utf8))
  }

  /// Restores the terminal.
  func close() {
    keys.cancel()
    var settings = saved
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    try? StandardOutput.write(Array("\u{1B}[?25h\u{1B}[?1049l".utf8))
  }
}
