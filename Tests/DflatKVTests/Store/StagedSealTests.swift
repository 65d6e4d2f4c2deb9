import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Each write of a transaction to a sealed namespace is checked against what the transaction has written before it.
@Suite(.timeLimit(.minutes(15))) struct StagedSealTests: SealedSuite {
  let test: TestWorkspace

  init() throws {
    test = try TestWorkspace {
      $0.followsOtherProcesses = false
      $0.commitLate()
    }
  }

  @Test("Each of several writes is checked against the one before it") func chain() throws {
    try fill(["a"])
    // The last key doesn't open the row.
    try commits(["a 2 last"]) {
      secrets(2, orOpenedWith: [1])["a"] = "new"
      secrets(2)["a"] = "last"
    }
    #expect(try test.keptValues().isEmpty)
    // An equal value, which the row has with a key that the last write doesn't know.
    try commits(["a 6 last"]) {
      secrets(6, orOpenedWith: [2])["a"] = "new"
      secrets(6)["a"] = "last"
    }
    try commits(["a 3 5"]) {
      secrets(3, orOpenedWith: [6])["a"] = "new"
      secrets(3)["a"] = 5
    }
    // Of another kind than the row's.
    #expect(try test.keptValues().count == 1)
    try commits(["a 3 5", "b 4 last"]) {
      secrets(4, orOpenedWith: [3])["b"] = "new"
      secrets(4)["b"] = "last"
    }
    // A dictionary without the key copies envelopes.
    let envelope = try #require(try bare.storedValue(forKey: "b"))
    try commits(["a 3 5", "b 4 new"]) {
      secrets(4)["b"] = "other"
      bare["b"] = envelope
      secrets(4)["b"] = "new"
    }
    try fails(.wrongSealKey) {
      secrets(4)["b"] = "new"
      secrets(3)["b"] = "wrong"
    }
    try fails(.sealed) {
      secrets(4)["b"] = "new"
      bare.set(5, forKey: "b", expiringAfter: .hour)
    }
  }

  @Test("A staged value that has expired keeps no write out") func expired() throws {
    try fill(["a"])
    try commits(["a - 5"]) {
      secrets(1).set("gone", forKey: "a", expiringAt: .distantPast)
      bare["a"] = 5
    }
  }

  // MARK: Values that aren't sealed

  @Test("After values are sealed, a plain write over one of them is refused, and one of a new key isn't")
  func afterSealing() throws {
    try fill(["a", "b"], sealedWith: nil)
    try fails(.sealed) {
      try sealValues(1)
      bare["a"] = "plain"
    }
    try fails(.sealed) {
      try sealValues(1)
      bare.set(5, forKey: "b", expiringAfter: .hour)
    }
    try commits(["a 1 new", "b 1 old", "c - plain"]) {
      bare["a"] = "new"
      try sealValues(1)
      bare["c"] = "plain"
    }
  }

  @Test("The first of two writes of a new key decides what the second may be") func newKeys() throws {
    try fails(.sealed) {
      secrets(1)["a"] = "new"
      bare["a"] = 5
    }
    try fails(.notSealed) {
      bare["a"] = 5
      secrets(1)["a"] = "new"
    }
    try fails(.wrongSealKey) {
      secrets(1)["a"] = "new"
      secrets(2)["a"] = "new"
    }
    try commits(["a 1 last"]) {
      secrets(1)["a"] = "new"
      secrets(1)["a"] = "last"
    }
  }

  // MARK: Groups and ways

  @Test("Transactions are checked against what an earlier one of their group has rotated and removed") func groups()
    throws
  {
    try fill(["a", "b"])
    let (first, second) = (seal(1), seal(2))
    let (hold, go) = (Gate("the first one has the write token"), Gate("the others are queued"))
    let results = EventLog<String>()
    // Not a blocked thread, which would not wait for closures that haven't begun.
    test.workspace.performChanges([]) { transaction in
      let bare = transaction.dictionary.namespace("s")
      _ = bare.contains("a")
      hold.open()
      do {
        try go.wait()
        _ = try bare.reseal(from: first, to: second)
      } catch { Issue.record(error) }
      transaction.dictionary.namespace("s", sealedBy: second)["a"] = "first"
      bare.removeValue(forKey: "b")
      bare["b"] = 5
    } completionHandler: {
      results.append("first \($0)")
    }
    try hold.wait()
    // Queued behind the first one, and committed with it.
    for (name, seal) in [("old", first), ("new", second)] {
      test.workspace.performChanges([]) { transaction in
        transaction.dictionary.namespace("s", sealedBy: seal)["a"] = name
        transaction.dictionary.namespace("s", sealedBy: seal)["c"] = name
      } completionHandler: {
        results.append("\(name) \($0)")
      }
    }
    test.workspace.performChanges([]) { transaction in
      let bare = transaction.dictionary.namespace("s")
      bare["b"] = 6
      bare.removeValue(forKey: "a")
      bare["a"] = 7
    } completionHandler: {
      results.append("plain \($0)")
    }
    go.open()
    #expect(try results.wait(forCount: 4).sorted() == ["first true", "new true", "old false", "plain true"])
    #expect(test.workspace.commitNumber == 2)
    #expect(try state() == ["a - 7", "b - 6", "c 2 new"])
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.wrongSealKey])
  }

  enum Way: CaseIterable, Sendable { case waiting, asynchronous, queued, awaited }

  @Test("A1: A refused write fails its transaction in all ways of running one", arguments: Way.allCases)
  func ways(way: Way) async throws {
    try fill(["a"])
    let (first, second) = (seal(1), seal(2))
    let body: @Sendable (TransactionContext) throws -> Void = { transaction in
      transaction.dictionary["other"] = 1
      _ = try transaction.dictionary.namespace("s").reseal(from: first, to: second)
      transaction.dictionary.namespace("s", sealedBy: first)["a"] = "wrong"
    }
    switch way {
    case .waiting:
      let error = #expect(throws: WorkspaceError.self) { try test.workspace.transactAndWait([], body) }
      #expect(error?.code == .wrongSealKey && error?.key == "a")
    case .asynchronous:
      let error = await #expect(throws: WorkspaceError.self) { try await test.workspace.transact([], body) }
      #expect(error?.code == .wrongSealKey && error?.key == "a")
    case .queued:
      let ended = EventLog<Bool>()
      test.workspace.performChanges([]) {
        try? body($0)
      } completionHandler: {
        ended.append($0)
      }
      #expect(try ended.wait(forCount: 1) == [false])
    case .awaited:
      let succeeded: Bool = await test.workspace.performChanges([]) { try? body($0) }
      #expect(!succeeded)
    }
    if way == .queued || way == .awaited {
      #expect(try test.errors.wait(forCount: 1).map(\.code) == [.wrongSealKey])
    }
    #expect(try state() == ["a 1 old"])
    #expect(!test.dictionary.contains("other"))
  }
}
