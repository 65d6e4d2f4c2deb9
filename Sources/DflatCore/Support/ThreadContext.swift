#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the current thread is doing for a workspace: running a transaction's closure, reading in a snapshot, or running
/// callbacks. Contexts nest, and each belongs to one workspace.
package final class ThreadContext {
  package enum Role {
    case transaction(TransactionContext)
    case snapshot(Snapshot)
    /// Observers and completion handlers.
    case callback
    /// One of the workspace's own threads, between the closures that it runs.
    case worker
    /// With the baton in hand, outside a closure: plain writes are encoded, or a closure that has run is destroyed. The
    /// user's code reads and writes as plain code does, even where that is inside a transaction, and may not wait.
    case encoding
  }

  package let core: WorkspaceCore
  package let role: Role
  private let outer: ThreadContext?

  private init(core: WorkspaceCore, role: Role, outer: ThreadContext?) {
    self.core = core
    self.role = role
    self.outer = outer
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Tells threads apart.
  static var threadNumber: UInt {
    #if canImport(Darwin) || canImport(Musl)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Does this thread have any context at all? What every read asks first.
  @inline(__always)
  package static var isNone: Bool { pthread_getspecific(key) == nil }

  private static var innermost: ThreadContext? {
    pthread_getspecific(key).map { Unmanaged<ThreadContext>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body` with a context on this thread.
  package static func with<T>(_ core: WorkspaceCore, _ role: Role, _ body: () throws -> T) rethrows -> T {
    let outer = innermost
    let context = ThreadContext(core: core, role: role, outer: outer)
    pthread_setspecific(key, Unmanaged.passUnretained(context).toOpaque())
    defer { pthread_setspecific(key, outer.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }) }
    return try withExtendedLifetime(context) { try body() }
  }

  /// The innermost role that answers reads and takes writes for `core`.
  package static func reading(_ core: WorkspaceCore) -> Role? {
    var context = innermost
    while let found = context {
      if found.core === core {
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

  /// The transaction whose closure this thread runs, if any.
  package static func transaction(of core: WorkspaceCore) -> TransactionContext? {
    var context = innermost
    while let found = context {
      if found.core === core {
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

  /// The transaction whose closure this thread runs, of whatever workspace: the innermost.
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

  /// True where waiting for the baton would be waiting for oneself: this thread holds it, or is about to need it.
  package static func mustNotWait(for core: WorkspaceCore) -> Bool {
    var context = innermost
    while let found = context {
      if found.core === core {
        switch found.role {
        case .transaction, .encoding: return true
        case .snapshot, .callback, .worker: break
        }
      }
      context = found.outer
    }
    return false
  }

  /// True where waiting for the workspace's other work could be waiting for oneself.
  package static func isInside(_ core: WorkspaceCore) -> Bool {
    var context = innermost
    while let found = context {
      if found.core === core { return true }
      context = found.outer
    }
    return false
  }

  /// True where others wait for this thread: in an observer, a completion handler or a transaction's closure, of whatever
  /// workspace. Waiting for another workspace's observers there could close a circle.
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
