import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

/// Reads from `shutdown(completion:)` on. They are refused, except in transactions and snapshots that began before it.
@Suite struct ReadsAfterShutdownTests {
  private let test: TestWorkspace
  private let post: Post
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    post = try #require(try test.workspace.insert(Post(title: "a", priority: 1)).first)
    test.workspace.dictionary["cached"] = 1
    try test.workspace.dictionary.synchronize()
  }

  /// A reading call that throws if it fails.
  struct Read: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (SQLiteWorkspace) throws -> Void
  }

  private static let throwing: [Read] = [
    Read(testDescription: "query.fetch") { _ = try $0.query(for: Post.self).fetch() },
    Read(testDescription: "query.first") { _ = try $0.query(for: Post.self).first() },
    Read(testDescription: "query.count") { _ = try $0.query(for: Post.self).where(Post.priority == 1).count() },
    Read(testDescription: "query.exists") { _ = try $0.query(for: Post.self).exists() },
    Read(testDescription: "cached value") { _ = try $0.dictionary.value(forKey: "cached", as: Int.self) },
    Read(testDescription: "unread value") { _ = try $0.dictionary.value(forKey: "unread", as: Int.self) },
    Read(testDescription: "storedValue") { _ = try $0.dictionary.storedValue(forKey: "cached") },
    Read(testDescription: "commitNumber") { _ = try $0.dictionary.commitNumber(forKey: "cached") },
    Read(testDescription: "entries") { _ = try $0.dictionary.entries() },
    Read(testDescription: "namespaces") { _ = try $0.dictionary.namespaces() },
    Read(testDescription: "checkIntegrity") { _ = try $0.checkIntegrity() },
    Read(testDescription: "fileStatistics") { _ = try $0.fileStatistics() },
    Read(testDescription: "backup") { try $0.backup(to: $0.filePath + ".copy") },
    Read(testDescription: "query in a snapshot") { workspace in
      try workspace.fetchWithinASnapshot { _ = try workspace.query(for: Post.self).count() }
    },
    Read(testDescription: "value in a snapshot") { workspace in
      try workspace.fetchWithinASnapshot { _ = try workspace.dictionary.value(forKey: "cached", as: Int.self) }
    },
  ]

  private func expectNothing(_ workspace: SQLiteWorkspace) {
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
    #expect(workspace.fetch(for: Post.self).where(Post.title == "a").isEmpty)
    #expect(workspace.fetch(for: Post.self).count() == 0)
    #expect(workspace.dictionary["cached", Int.self] == nil)
    #expect(workspace.dictionary["unread", Int.self] == nil)
    #expect(!workspace.dictionary.contains("cached"))
    #expect(workspace.dictionary.keys.isEmpty)
    #expect(workspace.dictionary.count == 0)
    workspace.fetchWithinASnapshot {
      #expect(workspace.fetch(for: Post.self).all().isEmpty)
      #expect(workspace.dictionary["cached", Int.self] == nil)
    }
  }

  //  this        shutdown(completion:) ─── reads: refused ──────────────────────┐
  //  snapshot    ── begun before ────────────────────── reads what it shows ──┐ │
  //  closure     ── begun before ────────────────────── reads and writes ─────┤ │
  //                                                                   closed ─┴─┘
  @Test("Reads after shutdown are refused, except in transactions and snapshots that began before")
  func whileItCloses() throws {
    let workspace = workspace
    let haveBegun = EventLog<Void>()
    let mayRead = Gate("the workspace is closing")
    let snapshot = BackgroundThread("snapshot") {
      try workspace.fetchWithinASnapshot {
        haveBegun.append(())
        try mayRead.wait()
        #expect(try workspace.query(for: Post.self).fetch().map(\.title) == ["a"])
        #expect(workspace.fetch(for: Post.self).count() == 1)
        #expect(try workspace.dictionary.value(forKey: "cached", as: Int.self) == 1)
        #expect(workspace.dictionary.keys == ["cached"])
        #expect(try workspace.fileStatistics().commitNumber == 2)
        #expect(try workspace.checkIntegrity() == [])
      }
    }
    let transaction = BackgroundThread("transaction") {
      try workspace.transactAndWait([Post.self]) { txn in
        haveBegun.append(())
        try mayRead.wait()
        // Reads before it has the write token, and after.
        #expect(try txn.query(for: Post.self).count() == 1)
        #expect(workspace.fetch(for: Post.self).all().count == 1)
        #expect(txn.dictionary["cached", Int.self] == 1)
        try txn.insert(Post(title: "b"))
        #expect(try txn.query(for: Post.self).count() == 2)
      }
    }
    try haveBegun.wait(forCount: 2)
    let closed = Gate("closed")
    workspace.shutdown { closed.open() }
    for read in Self.throwing {
      #expect(try errorCode { try read.run(workspace) } == .shutdown, "\(read.testDescription)")
    }
    expectNothing(workspace)
    mayRead.open()
    try snapshot.join()
    try transaction.join()
    try closed.wait()
    for read in Self.throwing {
      let error = try #require(throws: WorkspaceError.self) { try read.run(workspace) }
      #expect(error.code == .shutdown && error.path == workspace.filePath, "\(read.testDescription)")
    }
    expectNothing(workspace)
    #expect(test.errors.events.isEmpty)
    #expect(try test.stored(Post.self).map(\.title) == ["a", "b"])
  }

  @Test("A7: The first write to a dictionary while the workspace closes is refused with an error")
  func firstWriteWhileItCloses() throws {
    let fresh = try TestWorkspace.open(test.path)
    let isOpen = Gate("the snapshot is open")
    let mayEnd = Gate("the snapshot may end")
    let snapshot = BackgroundThread("snapshot") {
      try fresh.fetchWithinASnapshot {
        isOpen.open()
        try mayEnd.wait()
      }
    }
    try isOpen.wait()
    let closed = Gate("closed")
    fresh.shutdown { closed.open() }
    fresh.dictionary["lost"] = 1
    #expect(fresh.dictionary["lost", Int.self] == nil)
    #expect(try errorCode { try fresh.dictionary.synchronize() } == .shutdown)
    mayEnd.open()
    try snapshot.join()
    try closed.wait()
    #expect(workspace.dictionary.keys == ["cached"])
  }
}
