import DflatSupport

/// The size of the terminal on standard output, in characters.
struct TerminalSize {
  let width: Int
  let height: Int

  /// Returns 80 by 24 if the terminal doesn't tell.
  static func current() -> TerminalSize {
    reported() ?? TerminalSize(width: 80, height: 24)
  }

  /// Returns nil if the terminal doesn't tell, or if there is none.
  static func reported() -> TerminalSize? {
    var size = winsize()
    let hasSize = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    return hasSize ? TerminalSize(width: Int(size.ws_col), height: Int(size.ws_row)) : nil
  }
}
