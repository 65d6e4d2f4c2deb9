@_exported public import struct DflatSQLite.SQLiteError

/// An error of a workspace: a stable code, a message that says what happened and what to do, and the cause.
///
///     do {
///       let workspace = try SQLiteWorkspace.open(filePath: path)
///     } catch let error as WorkspaceError where error.code == .newerFormat {
///       // ask the user to update the program
///     }
public struct WorkspaceError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error. Codes keep their meaning; new versions may add codes.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, for logs and tools.
    public let description: String

    init(_ name: String) { description = name }
  }

  /// The kind of the error.
  public let code: Code
  /// One sentence that says what happened, where, and what to do.
  public let message: String
  /// The path of the database file.
  public let path: String?
  /// The key of the dictionary operation that failed.
  public let key: String?
  /// The field of an entity, as spelled in queries, or several fields separated by commas.
  public let field: String?
  /// The SQLite error that caused this one.
  public let sqlite: SQLiteError?
  /// The error that caused this one if it isn't SQLite's, for example an encoder's.
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

  /// The code, message and cause, for logs.
  public var description: String {
    let cause = causeDescription.map { " (\($0))" } ?? ""
    return "\(code): \(message)\(cause)"
  }

  /// The description of the cause, without what the message already says; nil if nothing is left.
  var causeDescription: String? {
    if let sqlite { return sqlite.description(besides: message) }
    guard let underlying else { return nil }
    var texts = ["\(underlying)"]
    if case .dataCorrupted(let context)? = underlying as? DecodingError, let reason = context.underlyingError {
      texts.append("\(reason)")
    }
    return texts.contains { message.contains($0) } ? nil : texts[0]
  }
}

extension WorkspaceError.Code {
  /// The path leads to a folder.
  public static let isDirectory = Self("isDirectory")
  /// The file doesn't exist, and the options don't allow creating it; or it was deleted, moved or emptied while
  /// the workspace had it open.
  public static let noSuchFile = Self("noSuchFile")
  /// The file can't be opened or created, for example because of permissions or a missing folder.
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
  /// The disk is full, or a quota is used up.
  public static let diskFull = Self("diskFull")
  /// The operating system failed to read or write.
  public static let inputOutput = Self("inputOutput")
  /// SQLite ran out of memory.
  public static let outOfMemory = Self("outOfMemory")
  /// Another process changed data that the transaction had read, or replaced the file; or it wrote to a file that was
  /// being read without a write-ahead log, as a read-only workspace may in a folder that it can't write.
  public static let conflict = Self("conflict")
  /// The transaction called `abort()`, or its context was used after its end.
  public static let aborted = Self("aborted")
  /// The workspace was shut down.
  public static let shutdown = Self("shutdown")
  /// The call would wait for itself.
  public static let wouldDeadlock = Self("wouldDeadlock")
  /// This process is a forked child of a process that used this library. No workspace can be used here.
  public static let forked = Self("forked")
  /// A commit failed, and it is unknown whether it is in the file.
  public static let outcomeUnknown = Self("outcomeUnknown")
  /// The cluster that orders a replicated workspace's commits can't be reached, or doesn't answer in time.
  public static let unavailable = Self("unavailable")
  /// The file belongs to another cluster than the one that the program names, or it belongs to a cluster, or to none,
  /// against the program's expectation. Nothing is changed.
  public static let clusterMismatch = Self("clusterMismatch")
  /// An object with the same primary key, or the same value of a unique field, already exists.
  public static let objectAlreadyExists = Self("objectAlreadyExists")
  /// The object of a request or a subscription doesn't exist, or no longer exists.
  public static let objectNotFound = Self("objectNotFound")
  /// The transaction didn't declare the type that it reads or changes.
  public static let undeclaredType = Self("undeclaredType")
  /// A request was created outside of a transaction, belongs to another one, or was already submitted; what is to be
  /// observed belongs to another workspace; an observed closure made a call that it must not make; or a query orders
  /// its objects by relevance without a search.
  public static let invalidRequest = Self("invalidRequest")
  /// The object was changed in the same transaction after the request was created.
  public static let outdatedRequest = Self("outdatedRequest")
  /// The stored value has another type than the requested one.
  public static let typeMismatch = Self("typeMismatch")
  /// The stored FlatBuffers value has another schema version, or this program's schema of a type contradicts the schema
  /// of its objects or its dictionary values in the file, as `dflatc check` explains. The message lists the edits that
  /// programs with the other schema can't follow. Undo them, or change `v` of the table, which starts over.
  public static let schemaVersionMismatch = Self("schemaVersionMismatch")
  /// The stored bytes can't be decoded.
  public static let undecodable = Self("undecodable")
  /// The stored value is sealed, and the dictionary has no key: values of sealed namespaces are read and replaced by
  /// dictionaries that have their key (product `DflatSealing`). Nothing is changed.
  public static let sealed = Self("sealed")
  /// The stored value isn't sealed, but the dictionary has a key. Seal the namespace's values first. Nothing is changed.
  public static let notSealed = Self("notSealed")
  /// The stored value is sealed with another key than the dictionary's. Nothing is changed.
  public static let wrongSealKey = Self("wrongSealKey")
  /// The sealed value is not as its key's owner wrote it: it is damaged, or was changed, or belongs to another key or
  /// namespace.
  public static let sealBroken = Self("sealBroken")
  /// The value can't be encoded.
  public static let unencodable = Self("unencodable")
  /// The value is larger than SQLite's limit; or a replaced value is larger than what the file keeps of such values.
  public static let tooLarge = Self("tooLarge")
  /// The process's SQLite library has no full-text search, which a query or the file needs.
  public static let searchUnavailable = Self("searchUnavailable")
  /// Another error of SQLite, or an error that has no code of its own.
  public static let sqlite = Self("sqlite")
}

extension WorkspaceError {
  /// The shutdown error of components that don't know the path.
  static let isShutdown = WorkspaceError(.shutdown, "The workspace was shut down; open another one.")

  static func forked(_ path: String) -> WorkspaceError {
    WorkspaceError(
      .forked,
      "'\(path)' can't be used in a forked child of a process that has used this library; use it in a newly started "
        + "program (exec).", path: path)
  }
}
