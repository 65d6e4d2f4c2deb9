import DflatKV
import DflatSupport
import Synchronization

/// Delivers initial values and changes as one stream of events, in commit order.
///
///     subscribe ──► changes collect in `early` ─┐
///     snapshot ──► initial values, sorted ──────┴─► changes newer than the snapshot ──► handler ──► later changes
///
/// The initial values of all named keys come from one snapshot. Subscriptions with an initial value of their own could
/// start at different commits, and the commit numbers in the stream would not increase.
final class EventFeed: Sendable {
  private struct State {
    /// Changes that arrived before the initial values were delivered; nil afterwards.
    var early: [ValueRecord]? = []
    /// The newest commit among the initial values, which already include every change up to it.
    var initialCommit: UInt64 = 0
    var subscriptions: [WorkspaceSubscription] = []
  }

  private let handler: @Sendable (ValueRecord) -> Void
  private let state = Mutex(State())

  /// Starts the stream, and calls the handler for one event at a time. Delivers the initial values on the calling
  /// thread before it returns.
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

  /// Subscribes to each named key by prefix and filters for that key: unlike a key subscription, a prefix subscription
  /// delivers no initial value, which would be a second one.
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
          commitNumber: try dictionary.commitNumber(forKey: key) ?? 0,
          expirationDate: try dictionary.expirationDate(forKey: key))
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

  /// Returns the changes that arrived in the meantime. Returns nil if there are none; from then on, changes go straight
  /// to the handler.
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
      commitNumber: change.commitNumber, expirationDate: change.expirationDate)
  }
}
