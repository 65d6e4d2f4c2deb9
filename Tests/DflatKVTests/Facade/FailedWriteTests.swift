import DflatCore
import DflatKV
import Foundation
import TestSupport
import Testing

/// A1: A transaction in which a write fails throws that write's error and commits nothing.
@Suite struct FailedWriteTests {
  /// A write that fails in a closure that ignores the failure.
  struct Write: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var code = WorkspaceError.Code.unencodable
    let run: @Sendable (WorkspaceDictionary) -> Void
  }

  private static let bad = Stubborn(number: 1, isBad: true)
  private static let deep = Nested.tooDeep
  private static let stubbornKey = DictionaryKey("bad", default: Stubborn(number: 0))
  private static let nestedKey = DictionaryKey("bad", default: Nested(levels: 1))

  private static let writes: [Write] = [
    Write(testDescription: "subscript") { $0["bad"] = bad },
    Write(testDescription: "subscript with a type") { $0["bad", Stubborn.self] = bad },
    Write(testDescription: "subscript with a default") { $0["bad", default: Stubborn(number: 0)] = bad },
    Write(testDescription: "typed key") { $0[stubbornKey] = bad },
    Write(testDescription: "property wrapper") { Persisted(stubbornKey, in: $0).wrappedValue = bad },
    Write(testDescription: "namespace") { $0.namespace("other")["bad"] = bad },
    Write(testDescription: "FlatBuffers subscript") { $0["bad"] = deep },
    Write(testDescription: "FlatBuffers typed key") { $0[nestedKey] = deep },
    Write(testDescription: "update") { _ = try? $0.update("bad", default: Stubborn(number: 0)) { $0.isBad = true } },
    Write(testDescription: "FlatBuffers update") { _ = try? $0.update("bad", default: deep) { _ in } },
    Write(testDescription: "compareAndSet") { _ = try? $0.compareAndSet("bad", expected: nil, new: bad) },
    Write(testDescription: "too large", code: .tooLarge) { $0["bad"] = Data(count: 1_000_000_001) },
  ]

  private func expectNothing(of test: TestWorkspace, _ events: EventLog<DictionaryChange>) throws {
    #expect(test.dictionary.keys.isEmpty)
    #expect(test.workspace.commitNumber == 0)
    #expect(!test.dictionary.contains("before") && !test.dictionary.contains("after"))
    // The next caller doesn't get the error.
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(try fresh.dictionary.namespaces().isEmpty)
    try test.settle()
    #expect(events.events.isEmpty)
  }

  @Test("A failed write makes transactAndWait throw its error and commit nothing", arguments: writes)
  func transactAndWait(write: Write) throws {
    let test = try TestWorkspace()
    let events = EventLog<DictionaryChange>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { events.append($0) }
    let error = try #require(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { txn in
        txn.dictionary["before"] = 1
        write.run(txn.dictionary)
        txn.dictionary["after"] = 1
      }
    }
    #expect(error.code == write.code)
    #expect(error.key == "bad")
    try expectNothing(of: test, events)
    // The caller has the error, so the error handler doesn't get it.
    #expect(test.errors.events.isEmpty)
    subscription.cancel()
  }

  @Test("A failed write makes transact throw its error and commit nothing", arguments: writes)
  func transact(write: Write) async throws {
    let test = try TestWorkspace()
    let events = EventLog<DictionaryChange>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { events.append($0) }
    let error = await #expect(throws: WorkspaceError.self) {
      try await test.workspace.transact { [dictionary = test.dictionary] txn in
        txn.dictionary["before"] = 1
        write.run(dictionary)
        txn.dictionary["after"] = 1
      }
    }
    #expect(error?.code == write.code)
    try expectNothing(of: test, events)
    #expect(test.errors.events.isEmpty)
    subscription.cancel()
  }

  @Test("A failed write makes performChanges report false and notify the error handler", arguments: writes)
  func performChanges(write: Write) throws {
    let test = try TestWorkspace()
    let events = EventLog<DictionaryChange>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { events.append($0) }
    let ended = EventLog<Bool>()
    test.workspace.performChanges([]) { txn in
      txn.dictionary["before"] = 1
      write.run(txn.dictionary)
      txn.dictionary["after"] = 1
    } completionHandler: {
      ended.append($0)
    }
    #expect(try ended.wait(forCount: 1) == [false])
    try expectNothing(of: test, events)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [write.code])
    subscription.cancel()
  }

  @Test("A failed write makes the asynchronous performChanges return false", arguments: writes)
  func asynchronousPerformChanges(write: Write) async throws {
    let test = try TestWorkspace()
    let events = EventLog<DictionaryChange>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { events.append($0) }
    let succeeded = await test.workspace.performChanges([]) { txn in
      txn.dictionary["before"] = 1
      write.run(txn.dictionary)
      txn.dictionary["after"] = 1
    }
    #expect(!succeeded)
    try expectNothing(of: test, events)
    subscription.cancel()
  }

  @Test("A transaction fails with the error of its first failed write, not with a later one") func first() throws {
    let test = try TestWorkspace()
    let error = try #require(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { txn in
        txn.dictionary["bad"] = Self.bad
        txn.dictionary["worse"] = Self.deep
        let read = Result { try txn.dictionary.value(forKey: "other", as: Int.self) }
        #expect(throws: WorkspaceError.self) { try read.get() }
        throw Stubborn.Refusal()
      }
    }
    #expect(error.code == .unencodable && error.key == "bad")
  }

  @Test("A transaction whose first write can't be encoded joins no group") func joinsNoGroup() throws {
    let test = try TestWorkspace()
    let began = EventLog<Int>()
    Failpoint.memberBegan.arm(in: test.workspace.core) { began.append(1) }
    defer { Failpoint.memberBegan.arm(in: test.workspace.core, nil) }
    test.dictionary["plain"] = 1
    let error = #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { txn in
        txn.dictionary["bad"] = Self.bad
        txn.dictionary["after"] = 1
        #expect(!txn.dictionary.contains("plain") && txn.dictionary.keys == [])
        for code in [
          Self.code { try txn.dictionary.storedValue(forKey: "plain") }, Self.code { try txn.dictionary.namespaces() },
        ] {
          #expect(code == .unencodable)
        }
      }
    }
    #expect(error?.code == .unencodable)
    #expect(began.events.isEmpty)
    try test.dictionary.synchronize()
    #expect(test.dictionary.keys == ["plain"])
  }

  private static func code<T>(_ body: () throws -> T) -> WorkspaceError.Code? {
    do { _ = try body() } catch { return (error as? WorkspaceError)?.code }
    return nil
  }

  @Test("A caller gets the error that its closure throws after abort()") func thrownAfterAbort() throws {
    let test = try TestWorkspace()
    #expect(throws: Stubborn.Refusal.self) {
      try test.workspace.transactAndWait { txn in
        txn.dictionary["key"] = 1
        txn.abort()
        throw Stubborn.Refusal()
      }
    }
    #expect(test.dictionary.keys.isEmpty)
  }

  @Test("A failed write after abort() leaves the transaction's error at .aborted") func aborted() throws {
    let test = try TestWorkspace()
    let error = try #require(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { txn in
        txn.abort()
        txn.dictionary["bad"] = Self.bad
      }
    }
    #expect(error.code == .aborted)
    try test.dictionary.synchronize()
    #expect(test.errors.events.isEmpty)
  }

  @Test("A transaction commits if its closure catches the errors of its updates") func thrownByTheClosure() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      txn.dictionary["text"] = "one"
      #expect(throws: Stubborn.Refusal.self) {
        try txn.dictionary.update("number", default: 1) { _ in throw Stubborn.Refusal() }
      }
      #expect(throws: WorkspaceError.self) { try txn.dictionary.update("text", default: 1) { $0 += 1 } }
    }
    #expect(test.dictionary.keys == ["text"])
  }

  @Test("A transaction with a failed write does not fail the other members of its group") func inAGroup() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let ended = EventLog<Bool>()
    let held = try HeldWriteToken(test) { $0.dictionary["held"] = 1 }
    for number in 0..<3 {
      test.workspace.performChanges([]) { txn in
        txn.dictionary["key\(number)"] = 1
        if number == 1 { txn.dictionary["bad"] = Self.bad }
      } completionHandler: {
        ended.append($0)
      }
    }
    try held.end()
    #expect(try ended.wait(forCount: 3) == [true, false, true])
    #expect(test.dictionary.keys == ["held", "key0", "key2"])
  }
}
