import DflatSupport

/// The current thread's activity for a workspace: running a transaction's closure, reading in a snapshot, or running
/// callbacks. Contexts nest, and each belongs to one workspace.
package final class ThreadContext {
  package enum Role {
    case transaction(TransactionContext)
    case snapshot(Snapshot)
    /// Running observers or completion handlers.
    case callback
    /// A thread of the workspace's own, between the closures that it runs.
    case worker
    /// Holding the write token outside of a closure, while plain writes are encoded, or while closures that have run
    /// and values that were replaced are destroyed. User code that runs here reads and writes like code outside of a
    /// transaction, even inside one, and must not wait.
    case encoding
  }

  package let workspace: WorkspaceIdentity
  package let role: Role
  private let outer: ThreadContext?
  /// Work for the end of this context, in order.
  private var leftWork: [Work] = []
  /// True if work may be left for the end of this context.
  private let takesWork: Bool

  package typealias Work = @Sendable () -> Void

  private init(workspace: WorkspaceIdentity, role: Role, outer: ThreadContext?, takesWork: Bool = false) {
    self.workspace = workspace
    self.role = role
    self.outer = outer
    self.takesWork = takesWork
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// True if this thread has no context. Every read checks this first.
  @inline(__always)
  package static var isNone: Bool { pthread_getspecific(key) == nil }

  private static var innermost: ThreadContext? {
    pthread_getspecific(key).map { Unmanaged<ThreadContext>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body` with a context on this thread.
  package static func with<T>(_ workspace: WorkspaceIdentity, _ role: Role, _ body: () throws -> T) rethrows -> T {
    try ThreadContext(workspace: workspace, role: role, outer: innermost).enter(body)
  }

  private func enter<T>(_ body: () throws -> T) rethrows -> T {
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    defer { pthread_setspecific(Self.key, outer.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }) }
    return try withExtendedLifetime(self) { try body() }
  }

  // MARK: Work for the end of a worker

  /// Runs `body` as a worker of the workspace, and then what was left for its end.
  static func asWorker(of workspace: WorkspaceIdentity, _ body: () -> Void) {
    let context = ThreadContext(workspace: workspace, role: .worker, outer: innermost, takesWork: true)
    context.enter(body)
    for work in context.leftWork { work() }
  }

  /// Leaves work for the end of this thread's worker, which saves waking another thread. Returns false if this thread is
  /// no worker of the workspace, or runs a transaction's closure.
  static func leave(_ work: @escaping Work, for workspace: WorkspaceIdentity) -> Bool {
    var context = innermost
    while let found = context, found.workspace === workspace, !found.takesWork {
      // While it holds the write token, the thread runs nothing long.
      guard case .encoding = found.role else { return false }
      context = found.outer
    }
    guard let context, context.workspace === workspace else { return false }
    context.leftWork.append(work)
    return true
  }

  /// True if work was left for the end of this thread's worker.
  static var hasLeftWork: Bool {
    var context = innermost
    while let found = context {
      if !found.leftWork.isEmpty { return true }
      context = found.outer
    }
    return false
  }

  /// Starts the work that was left for the end of this thread's worker on another thread, because this one goes on.
  static func startLeftWork() {
    var context = innermost
    while let found = context {
      let left = found.leftWork
      found.leftWork = []
      if !left.isEmpty { Threads.run { for work in left { work() } } }
      context = found.outer
    }
  }

  /// The roles on this thread for one workspace, or for all of them, from the innermost to the outermost.
  private struct Roles: Sequence, IteratorProtocol {
    private let workspace: WorkspaceIdentity?
    private var context = ThreadContext.innermost

    init(of workspace: WorkspaceIdentity? = nil) { self.workspace = workspace }

    mutating func next() -> Role? {
      while let found = context {
        context = found.outer
        if workspace == nil || found.workspace === workspace { return found.role }
      }
      return nil
    }
  }

  /// Returns the innermost role that answers reads and accepts writes for `workspace`.
  package static func reading(_ workspace: WorkspaceIdentity) -> Role? {
    for role in Roles(of: workspace) {
      switch role {
      case .transaction, .snapshot: return role
      case .encoding: return nil
      case .callback, .worker: continue
      }
    }
    return nil
  }

  /// Returns the snapshot of this thread's innermost context, if that is a snapshot of `workspace`.
  package static func innermostSnapshot(of workspace: WorkspaceIdentity) -> Snapshot? {
    guard let innermost, innermost.workspace === workspace, case .snapshot(let snapshot) = innermost.role else {
      return nil
    }
    return snapshot
  }

  /// Returns the transaction of this thread's innermost context, if that is a transaction of `workspace`.
  package static func innermostTransaction(of workspace: WorkspaceIdentity) -> TransactionContext? {
    guard let innermost, innermost.workspace === workspace, case .transaction(let transaction) = innermost.role else {
      return nil
    }
    return transaction
  }

  /// The recorder of the observed closure that this thread runs, of any workspace. Nil in a callback inside the
  /// closure.
  package static var recorder: ReadRecorder? {
    for role in Roles() {
      switch role {
      case .snapshot(let snapshot): if let recorder = snapshot.recorder { return recorder }
      case .transaction, .callback, .worker, .encoding: return nil
      }
    }
    return nil
  }

  /// Returns the recorder of the reads of `workspace` on this thread, if an observed closure makes them.
  package static func recorder(of workspace: WorkspaceIdentity) -> ReadRecorder? {
    guard !isNone, case .snapshot(let snapshot)? = reading(workspace) else { return nil }
    return snapshot.recorder
  }

  /// Returns the transaction of `workspace` whose closure this thread runs, if any.
  package static func transaction(of workspace: WorkspaceIdentity) -> TransactionContext? {
    transaction(in: Roles(of: workspace))
  }

  /// The innermost transaction of any workspace whose closure this thread runs.
  package static var currentTransaction: TransactionContext? { transaction(in: Roles()) }

  private static func transaction(in roles: Roles) -> TransactionContext? {
    for role in roles {
      switch role {
      case .transaction(let transaction): return transaction
      case .encoding: return nil
      case .snapshot, .callback, .worker: continue
      }
    }
    return nil
  }

  /// Returns true if waiting for the write token would wait for this thread, because it holds the token or is about to
  /// need it.
  package static func mustNotWait(for workspace: WorkspaceIdentity) -> Bool {
    Roles(of: workspace).contains { role in
      switch role {
      case .transaction, .encoding: true
      case .snapshot, .callback, .worker: false
      }
    }
  }

  /// Returns true if waiting for the workspace's other work could be waiting for this thread.
  package static func isInside(_ workspace: WorkspaceIdentity) -> Bool { Roles(of: workspace).contains { _ in true } }

  /// The workspaces in whose snapshots this thread is. They don't close before these end.
  static var workspacesOfSnapshots: [ObjectIdentifier] {
    var found: [ObjectIdentifier] = []
    var context = innermost
    while let current = context {
      if case .snapshot = current.role { found.append(ObjectIdentifier(current.workspace)) }
      context = current.outer
    }
    return found
  }

  /// True if others wait for this thread: in an observer, a completion handler or a transaction's closure of any
  /// workspace. Waiting for another workspace's observers could deadlock then.
  package static var holdsUpOthers: Bool {
    Roles().contains { role in
      switch role {
      case .callback, .transaction, .encoding: true
      case .snapshot, .worker: false
      }
    }
  }
}
