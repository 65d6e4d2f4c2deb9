import DflatKV
import DflatSQLite
import GoldenModels
import TestSupport
import Testing

/// Undone transactions of entities and dictionary keys leave nothing (A1, A2).
@Suite struct UndoneTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  private func write(_ txn: TransactionContext, _ name: String) throws {
    try txn.upsert(Post(title: name, priority: 5))
    txn.dictionary[name] = name
    try txn.insert(Member(number: UInt64(name.utf8.count), email: name))
  }

  private func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try test.stored(Post.self, sourceLocation: sourceLocation).isEmpty, sourceLocation: sourceLocation)
    #expect(try test.stored(Member.self, sourceLocation: sourceLocation).isEmpty, sourceLocation: sourceLocation)
    #expect(workspace.dictionary.keys.isEmpty, sourceLocation: sourceLocation)
    #expect(workspace.published == 0, sourceLocation: sourceLocation)
  }

  @Test("An abort undoes a transaction's objects and keys")
  func anAbort() throws {
    let code = try errorCode {
      try workspace.transactAndWait([Post.self, Member.self]) { txn in
        try write(txn, "a")
        txn.abort()
      }
    }
    #expect(code == .aborted)
    try expectNothing()
  }

  @Test("An error of the closure undoes its transaction's objects and keys")
  func aThrownError() throws {
    #expect(throws: Refusal.self) {
      try workspace.transactAndWait([Post.self, Member.self]) { txn in
        try write(txn, "a")
        throw Refusal()
      }
    }
    try expectNothing()
  }

  @Test("An uncaught error of a request undoes its transaction's objects and keys")
  func aSubmissionThatThrowsItsWayOut() throws {
    let code = try errorCode {
      try workspace.transactAndWait([Post.self, Member.self]) { txn in
        try write(txn, "a")
        try txn.insert(Post(title: "a"))
      }
    }
    #expect(code == .objectAlreadyExists)
    try expectNothing()
  }

  @Test("A commit after a caught error of a request has the transaction's objects and keys")
  func aCommitHasBoth() throws {
    try workspace.transactAndWait([Post.self, Member.self]) { txn in
      try write(txn, "a")
      #expect(throws: WorkspaceError.self) { try txn.insert(Post(title: "a")) }
    }
    #expect(try test.stored(Post.self) == [Post(title: "a", priority: 5)])
    #expect(try test.stored(Member.self).count == 1)
    #expect(workspace.dictionary["a", String.self] == "a")
    #expect(workspace.published == 1)
  }

  /// The second member of a group is undone. The tables, rows and keys of the others stay.
  ///
  ///     holder ── token ──┐
  ///     a, b (undone), c  └─ one group
  @Test("An abort of one group member keeps the objects and keys of the others")
  func oneMemberOfAGroup() throws {
    let late = try TestWorkspace { $0.commitLate() }
    let hold = Gate("the write token is held")
    let go = Gate("the others are queued")
    let ended = EventLog<Bool>()
    late.workspace.performChanges([]) { txn in
      txn.dictionary["holder"] = 1
      hold.open()
      try? go.wait()
    } completionHandler: {
      ended.append($0)
    }
    try hold.wait()
    for name in ["a", "bb", "ccc"] {
      late.workspace.performChanges([Post.self, Member.self]) { txn in
        #expect(throws: Never.self) { try write(txn, name) }
        if name == "bb" { txn.abort() }
        // The next member doesn't find the undone object.
        if name == "ccc" { #expect(PostChangeRequest.changeRequest(Post(title: "bb")) == nil) }
      } completionHandler: {
        ended.append($0)
      }
    }
    late.waitForWriteTokenWaiter()
    go.open()
    #expect(try ended.wait(forCount: 4).filter { $0 }.count == 3)
    #expect(late.workspace.published == 1)
    #expect(try late.stored(Post.self).map(\.title) == ["a", "ccc"])
    #expect(try late.stored(Member.self).map(\.email) == ["a", "ccc"])
    #expect(late.workspace.dictionary["bb", String.self] == nil)
  }

  @Test("A group member creates the tables again that an undone member had created")
  func theMemberThatMadeTheTables() throws {
    let late = try TestWorkspace { $0.commitLate() }
    let hold = Gate("the write token is held")
    let go = Gate("the others are queued")
    let ended = EventLog<Bool>()
    late.workspace.performChanges([]) { txn in
      txn.dictionary["holder"] = 1
      hold.open()
      try? go.wait()
    }
    try hold.wait()
    for name in ["a", "b"] {
      late.workspace.performChanges([Post.self]) { txn in
        #expect(throws: Never.self) { try txn.insert(Post(title: name)) }
        if name == "a" { txn.abort() }
      } completionHandler: {
        ended.append($0)
      }
    }
    late.waitForWriteTokenWaiter()
    go.open()
    #expect(try ended.wait(forCount: 2) == [false, true])
    #expect(late.workspace.published == 1)
    #expect(try late.stored(Post.self).map(\.title) == ["b"])
  }

  // MARK: Partly applied requests

  /// The row can be written, but not its index.
  @Test("A failure to write an index fails the transaction even if its closure catches the error")
  func anIndexThatCannotBeWritten() throws {
    let post = try #require(try workspace.insert(Post(title: "a")).first)
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("ALTER TABLE post__f10 RENAME TO hidden")
    for body: (TransactionContext) throws -> Void in [
      { try $0.insert(Post(title: "b")) }, { _ = try $0.update(post) { $0.priority = 5 } }, { try $0.delete(post) },
    ] {
      let code = try errorCode {
        try workspace.transactAndWait([Post.self]) { txn throws in
          txn.dictionary["key"] = 1
          #expect(try errorCode { try body(txn) } == .corrupt)
          #expect(try errorCode { try txn.insert(Post(title: "c")) } == .corrupt)
        }
      }
      #expect(code == .corrupt)
    }
    try connection.execute("ALTER TABLE hidden RENAME TO post__f10")
    #expect(try test.stored(Post.self) == [post])
    #expect(workspace.dictionary["key", Int.self] == nil)
    try workspace.transactAndWait([Post.self]) { _ = try $0.update(post) { $0.priority = 5 } }
    #expect(try test.stored(Post.self).map(\.priority) == [5])
  }

  // MARK: Change log

  private func lastRecord(_ path: String) throws -> [UInt8] {
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30))
    return try connection.prepare("SELECT changes FROM dflat_log ORDER BY commit_number DESC LIMIT 1")
      .firstRow { $0.withBytes(at: 0) { Array($0) } } ?? []
  }

  @Test("The change log names the rows of a commit's net changes")
  func theChangeLogNamesTheRows() throws {
    try workspace.transactAndWait([Post.self, Member.self]) { txn in
      let post = try txn.insert(Post(title: "a"))
      try txn.insert(Post(title: "b"))
      try txn.delete(post)
      try txn.insert(Member(number: 1))
    }
    // Kind, length; code, name, count, rowids.
    let members: [UInt8] = [1, 12] + Array("club__member".utf8) + [1, 1]
    let posts: [UInt8] = [1, 4] + Array("post".utf8) + [1, 2]
    let body = posts + members
    #expect(try lastRecord(test.path) == [2, UInt8(body.count)] + body)
  }

  @Test("A transaction that changes nothing makes no commit")
  func aTransactionOfNothingIsNoCommit() throws {
    try workspace.transactAndWait([Post.self]) { txn in
      #expect(throws: WorkspaceError.self) { try txn.delete(Post(title: "a")) }
      #expect(PostChangeRequest.changeRequest(Post(title: "a")) == nil)
    }
    try expectNothing()
  }
}
