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
  }

  private let workspace: SQLiteWorkspace
  private let format: LogFormat
  /// The only namespace whose changes are printed; nil for all changes.
  private let namespace: String?
  private let state: Mutex<State>

  init(_ workspace: SQLiteWorkspace, format: LogFormat, namespace: String?, after number: UInt64?, limit: Int?) {
    self.workspace = workspace
    self.format = format
    self.namespace = namespace
    state = Mutex(State(last: number ?? 0, limit: limit, isContinuing: number != nil))
  }

  /// Prints the commits since the last call. One call at a time prints.
  ///
  /// - Throws: ``OutputClosed``, ``ToolError`` and ``WorkspaceError``.
  func printNew() throws {
    try state.withLock { state in
      let commits = try workspace.loggedCommits(after: state.last)
      if state.isContinuing, let first = commits.first, first.number > state.last + 1 {
        StandardError.write(
          message: "the log no longer has the commits \(state.last + 1) to \(first.number - 1)")
      }
      state.last = commits.last?.number ?? state.last
      let printed = commits.lazy.map(lines).filter { !$0.isEmpty }
      let lines = state.limit.map { Array(printed.suffix($0).joined()) } ?? Array(printed.joined())
      (state.limit, state.isContinuing) = (nil, true)
      try StandardOutput.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }
  }

  private func lines(_ commit: LoggedCommit) -> [String] {
    let events = events(of: commit)
    return events.map { event in
      switch format {
      case .text: "\(commit.number)  \(event.text(showingNamespace: namespace == nil))"
      case .ndjson: JSONWriter.string(event.json(commit.number))
      }
    }
  }

  private func events(of commit: LoggedCommit) -> [LogEvent] {
    var events = commit.keyChanges?.map { LogEvent.key($0) } ?? [.unknown]
    if let namespace {
      events = events.filter { $0.namespace?.hasSameBytes(as: namespace) ?? true }
    } else {
      events += commit.tableChanges?.map { .objects($0) } ?? [.unknownObjects]
    }
    return events
  }
}

/// A change in the log.
private enum LogEvent {
  case key(LoggedKeyChange)
  case objects(LoggedTableChange)
  /// Any key may have changed.
  case unknown
  /// Any object may have changed.
  case unknownObjects

  /// The namespace; nil if any may have changed.
  var namespace: String? {
    switch self {
    case .key(.set(let namespace, _, _)), .key(.remove(let namespace, _)), .key(.change(let namespace, _)),
      .key(.removePrefix(let namespace, _)), .key(.unknown(let namespace)):
      namespace
    case .objects, .unknown, .unknownObjects: nil
    }
  }

  func text(showingNamespace showsNamespace: Bool) -> String {
    let prefix = namespace.map { $0.isEmpty || !showsNamespace ? "" : "[\(Self.name($0))] " } ?? ""
    switch self {
    case .key(.set(_, let key, let value)):
      // A property list may be damaged.
      guard let text = try? Self.text(value) else { return "\(prefix)\(Self.name(key)) changed" }
      return "\(prefix)\(Self.name(key)) = \(text)"
    case .key(.remove(_, let key)): return "\(prefix)\(Self.name(key)) deleted"
    case .key(.change(_, let key)): return "\(prefix)\(Self.name(key)) changed"
    case .key(.removePrefix(_, let key)): return "\(prefix)\(Self.name(key))* deleted"
    case .key(.unknown): return "\(prefix)many keys changed"
    case .objects(let change):
      guard let rowids = change.rowids else { return "\(Self.name(change.table)): many rows changed" }
      let rows = rowids.prefix(Self.mostRows).map(String.init).joined(separator: ", ")
      return "\(Self.name(change.table)): \(rowids.count == 1 ? "row" : "rows") \(rows)"
        + (rowids.count > Self.mostRows ? ", … (\(rowids.count))" : "")
    case .unknown: return "many keys changed"
    case .unknownObjects: return "many objects changed"
    }
  }

  /// Returns a value as `subscribe` prints it.
  private static func text(_ value: StoredValue) throws -> String {
    if case .string = value, StandardOutput.isTerminal { return JSONWriter.string(try value.plainJSON()) }
    return try value.lineText()
  }

  /// The most rows in a line that people read.
  private static let mostRows = 8

  private static func name(_ text: String) -> String { text.asName(isTerminal: StandardOutput.isTerminal) }

  /// Returns the event in the form of `subscribe`. A change without its value has an event of its own.
  func json(_ commit: UInt64) -> JSONValue {
    func object(_ pairs: KeyValuePairs<String, JSONValue>) -> JSONValue {
      .object(
        JSONObject(
          unsorted: pairs.map { .init(name: $0.key, value: $0.value) } + [
            .init(name: "commit", value: JSONValue(commit))
          ]) ?? JSONObject([:]))
    }
    func record(
      _ event: DictionaryChange.Event, _ key: String, _ namespace: String, _ value: StoredValue?
    ) -> JSONValue {
      let record = ValueRecord(event: event, key: key, namespace: namespace, value: value, commitNumber: commit)
      return (try? record.json())
        ?? object(["event": .string("changed"), "key": .string(key), "namespace": .string(namespace)])
    }
    switch self {
    case .key(.set(let namespace, let key, let value)): return record(.updated, key, namespace, value)
    case .key(.remove(let namespace, let key)): return record(.deleted, key, namespace, nil)
    case .key(.change(let namespace, let key)):
      return object(["event": .string("changed"), "key": .string(key), "namespace": .string(namespace)])
    case .key(.removePrefix(let namespace, let key)):
      return object(["event": .string("prefixDeleted"), "prefix": .string(key), "namespace": .string(namespace)])
    case .key(.unknown(let namespace)):
      return object(["event": .string("unknown"), "namespace": .string(namespace)])
    case .objects(let change):
      let rows = change.rowids.map { JSONValue.array($0.map { .int($0) }) } ?? .null
      return object(["event": .string("objects"), "table": .string(change.table), "rows": rows])
    case .unknown: return object(["event": .string("unknown")])
    case .unknownObjects: return object(["event": .string("objects"), "table": .null, "rows": .null])
    }
  }
}
