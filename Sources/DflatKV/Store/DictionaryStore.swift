import DflatCore
import DflatSQLite
import Dispatch
import Synchronization

/// Owns the dictionaries of one workspace, in all namespaces: cache, overlay of plain writes, observers.
///
/// See `Lock` for the lock order; namespaces, lists of observers and unreadable keys come after the shards. No user
/// code runs under a shard's lock (A11): values taken out of a shard are released after it.
final class DictionaryStore: Sendable {
  /// Unowned, to avoid reference counting in most accesses: the core owns the store, and each caller of the store holds
  /// the core.
  unowned(unsafe) let core: WorkspaceCore
  private let uncountedCore: Unmanaged<WorkspaceCore>
  let shards: ShardTable
  let namespaces = NamespaceTable()
  let prefixObservers = PrefixObservers()
  let unreadable = UnreadableKeys()
  /// The reads of observed closures.
  let trackedReads = TrackedReads()
  /// True if a key may be observed whose value could not be read for a reason that may pass.
  let hasUnread = Atomic(false)
  let expiry = ExpirySchedule()
  /// True once `findExpiring(on:)` has looked into the file, or tried to.
  let hasFoundExpiring = Atomic(false)
  /// True if this process has written a value that expires.
  let writesExpiring = Atomic(false)
  let limit: SQLiteWorkspace.CacheLimit
  private let schemas = ValueSchemas()
  /// The context of this thread's reads.
  var decodingContext: DecodingContext { DecodingContext(core, schemas, isDelivered: false) }
  /// The context of the values that observers get.
  var deliveryContext: DecodingContext { DecodingContext(core, schemas, isDelivered: true) }
  /// The maximum number of absences that a shard keeps.
  static let absenceLimit = 1_024

  let uncommitted = UncommittedWrites()
  /// True if a plain write came since the scheduled flush last checked.
  let hasNewWrites = Atomic(false)
  /// True while a flush is scheduled.
  let isFlushScheduled = Atomic(false)
  private let failures = Lock(Failures())

  struct Failures {
    var first: WorkspaceError?
    var count = 0
  }

  private init(core: WorkspaceCore) {
    self.core = core
    uncountedCore = .passUnretained(core)
    self.limit = core.options.cacheLimit
    self.shards = ShardTable(marksReads: limit != .unlimited)
  }

  deinit { shards.deallocate() }

  /// Returns the store of a workspace, and creates it at the first call.
  @inline(__always)
  static func of(_ core: WorkspaceCore) -> DictionaryStore { core.participant(DictionaryStore.init) }

  /// Runs `body` with the core, without counting a reference to it: threads that load keys side by side would wait for
  /// each other's counting.
  @inline(__always)
  func withUncountedCore<T>(_ body: (WorkspaceCore) throws -> T) rethrows -> T {
    try uncountedCore._withUnsafeGuaranteedRef(body)
  }

  func name(of key: HashedKey) -> String { namespaces.name(key.namespace) }

  // MARK: Errors

  /// Records the failure of a plain write (A7): `synchronize()` throws it; the log and the error handler receive it.
  func recordFailure(_ error: WorkspaceError) {
    if core.isForked { return core.report(error) }
    failures.withLock { failures in
      failures.first = failures.first ?? error
      failures.count += 1
    }
    core.report(error)
  }

  /// Returns the recorded failure, if any, and clears it. Several failures are reported as one, with the first as the
  /// cause.
  func takeFailure() -> WorkspaceError? {
    failures.withLock { failures in
      defer { failures = Failures() }
      guard let first = failures.first, failures.count > 1 else { return failures.first }
      return WorkspaceError(
        first.code, "\(failures.count) plain writes failed; the first: \(first.message)", path: first.path,
        key: first.key, sqlite: first.sqlite, underlying: first.underlying)
    }
  }

  /// Reports an error that a subscript can't throw to the log and the error handler. After shutdown or abort, keys read
  /// as absent without a report.
  func reportRead(_ error: any Error, _ key: HashedKey) {
    let wrapped = WorkspaceError.wrapping(error, path: core.path, doing: "Reading")
    if wrapped.code == .shutdown || wrapped.code == .aborted { return }
    noteUnreadable(wrapped, key)
    core.report(wrapped.about(key: key.string, namespace: name(of: key), path: core.path))
  }
}
