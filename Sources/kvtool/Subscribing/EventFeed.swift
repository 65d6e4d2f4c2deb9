import DflatKV
import Synchronization

/// The keys that a subscription is about.
enum KeySelection: Sendable {
  case keys([String])
  case prefix(String)

  var commonPrefix: String {
    switch self {
    case .keys: ""
    case .prefix(let prefix): prefix
    }
  }

  func contains(_ key: String) -> Bool {
    switch self {
    case .keys(let keys): keys.contains { $0.hasSameBytes(as: key) }
    case .prefix: true
    }
  }
}

/// First values and changes as one stream of events, in commit order.
///
///     subscribe ──► changes wait in `early` ─┐
///     snapshot ──► first values, sorted ─────┴─► without those that the snapshot has ──► handler ──► changes as they come
///
/// One subscription serves all named keys: of several, each with a first value of its own, one could be ahead of the
/// others when it starts, and commit numbers would not rise.
final class EventFeed: Sendable {
  private struct State {
    /// Changes that came before the first values were handed out; nil from then on.
    var early: [ValueRecord]? = []
    /// The newest commit among the first values; what is not newer is in them.
    var initialCommit: UInt64 = 0
    var subscription: WorkspaceSubscription?
  }

  private let selection: KeySelection
  private let handler: @Sendable (ValueRecord) -> Void
  private let state = Mutex(State())

  /// Starts the stream. The handler is called for one event at a time.
  static func start(
    _ database: OpenDatabase, _ selection: KeySelection, withInitial: Bool,
    handler: @escaping @Sendable (ValueRecord) -> Void
  ) throws -> EventFeed {
    let feed = EventFeed(selection: selection, handler: handler)
    let subscription = database.dictionary.subscribe(withPrefix: selection.commonPrefix) { [weak feed] change in
      feed?.receive(change)
    }
    feed.state.withLock { $0.subscription = subscription }
    var initial: [ValueRecord] = []
    if withInitial, case .keys(let keys) = selection {
      initial = try firstValues(of: keys, in: database)
    }
    feed.handOut(initial)
    return feed
  }

  private init(selection: KeySelection, handler: @escaping @Sendable (ValueRecord) -> Void) {
    self.selection = selection
    self.handler = handler
  }

  func cancel() {
    let subscription = state.withLock { $0.subscription }
    subscription?.cancel()
  }

  private static func firstValues(of keys: [String], in database: OpenDatabase) throws -> [ValueRecord] {
    let dictionary = database.dictionary
    let records = try database.workspace.fetchWithinASnapshot {
      try keys.map { key in
        ValueRecord(
          event: .initial, key: key, namespace: database.namespace, value: try dictionary.storedValue(forKey: key),
          commitNumber: try dictionary.commitNumber(forKey: key) ?? 0)
      }
    }
    return records.sorted { $0.commitNumber < $1.commitNumber }
  }

  private func handOut(_ initial: [ValueRecord]) {
    initial.forEach(handler)
    state.withLock { $0.initialCommit = initial.last?.commitNumber ?? 0 }
    while let early = takeEarly() {
      early.forEach(handler)
    }
  }

  /// The changes that came meanwhile; nil when there are none, and from then on they go straight to the handler.
  private func takeEarly() -> [ValueRecord]? {
    state.withLock { state in
      let early = state.early?.filter { $0.commitNumber > state.initialCommit } ?? []
      state.early = early.isEmpty ? nil : []
      return early.isEmpty ? nil : early
    }
  }

  private func receive(_ change: DictionaryChange) {
    guard selection.contains(change.key) else {
      return
    }
    let record = ValueRecord(change)
    let passes = state.withLock { state in
      guard state.early == nil else {
        state.early?.append(record)
        return false
      }
      return record.commitNumber > state.initialCommit
    }
    if passes {
      handler(record)
    }
  }
}

extension ValueRecord {
  init(_ change: DictionaryChange) {
    self.init(
      event: change.event, key: change.key, namespace: change.namespace, value: change.value,
      commitNumber: change.commitNumber)
  }
}
