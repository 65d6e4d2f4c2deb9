import DflatCore
import DflatEntities
import DflatKV
import DflatSupport

/// A change in the log.
enum LogEvent {
  case key(LoggedKeyChange)
  case objects(LoggedTableChange)
  /// Any key may have changed.
  case unknown
  /// Any object may have changed.
  case unknownObjects

  /// Returns the changes of a commit; with a namespace, only those of its keys.
  static func events(of commit: LoggedCommit, in namespace: String? = nil) -> [LogEvent] {
    let events = commit.keyChanges?.map { LogEvent.key($0) } ?? [.unknown]
    if let namespace {
      return events.filter { $0.namespace?.hasSameBytes(as: namespace) ?? true }
    }
    return events + (commit.tableChanges?.map { .objects($0) } ?? [.unknownObjects])
  }

  /// Returns the event with its value opened, if it is sealed with the key of the command.
  func opened(by database: OpenDatabase) -> LogEvent {
    guard case .key(.set(let namespace, let key, let value)) = self, value.kind == .sealed else { return self }
    return .key(.set(namespace: namespace, key: key, database.opened(value, forKey: key, in: namespace)))
  }

  /// The namespace; nil if any may have changed.
  var namespace: String? {
    switch self {
    case .key(.set(let namespace, _, _)), .key(.remove(let namespace, _)), .key(.expire(let namespace, _)),
      .key(.change(let namespace, _)), .key(.removePrefix(let namespace, _)), .key(.unknown(let namespace)):
      namespace
    case .objects, .unknown, .unknownObjects: nil
    }
  }

  func text(showingNamespace showsNamespace: Bool, isTerminal: Bool) -> String {
    func name(_ text: String) -> String { text.asName(isTerminal: isTerminal) }
    let prefix = namespace.map { $0.isEmpty || !showsNamespace ? "" : "[\(name($0))] " } ?? ""
    switch self {
    case .key(.set(_, let key, let value)):
      // A property list may be damaged.
      guard let text = try? Self.text(value, isTerminal: isTerminal) else { return "\(prefix)\(name(key)) changed" }
      return "\(prefix)\(name(key)) = \(text)"
    case .key(.remove(_, let key)): return "\(prefix)\(name(key)) deleted"
    case .key(.expire(_, let key)): return "\(prefix)\(name(key)) expired"
    case .key(.change(_, let key)): return "\(prefix)\(name(key)) changed"
    case .key(.removePrefix(_, let key)): return "\(prefix)\(name(key))* deleted"
    case .key(.unknown): return "\(prefix)many keys changed"
    case .objects(let change):
      guard let rowids = change.rowids else { return "\(name(change.table)): many rows changed" }
      let rows = rowids.prefix(Self.mostRows).map(String.init).joined(separator: ", ")
      return "\(name(change.table)): \(rowids.count == 1 ? "row" : "rows") \(rows)"
        + (rowids.count > Self.mostRows ? ", … (\(rowids.count))" : "")
    case .unknown: return "many keys changed"
    case .unknownObjects: return "many objects changed"
    }
  }

  /// Returns a value as `subscribe` prints it.
  private static func text(_ value: StoredValue, isTerminal: Bool) throws -> String {
    if case .string = value, isTerminal { return JSONWriter.string(try value.plainJSON()) }
    return try value.lineText()
  }

  /// The most rows in a line that people read.
  private static let mostRows = 8

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
    case .key(.expire(let namespace, let key)): return record(.expired, key, namespace, nil)
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
