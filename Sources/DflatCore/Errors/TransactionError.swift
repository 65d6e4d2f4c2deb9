/// The error that transactions throw.
///
///     do {
///       try txn.submit(request)
///     } catch TransactionError.objectAlreadyExists {
///       // change another field
///     } catch TransactionError.others {
///       // see the error's code
///     }
///
/// To handle an error by its code: `switch error.code { case .diskFull: … }`.
public typealias TransactionError = WorkspaceError

extension WorkspaceError {
  /// For patterns: the transaction called `abort()`.
  public static var aborted: Code { .aborted }
  /// For patterns: an object with the same primary key, or the same value of a unique field, already exists.
  public static var objectAlreadyExists: Code { .objectAlreadyExists }
  /// For patterns: the disk is full, or a quota is used up.
  public static var diskFull: Code { .diskFull }
  /// For patterns: every other error of a workspace.
  public static var others: Code { .others }
}

extension WorkspaceError.Code {
  /// For patterns only: every code except `aborted`, `objectAlreadyExists` and `diskFull`. No error has this code.
  public static let others = Self("others")

  /// Returns true if the error is a ``WorkspaceError`` that the pattern matches.
  public static func ~= (pattern: WorkspaceError.Code, error: any Error) -> Bool {
    guard let error = error as? WorkspaceError else { return false }
    if pattern == .others { return ![.aborted, .objectAlreadyExists, .diskFull].contains(error.code) }
    return error.code == pattern
  }
}
