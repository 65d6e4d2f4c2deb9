/// What transactions throw.
///
///     do {
///       try txn.submit(request)
///     } catch TransactionError.objectAlreadyExists {
///       // change another field
///     } catch TransactionError.others {
///       // see the error's code
///     }
///
/// Or by its code: `switch error.code { case .diskFull: … }`.
public typealias TransactionError = WorkspaceError

extension WorkspaceError {
  /// For patterns: the transaction called `abort()`.
  public static var aborted: Code { .aborted }
  /// For patterns: an object with the same primary key, or the same value of a unique field, is there already.
  public static var objectAlreadyExists: Code { .objectAlreadyExists }
  /// For patterns: the disk, or a quota, is full.
  public static var diskFull: Code { .diskFull }
  /// For patterns: every other error of a workspace's.
  public static var others: Code { .others }
}

extension WorkspaceError.Code {
  /// For patterns alone: every code but `aborted`, `objectAlreadyExists` and `diskFull`. No error has it.
  public static let others = Self("others")

  /// True for a workspace's error with this code.
  public static func ~= (pattern: WorkspaceError.Code, error: any Error) -> Bool {
    guard let error = error as? WorkspaceError else { return false }
    if pattern == .others { return ![.aborted, .objectAlreadyExists, .diskFull].contains(error.code) }
    return error.code == pattern
  }
}
