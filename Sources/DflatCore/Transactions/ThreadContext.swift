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
    /// Holding the write token outside of a closure, while plain writes are encoded, or while closures that have run and
    /// values that were replaced are destroyed. User code that runs here reads and writes like code outside of a
    /// transaction, even inside one, and must not wait.
    case encoding
  }

  package let workspace: WorkspaceIdentity
  package let role: Role
  private let outer: ThreadContext?

  private init(workspace: WorkspaceIdentity, role: Role, outer: ThreadContext?) {
    self.workspace = workspace
    self.role = role
    self.outer = outer
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
    let outer = innermost
    let context = ThreadContext(workspace: workspace, role: role, outer: outer)
    pthread_setspecific(key, Unmanaged.passUnretained(context).toOpaque())
    defer { pthread_setspecific(key, outer.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }) }
    return try withExtendedLifetime(context) { try body() }
  }

  /// Returns the innermost role that answers reads and accepts writes for `workspace`.
  package static func reading(_ workspace: WorkspaceIdentity) -> Role? {
    var context = innermost
    while let found = context {
      if found.workspace === workspace {
        switch found.role {
        case .transaction, .snapshot: return found.role
        case .encoding: return nil
        case .callback, .worker: break
        }
      }
      context = found.outer
    }
    return nil
  }

  /// Returns the transaction of `workspace` whose closure this thread runs, if any.
  package static func transaction(of workspace: WorkspaceIdentity) -> TransactionContext? {
    var context = innermost
    while let found = context {
      if found.workspace === workspace {
        switch found.role {
        case .transaction(let transaction): return transaction
        case .encoding: return nil
        case .snapshot, .callback, .worker: break
        }
      }
      context = found.outer
    }
    return nil
  }

  /// The innermost transaction of any workspace whose closure this thread runs.
  package static var currentTransaction: TransactionContext? {
    var context = innermost
    while let found = context {
      switch found.role {
      case .transaction(let transaction): return transaction
      case .encoding: return nil
      case .snapshot, .callback, .worker: context = found.outer
      }
    }
    return nil
  }

  /// Returns true if waiting for the write token would wait for this thread, because it holds the token or is about to
  /// need it.
  package static func mustNotWait(for workspace: WorkspaceIdentity) -> Bool {
    var context = innermost
    while let found = context {
      if found.workspace === workspace {
        switch found.role {
        case .transaction, .encoding: return true
        case .snapshot, .callback, .worker: break
        }
      }
      context = found.outer
    }
    return false
  }

  /// Returns true if waiting for the workspace's other work could be waiting for this thread.
  package static func isInside(_ workspace: WorkspaceIdentity) -> Bool {
    var context = innermost
    while let found = context {
      if found.workspace === workspace { return true }
      context = found.outer
    }
    return false
  }

  /// True if others wait for this thread: in an observer, a completion handler or a transaction's closure of any
  /// workspace. Waiting for another workspace's observers could deadlock then.
  package static var holdsUpOthers: Bool {
    var context = innermost
    while let found = context {
      switch found.role {
      case .callback, .transaction, .encoding: return true
      case .snapshot, .worker: context = found.outer
      }
    }
    return false
  }
}
