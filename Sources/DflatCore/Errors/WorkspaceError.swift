@_exported public import struct DflatSQLite.SQLiteError

/// What a workspace reports: a stable code, one sentence that says what, where and what to do, and the cause.
///
///     do {
///       let workspace = try SQLiteWorkspace.open(filePath: path)
///     } catch let error as WorkspaceError where error.code == .newerFormat {
///       // ask the user to update the program
///     }
public struct WorkspaceError: Error, Sendable, CustomStringConvertible {
  /// What kind of error it is. Codes keep their meaning; new ones may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, for logs and tools.
    public let description: String

    init(_ name: String) { description = name }
  }

  /// What kind of error it is.
  public let code: Code
  /// One sentence: what happened, where, and what to do.
  public let message: String
  /// The database file.
  public let path: String?
  /// The key that a dictionary operation was about.
  public let key: String?
  /// The field of an entity, as queries spell it, or several with commas between them.
  public let field: String?
  /// What SQLite said.
  public let sqlite: SQLiteError?
  /// The error of a callee, for example of an encoder.
  public let underlying: (any Error)?

  package init(
    _ code: Code, _ message: String, path: String? = nil, key: String? = nil, field: String? = nil,
    sqlite: SQLiteError? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.key = key
    self.field = field
    self.sqlite = sqlite
    self.underlying = underlying
  }

  /// Code, message and cause, for logs.
  public var description: String {
    let cause = sqlite.map { " (\($0))" } ?? underlying.map { " (\($0))" } ?? ""
    return "\(code): \(message)\(cause)"
  }
}

extension WorkspaceError.Code {
  /// The path names a folder.
  public static let isDirectory = Self("isDirectory")
  /// There is no file, and none was to be made.
  public static let noSuchFile = Self("noSuchFile")
  /// The file can't be opened or made: permissions, a missing folder.
  public static let cannotOpen = Self("cannotOpen")
  /// The file or the workspace is read-only.
  public static let readOnly = Self("readOnly")
  /// The file is not an SQLite database.
  public static let notADatabase = Self("notADatabase")
  /// The file is damaged.
  public static let corrupt = Self("corrupt")
  /// A newer version of this library wrote the file.
  public static let newerFormat = Self("newerFormat")
  /// The file is an SQLite database of another program.
  public static let foreignDatabase = Self("foreignDatabase")
  /// Another process held a lock past the busy timeout.
  public static let busy = Self("busy")
  /// The disk, or a quota, is full.
  public static let diskFull = Self("diskFull")
  /// The operating system failed to read or write.
  public static let inputOutput = Self("inputOutput")
  /// SQLite got no memory.
  public static let outOfMemory = Self("outOfMemory")
  /// Another process changed what the transaction had read.
  public static let conflict = Self("conflict")
  /// The transaction called `abort()`.
  public static let aborted = Self("aborted")
  /// The workspace was shut down.
  public static let shutdown = Self("shutdown")
  /// The call could only have waited for itself.
  public static let wouldDeadlock = Self("wouldDeadlock")
  /// This process is a child that a process forked which used this library: no workspace may be used here.
  public static let forked = Self("forked")
  /// A commit failed in a way that leaves open whether it is in the file.
  public static let outcomeUnknown = Self("outcomeUnknown")
  /// An object with the same primary key, or the same value of a unique field, is there already.
  public static let objectAlreadyExists = Self("objectAlreadyExists")
  /// The object that a request or a subscription is about is not there, or not any more.
  public static let objectNotFound = Self("objectNotFound")
  /// The transaction did not declare the type that it reads or changes.
  public static let undeclaredType = Self("undeclaredType")
  /// A request was made outside a transaction, belongs to another one, or was submitted before.
  public static let invalidRequest = Self("invalidRequest")
  /// The object was changed after the request was made, in the same transaction.
  public static let outdatedRequest = Self("outdatedRequest")
  /// The stored value is of another type than the one asked for.
  public static let typeMismatch = Self("typeMismatch")
  /// The stored FlatBuffers value was written with another version of its schema.
  public static let schemaVersionMismatch = Self("schemaVersionMismatch")
  /// The stored bytes can't be decoded.
  public static let undecodable = Self("undecodable")
  /// The value can't be encoded.
  public static let unencodable = Self("unencodable")
  /// The value is larger than SQLite stores.
  public static let tooLarge = Self("tooLarge")
  /// Any other error of SQLite's.
  public static let sqlite = Self("sqlite")
}

extension WorkspaceError {
  /// For parts that know no path.
  static let isShutdown = WorkspaceError(.shutdown, "The workspace was shut down; open another one.")

  static func forked(_ path: String) -> WorkspaceError {
    WorkspaceError(
      .forked,
      "'\(path)' can't be used by a forked child of a process that has used this library; use it from a program that is "
        + "started anew (exec).", path: path)
  }
}
