import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

typealias Member = Club.Member
typealias MemberChangeRequest = Club.MemberChangeRequest

struct Refusal: Error, Equatable {}

/// A workspace on a file of its own, and others on the same file.
final class EntityBench: Sendable {
  let directory: TemporaryDirectory
  let workspace: SQLiteWorkspace
  /// The errors that reached the workspace's error handler.
  let reported = EventLog<WorkspaceError>()
  var path: String { directory.file() }

  init(_ change: (inout SQLiteWorkspace.Options) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory("entities")
    workspace = try EntityBench.open(directory.file()) { [reported] options in
      options.errorHandler = { reported.append($0) }
      change(&options)
    }
  }

  deinit { workspace.shutdown() }

  static func open(
    _ path: String, _ change: (inout SQLiteWorkspace.Options) -> Void = { _ in }
  ) throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    options.busyTimeout = .seconds(30)
    change(&options)
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }

  /// Returns when a transaction waits for the write token.
  func waitForWriteTokenWaiter() { while !workspace.core.pipeline.hasWriteTokenWaiters { sched_yield() } }

  /// Opens another workspace on the same file. It acts as another process.
  func other() throws -> SQLiteWorkspace { try EntityBench.open(path) }

  /// Returns the objects in the file, in the order of their rows, and checks their keys and indexes.
  func stored<Element: Atom>(
    _ type: Element.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Element] {
    try EntityFileCheck(type, in: path).objects(sourceLocation: sourceLocation)
  }
}

extension SQLiteWorkspace {
  /// Inserts objects in one transaction.
  @discardableResult
  func insert<Element: Atom>(_ objects: Element...) throws -> [Element] {
    try transactAndWait([Element.self]) { txn in try objects.map { try txn.insert($0) } }
  }

  /// The commit number that this workspace has published.
  var published: UInt64 { core.publication.published }
}

/// The code of the error that `body` throws.
func errorCode(
  _ sourceLocation: SourceLocation = #_sourceLocation, of body: () throws -> Void
) throws -> WorkspaceError.Code {
  try #require(throws: WorkspaceError.self, sourceLocation: sourceLocation, performing: body).code
}
