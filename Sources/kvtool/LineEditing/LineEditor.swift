import CLineEditor
import DflatSupport

/// Reads lines from the terminal with libedit, the line editor of the system.
///
/// Its settings are those of `~/.editrc` under the name kvtool. Use it on one thread.
final class LineEditor {
  enum Input: Equatable {
    case line(String)
    /// The user has discarded the line with Ctrl-C.
    case interrupt
    case end
  }

  /// The effect of the Tab key.
  struct Completion: Equatable {
    /// The number of characters to remove before the cursor.
    var removedCount = 0
    var insertion = ""
    /// The choices if there are several; they are printed below the line.
    var choices: [String] = []
  }

  private let complete: (_ lineToCursor: String) -> Completion
  private var editor: OpaquePointer?

  /// Returns nil if the system has no libedit.
  init?(complete: @escaping (_ lineToCursor: String) -> Completion) {
    self.complete = complete
    editor = LineEditorCreate(
      "kvtool", Int32(LineHistory.maximumCount), { answerTab(in: $0, $1, $2) },
      Unmanaged.passUnretained(self).toOpaque())
    if editor == nil { return nil }
  }

  deinit {
    if let editor { LineEditorFree(editor) }
  }

  /// Lets the user edit a line. Blocks until it is entered.
  func read(prompt: String) -> Input {
    var line: UnsafeMutablePointer<CChar>?
    let result = prompt.withCString { LineEditorRead(editor, $0, &line) }
    defer { free(line) }
    return switch result {
    case LineEditorResultLine: .line(line.map { String(cString: $0) } ?? "")
    case LineEditorResultInterrupt: .interrupt
    default: .end
    }
  }

  /// Adds a line to those that the arrow keys reach.
  func remember(_ line: String) {
    LineEditorRemember(editor, line)
  }

  fileprivate func completion(_ lineToCursor: String) -> LineEditorCompletion {
    let completion = complete(lineToCursor)
    let choices = completion.choices.isEmpty ? nil : Self.columns(completion.choices)
    return LineEditorCompletion(
      removedCount: Int32(completion.removedCount), insertion: strdup(completion.insertion),
      choices: choices.flatMap { strdup($0) })
  }

  /// Returns texts in columns that fit the terminal.
  static func columns(_ texts: [String], width: Int = TerminalSize.current().width) -> String {
    let columnWidth = (texts.map(\.count).max() ?? 0) + 2
    let columnCount = max(1, width / columnWidth)
    let rowCount = (texts.count + columnCount - 1) / columnCount
    return (0..<rowCount).map { row in
      let cells = stride(from: row, to: texts.count, by: rowCount).map { texts[$0] }
      let padded = cells.dropLast().map { $0 + String(repeating: " ", count: columnWidth - $0.count) }
      return (padded + cells.suffix(1)).joined()
    }.joined(separator: "\n")
  }
}

/// Answers the Tab key.
private func answerTab(
  in context: UnsafeMutableRawPointer?, _ line: UnsafePointer<CChar>?, _ length: Int
) -> LineEditorCompletion {
  guard let context, let line else { return LineEditorCompletion() }
  let editor = Unmanaged<LineEditor>.fromOpaque(context).takeUnretainedValue()
  let bytes = UnsafeRawBufferPointer(start: line, count: length)
  return editor.completion(String(decoding: bytes, as: UTF8.self))
}
