@testable import DflatCore
@testable import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Reads that fail in a closure. A call that can't throw returns nothing then, and a transaction that goes on with such
/// a result is not committed.
@Suite struct FailedReadTests {
  private let directory: TemporaryDirectory
  private let workspace: SQLiteWorkspace
  /// A text that fills pages of its own.
  private static let text = String(repeating: "x", count: 100_000)

  /// Stores values on pages that the workspace's connections have not read yet.
  init() throws {
    directory = try TemporaryDirectory("failed-read")
    let writer = try Self.open(directory.file())
    try writer.transactAndWait([Post.self]) { txn in
      txn.dictionary["text"] = Self.text
      try txn.insert(Post(title: "a", tag: Self.text))
    }
    writer.shutdown()
    workspace = try Self.open(directory.file())
  }

  private static func open(_ path: String, follows: Bool = true) throws -> SQLiteWorkspace {
    try TestWorkspace.open(path) { options in
      options.vfs = FaultPlan.vfsName
      options.followsOtherProcesses = follows
    }
  }

  private func failingReads<T>(_ body: () throws -> T) throws -> T {
    let plan = try FaultPlan(.read, in: directory.path, fail: .from(1))
    defer { plan.cancel() }
    let result = try body()
    #expect(plan.faultCount > 0)
    return result
  }

  private func expectFailure(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (TransactionContext) throws -> Bool
  ) throws {
    let code = try errorCode(sourceLocation) {
      try workspace.transactAndWait([Post.self, Member.self]) { txn in
        let isThere = try body(txn)
        if !isThere { txn.dictionary["missing"] = true }
      }
    }
    #expect(code == .inputOutput, sourceLocation: sourceLocation)
    #expect(workspace.dictionary["missing", Bool.self] == nil, sourceLocation: sourceLocation)
    #expect(workspace.dictionary["text", String.self] == Self.text, sourceLocation: sourceLocation)
    #expect(workspace.fetch(for: Post.self).all().count == 1, sourceLocation: sourceLocation)
    workspace.shutdown()
  }

  @Test("A transaction whose read of a key failed isn't committed")
  func aKey() throws {
    try expectFailure { txn throws in
      txn.dictionary["first"] = 1
      return try failingReads { txn.dictionary["text", String.self] != nil }
    }
  }

  @Test("A transaction whose query failed before it had the write token isn't committed")
  func anObjectBeforeTheWriteToken() throws {
    try expectFailure { _ throws in try failingReads { !workspace.fetch(for: Post.self).all().isEmpty } }
  }

  @Test("A1: A transaction fails if its query returned nothing because its view couldn't be opened")
  func aViewThatCannotBeOpened() throws {
    workspace.core.readers.dropIdle()
    let code = try errorCode {
      try workspace.transactAndWait([Post.self]) { txn in
        let plan = try FaultPlan(.open, on: .main, in: directory.path, fail: .from(1))
        let isThere = !workspace.fetch(for: Post.self).all().isEmpty
        #expect(plan.faultCount > 0)
        plan.cancel()
        if !isThere { txn.dictionary["missing"] = true }
      }
    }
    #expect(code == .inputOutput)
    #expect(workspace.dictionary["missing", Bool.self] == nil)
  }

  /// Expects that a connection isn't used again after a read on it fails, even if the error is handled.
  private func expectNewConnection(after read: (SQLiteWorkspace) -> Void) throws {
    workspace.shutdown()
    let alone = try Self.open(directory.file(), follows: false)
    defer { alone.shutdown() }
    // Opens this thread's connection.
    #expect(alone.fetch(for: Member.self).count() == 0)
    try failingReads { read(alone) }
    let opened = try FaultPlan(.open, on: .main, in: directory.path, fail: .never)
    defer { opened.cancel() }
    #expect(alone.fetch(for: Post.self).all().count == 1)
    #expect(opened.matchCount == 1)
  }

  @Test("A connection isn't used again after a failed query of committed objects")
  func failedCommittedQuery() throws {
    try expectNewConnection { workspace in #expect(workspace.query(for: Post.self).fetchCommitted().isEmpty) }
  }

  @Test("A connection isn't used again after a failed query whose error was handled")
  func failedQuery() throws {
    try expectNewConnection { workspace in
      _ = #expect(throws: WorkspaceError.self) { try workspace.query(for: Post.self).fetch() }
    }
  }

  @Test("A connection isn't used again after a failed query in a snapshot")
  func failedQueryInASnapshot() throws {
    try expectNewConnection { workspace in
      workspace.fetchWithinASnapshot { #expect(workspace.fetch(for: Post.self).all().isEmpty) }
    }
  }

  @Test("A connection isn't used again after a failed read of a key in a snapshot")
  func failedKeyInASnapshot() throws {
    try expectNewConnection { workspace in
      workspace.fetchWithinASnapshot { #expect(workspace.dictionary["text", String.self] == nil) }
    }
  }

  @Test("A query that finds damage and returns nothing fails its transaction", arguments: [true, false])
  func damage(holdsToken: Bool) throws {
    workspace.shutdown()
    try RawDatabase.execute(
      "CREATE TRIGGER intruder AFTER INSERT ON post BEGIN SELECT 1; END", on: directory.file())
    let damaged = try Self.open(directory.file())
    defer { damaged.shutdown() }
    let code = try errorCode {
      try damaged.transactAndWait([Post.self]) { txn in
        if holdsToken { txn.dictionary["first"] = 1 }
        if txn.fetch(for: Post.self).all().isEmpty { txn.dictionary["missing"] = true }
      }
    }
    #expect(code == .corrupt)
    #expect(damaged.dictionary["missing", Bool.self] == nil)
  }

  @Test("A transaction whose query failed while it had the write token isn't committed")
  func anObjectWithTheWriteToken() throws {
    try expectFailure { txn throws in
      try txn.insert(Member(number: 1))
      return try failingReads { !workspace.fetch(for: Post.self).all().isEmpty }
    }
  }
}
