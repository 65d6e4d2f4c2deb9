import CFaultVFS

/// File operations that a plan makes fail or wait: see `CFaultVFS.h`.
package struct FaultOperations: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  private init(_ value: Int) { rawValue = UInt32(value) }

  package static let read = Self(FAULTVFS_READ)
  package static let write = Self(FAULTVFS_WRITE)
  package static let sync = Self(FAULTVFS_SYNC)
  package static let truncate = Self(FAULTVFS_TRUNCATE)
  package static let open = Self(FAULTVFS_OPEN)
  package static let delete = Self(FAULTVFS_DELETE)
  package static let lock = Self(FAULTVFS_LOCK)
  package static let sharedMemoryLock = Self(FAULTVFS_SHM_LOCK)
  package static let sharedMemoryMap = Self(FAULTVFS_SHM_MAP)
  package static let fileSize = Self(FAULTVFS_FILE_SIZE)
  /// Cannot fail, but a hook can wait in it.
  package static let unlock = Self(FAULTVFS_UNLOCK)
  /// Cannot fail, but a hook can wait in it.
  package static let sharedMemoryUnlock = Self(FAULTVFS_SHM_UNLOCK)
  /// Cannot fail, but a hook can wait in it.
  package static let unfetch = Self(FAULTVFS_UNFETCH)
  /// The end of a commit that is already visible: if this fails, COMMIT fails although it took effect.
  package static let commitEnd = Self(FAULTVFS_COMMIT_END)
  package static let any = Self(FAULTVFS_ANY_OPERATION)
}

/// Kinds of files; shared memory counts as the main database.
package struct FaultFiles: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  private init(_ value: Int) { rawValue = UInt32(value) }

  package static let main = Self(FAULTVFS_MAIN)
  package static let wal = Self(FAULTVFS_WAL)
  package static let journal = Self(FAULTVFS_JOURNAL)
  package static let any = Self(FAULTVFS_ANY_FILE)
}

/// The effect of a plan on an operation: the SQLite code that the operation returns, or a special effect.
package enum FaultCode: Int32, Sendable, CaseIterable {
  case busy = 5
  /// An open succeeds for reading only; any other operation fails.
  case readOnly = 8
  case ioError = 10
  case corrupt = 11
  case full = 13
  case cannotOpen = 14
  case ioErrorRead = 266
  case ioErrorShortRead = 522
  case ioErrorWrite = 778
  case ioErrorSync = 1034
  case ioErrorTruncate = 1546
  case ioErrorDelete = 2570
  case ioErrorLock = 3850
  case ioErrorSharedMemoryLock = 5130
  case ioErrorSharedMemoryMap = 5386
  /// A read succeeds with wrong bytes.
  case badData = -1
  /// A write writes half and fails as `full`.
  case tornFull = -2
  /// The operation is carried out and reported as failed (`ioError`).
  case doneButFailed = -3
}

/// The matching operations that fail.
package enum FaultTimes: Sendable {
  /// None: the plan only counts.
  case never
  /// The operation of that number, counted from 1.
  case once(Int)
  /// `count` operations, from that number on.
  case some(from: Int, count: Int)
  /// The operation of that number and all later ones.
  case from(Int)
}

/// A rule of the fault-injecting VFS, in force until the object is cancelled or destroyed.
///
///     let plan = try FaultPlan(.sync, on: .wal, in: directory.path, fail: .once(3), with: .ioErrorSync)
///
/// Databases have to be opened with the VFS `FaultPlan.vfsName`. Plans are confined to the paths that contain
/// `pathPart`, so tests on different folders can run at the same time.
package final class FaultPlan: Sendable {
  /// The name of the VFS; registers it on first use.
  package static let vfsName: String = {
    precondition(faultvfs_register(0) == 0, "SQLite refuses the VFS")
    return String(cString: faultvfs_name)
  }()

  /// Thrown if the VFS has no room for another plan.
  package struct TooManyPlans: Error {}

  private let id: UInt64
  // Keeps the hook alive; the VFS holds its address.
  private let hook: Hook?

  private final class Hook: Sendable {
    let body: @Sendable () -> FaultCode?
    init(_ body: @escaping @Sendable () -> FaultCode?) { self.body = body }
  }

  /// Makes operations fail.
  package convenience init(
    _ operations: FaultOperations, on files: FaultFiles = .any, in pathPart: String, fail times: FaultTimes,
    with code: FaultCode = .ioError
  ) throws {
    try self.init(operations, files, pathPart, times, code, nil)
  }

  /// Calls a closure before operations, on the thread that makes them. The closure may block, and must not cancel its
  /// own plan. The operation fails with the code that the closure returns, or continues if that is nil.
  package convenience init(
    _ operations: FaultOperations, on files: FaultFiles = .any, in pathPart: String, at times: FaultTimes,
    hook: @escaping @Sendable () -> FaultCode?
  ) throws {
    try self.init(operations, files, pathPart, times, .ioError, Hook(hook))
  }

  private init(
    _ operations: FaultOperations, _ files: FaultFiles, _ pathPart: String, _ times: FaultTimes, _ code: FaultCode,
    _ hook: Hook?
  ) throws {
    _ = Self.vfsName
    self.hook = hook
    var plan = faultvfs_plan()
    plan.operations = operations.rawValue
    plan.files = files.rawValue
    plan.code = code.rawValue
    switch times {
    case .never: plan.firstMatch = 0
    case .once(let first): (plan.firstMatch, plan.matchCount) = (first, 1)
    case .some(let first, let count): (plan.firstMatch, plan.matchCount) = (first, count)
    case .from(let first): (plan.firstMatch, plan.matchCount) = (first, -1)
    }
    if let hook {
      plan.hookContext = Unmanaged.passUnretained(hook).toOpaque()
      plan.hook = { context, _, _, _ in
        guard let context else { return FAULTVFS_CODE_OK.code }
        let hook = Unmanaged<Hook>.fromOpaque(context).takeUnretainedValue()
        return hook.body()?.rawValue ?? FAULTVFS_CODE_OK.code
      }
    }
    id = pathPart.withCString {
      plan.pathPart = $0
      return faultvfs_add_plan(&plan)
    }
    guard id != 0 else { throw TooManyPlans() }
  }

  deinit { cancel() }

  /// Ends the plan, and with it the failures. Waits for a running hook. The counts are lost.
  package func cancel() { faultvfs_remove_plan(id) }

  /// The number of operations that matched so far.
  package var matchCount: Int { faultvfs_match_count(id) }

  /// The number of operations that failed, or reached the hook, so far.
  package var faultCount: Int { faultvfs_fault_count(id) }
}

extension Int {
  /// C's anonymous enumerators arrive as `Int`.
  fileprivate var code: Int32 { Int32(self) }
}
