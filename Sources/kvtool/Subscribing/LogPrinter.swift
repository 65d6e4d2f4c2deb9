import ArgumentParser
import DflatCore
import DflatEntities
import DflatKV
import Synchronization

/// The output formats of the change log.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case ndjson
}

/// Prints the commits of the change log, each once.
final class LogPrinter: Sendable {
  private struct State {
    /// The newest commit that was printed, or the one after which printing starts.
    var last: UInt64
    /// The maximum number of commits the first time; nil for all, and afterwards.
    var limit: Int?
    /// True if a gap in the numbers means that commits were missed: after the first time, and if a caller named the
    /// commit to begin after.
    var isContinuing: Bool
    /// True after the first time.
    var hasPrinted = false
  }

  private let database: OpenDatabase
  private let format: LogFormat
  /// The only namespace whose changes are printed; nil for all changes.
  private let namespace: String?
  private let state: Mutex<State>

  init(_ database: OpenDatabase, format: LogFormat, namespace: String?, after number: UInt64?, limit: Int?) {
    self.database = database
    self.format = format
    self.namespace = namespace
    state = Mutex(State(last: number ?? 0, limit: limit, isContinuing: number != nil))
  }

  /// Prints the commits since the last call. One call at a time prints.
  ///
  /// - Throws: ``OutputClosed``, ``ToolError`` and ``WorkspaceError``.
  func printNew() throws {
    try state.withLock { state in
      let commits = try database.workspace.loggedCommits(after: state.last, wasRead: state.hasPrinted)
      if state.isContinuing, let first = commits.first, first.number > state.last + 1 {
        StandardError.write(
          message: "the log no longer has the commits \(state.last + 1) to \(first.number - 1)")
      }
      state.last = commits.last?.number ?? state.last
      let printed = commits.lazy.map(lines).filter { !$0.isEmpty }
      let lines = state.limit.map { Array(printed.suffix($0).joined()) } ?? Array(printed.joined())
      (state.limit, state.isContinuing, state.hasPrinted) = (nil, true, true)
      try StandardOutput.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
  }

  private func lines(_ commit: LoggedCommit) -> [String] {
    let events = LogEvent.events(of: commit, in: namespace).map { $0.opened(by: database) }
    return events.map { event in
      switch format {
      case .text:
        "\(commit.number)  \(event.text(showingNamespace: namespace == nil, isTerminal: StandardOutput.isTerminal))"
      case .ndjson: JSONWriter.string(event.json(commit.number))
      }
    }
  }
}
