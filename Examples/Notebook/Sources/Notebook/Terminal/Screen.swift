import Foundation

/// Prints pages on standard output. On a terminal, a live page replaces the previous one.
struct Screen {
  private let isTerminal = isatty(FileHandle.standardOutput.fileDescriptor) != 0
  private let isLive: Bool

  init(isLive: Bool = false) { self.isLive = isLive }

  /// Prints a page without buffering; `print` would buffer the output to a pipe.
  func show(_ page: Page) {
    var text = isTerminal && isLive ? "\u{1B}[H\u{1B}[2J" : ""
    for note in page.notes {
      let line = Self.line(of: note, tags: page.tagStyle)
      text += (isTerminal && page.theme == .dark ? "\u{1B}[97m\(line)\u{1B}[0m" : line) + "\n"
    }
    text += "-- \(page.notes.count.notes), \(page.notes.count { $0.pinned }) pinned\n"
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  /// Returns a line such as `* 1 2026-03-09 A tour of Synchronization #swift (work)`.
  static func line(of note: Note, tags style: TagStyle) -> String {
    let tags =
      switch style {
      case _ where note.tags.isEmpty: ""
      case .hashtags: note.tags.map { " #\($0)" }.joined()
      case .brackets: " [\(note.tags.joined(separator: ", "))]"
      case .hidden: ""
      }
    return "\(note.pinned ? "*" : "-") \(note.number) \(note.day) \(note.title)\(tags) (\(note.notebook))"
  }
}
