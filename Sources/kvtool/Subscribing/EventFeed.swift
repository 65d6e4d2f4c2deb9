import DflatKV
import DflatSupport
import Dispatch
import Synchronization

/// Delivers initial values and changes as one stream of events, in commit order.
///
///     subscribe ──► changes collect in `early` ─┐
///     snapshot ──► initial values, sorted ──────┴─► changes newer than the snapshot ──► handler ──► later changes
///
/// The initial values of all named keys come from one snapshot. Subscriptions with an initial value of their own could
/// start at different commits, and the commit numbers in the stream would not increase. Numbers are compared only until
/// the changes up to the snapshot have been delivered: if an older file replaces the open one, they begin again.
final class EventFeed: Sendable {
  private struct State {
    /// Changes that arrived before the initial values were delivered; nil afterwards.
    var early: [ValueRecord]? = []
    /// The first of them that may be of commits up to the snapshot, which the initial values include.
    var includedCount = 0
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
    if withInitial {
      let (values, commit) = try firstValues(of: selection.keys, in: database)
      try feed.handOut(values, of: commit, in: database)
    } else {
      try feed.handOut([], of: 0, in: database)
    }
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

  /// Returns the values, in the order of their commits, and the commit that all are of.
  private static func firstValues(
    of keys: [String], in database: OpenDatabase
  ) throws -> (values: [ValueRecord], commit: UInt64) {
    let dictionary = database.dictionary
    return try database.workspace.fetchWithinASnapshot {
      let records = try keys.map { key in
        ValueRecord(
          event: .initial, key: key, namespace: database.namespace, value: try dictionary.storedValue(forKey: key),
          commitNumber: try dictionary.commitNumber(forKey: key) ?? 0,
          expirationDate: try dictionary.expirationDate(forKey: key))
      }
      return (records.sorted { $0.commitNumber < $1.commitNumber }, database.workspace.commitNumber)
    }
  }

  private func handOut(_ initial: [ValueRecord], of commit: UInt64, in database: OpenDatabase) throws {
    initial.forEach(handler)
    // Wait for the changes that the snapshot includes.
    let delivered = DispatchSemaphore(value: 0)
    try database.workspace.deliver { [weak self] in
      self?.state.withLock { $0.includedCount = $0.early?.count ?? 0 }
      delivered.signal()
    }
    delivered.wait()
    while let early = takeEarly(after: commit) {
      early.forEach(handler)
    }
  }

  /// Returns the changes that arrived in the meantime and aren't in the snapshot of a commit. Returns nil if none arrived;
  /// from then on, changes go straight to the handler.
  private func takeEarly(after commit: UInt64) -> [ValueRecord]? {
    state.withLock { state in
      guard let early = state.early, !early.isEmpty else {
        state.early = nil
        return nil
      }
      let included = early.prefix(state.includedCount).filter { $0.commitNumber > commit }
      let later = early.dropFirst(state.includedCount)
      (state.early, state.includedCount) = ([], 0)
      return included + later
    }
  }

  private func receive(_ change: DictionaryChange) {
    let record = ValueRecord(change)
    let passes = state.withLock { state in
      state.early?.append(record)
      return state.early == nil
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
