import DflatKV
import Synchronization

/// The keys that a subscription is about.
struct KeySelection: Sendable {
  /// Named keys, whose first values are told.
  let keys: [String]
  /// What other keys begin with; nil for no others.
  let prefix: String?

  init(keys: [String], prefix: String?) {
    var seen: Set<ByteText> = []
    self.keys = keys.filter { seen.insert(ByteText($0)).inserted }
    self.prefix = prefix
  }
}

/// First values and changes as one stream of events, in commit order.
///
///     subscribe ──► changes wait in `early` ─┐
///     snapshot ──► first values, sorted ─────┴─► without those that the snapshot has ──► handler ──► changes as they come
///
/// The first values of all named keys come from one snapshot: of several, each with a first value of its own, one could be
/// ahead of the others' changes when it starts, and commit numbers would not rise.
final class EventFeed: Sendable {
  private struct State {
    /// Changes that came before the first values were handed out; nil from then on.
    var early: [ValueRecord]? = []
    /// The newest commit among the first values; what is not newer is in them.
    var initialCommit: UInt64 = 0
    var subscriptions: [WorkspaceSubscription] = []
  }

  private let handler: @Sendable (ValueRecord) -> Void
  private let state = Mutex(State())

  /// Starts the stream. The handler is called for one event at a time.
  static func start(
    _ database: OpenDatabase, _ selection: KeySelection, withInitial: Bool,
    handler: @escaping @Sendable (ValueRecord) -> Void
  ) throws -> EventFeed {
    let feed = EventFeed(handler: handler)
    let subscriptions = feed.subscribe(to: selection, in: database.dictionary)
    feed.state.withLock { $0.subscriptions = subscriptions }
    feed.handOut(withInitial ? try firstValues(of: selection.keys, in: database) : [])
    return feed
  }

  private init(handler: @escaping @Sendable (ValueRecord) -> Void) {
    self.handler = handler
  }

  func cancel() {
    let subscriptions = state.withLock { $0.subscriptions }
    subscriptions.forEach { $0.cancel() }
  }

  /// A named key is watched as a prefix that only it may have: that way there is no first value that would be a second one.
  private func subscribe(to selection: KeySelection, in dictionary: WorkspaceDictionary) -> [WorkspaceSubscription] {
    var subscriptions: [WorkspaceSubscription] = []
    if let prefix = selection.prefix {
      subscriptions.append(dictionary.subscribe(withPrefix: prefix) { [weak self] in self?.receive($0) })
    }
    for key in selection.keys where selection.prefix.map({ !key.hasBytePrefix($0) }) ?? true {
      let subscription = dictionary.subscribe(withPrefix: key) { [weak self] change in
        if change.key.hasSameBytes(as: key) {
          self?.receive(change)
        }
      }
      subscriptions.append(subscription)
    }
    return subscriptions
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
