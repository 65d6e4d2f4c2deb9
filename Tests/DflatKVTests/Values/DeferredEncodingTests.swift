import DflatBuffers
import DflatKV
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DflatCore

/// A FlatBuffers value that is written plainly is encoded on the thread that commits it.
@Suite struct DeferredEncodingTests {
  private final class Counter: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func probe(_ value: Int32) -> Probe { Probe(value) { [self] in number.add(1, ordering: .relaxed) } }
  }

  @Test("A plainly written value is encoded once, when it is committed") func once() throws {
    let test = try TestWorkspace()
    let counter = Counter()
    let held = try HeldWriteToken(test)
    test.dictionary["k"] = counter.probe(1)
    #expect(test.dictionary["k"] == Probe(number: 1))
    #expect(test.dictionary.contains("k"))
    #expect(test.dictionary.keys == ["k"])
    #expect(counter.count == 0)
    try held.end()
    try test.dictionary.synchronize()
    #expect(counter.count == 1)
    #expect(test.dictionary["k"] == Probe(number: 1))
    #expect(try test.dictionary.storedValue(forKey: "k")?.kind == .flatBuffers)
    #expect(counter.count == 1)
  }

  @Test("A waiting value is encoded once if reads need its bytes before the commit") func sooner() throws {
    let test = try TestWorkspace()
    let counter = Counter()
    let held = try HeldWriteToken(test)
    test.dictionary["k"] = counter.probe(1)
    #expect(try test.dictionary.storedValue(forKey: "k")?.kind == .flatBuffers)
    #expect(counter.count == 1)
    #expect(try test.dictionary.entries().count == 1)
    #expect(test.dictionary["k", SecondVersion.self] == nil)
    let stored = test.dictionary["k"]
    #expect(stored?.kind == .flatBuffers)
    try held.end()
    try test.dictionary.synchronize()
    #expect(counter.count == 1)
  }

  @Test("A value that is overwritten while it waits is never encoded") func overwritten() throws {
    let test = try TestWorkspace()
    let counter = Counter()
    let held = try HeldWriteToken(test)
    for number in 1...10 { test.dictionary["k"] = counter.probe(Int32(number)) }
    test.dictionary["gone"] = counter.probe(0)
    test.dictionary["gone"] = nil
    try held.end()
    try test.dictionary.synchronize()
    #expect(counter.count == 1)
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == Probe(number: 10))
    #expect(fresh.dictionary.keys == ["k"])
  }

  @Test("A value whose bytes are the stored ones is not committed") func unchanged() throws {
    let test = try TestWorkspace()
    let counter = Counter()
    // Held, or the first write may be committed before the second one.
    let held = try HeldWriteToken(test)
    test.dictionary["k"] = counter.probe(1)
    test.dictionary["k"] = counter.probe(1)
    try held.end()
    try test.dictionary.synchronize()
    let commit = test.workspace.commitNumber
    test.dictionary["k"] = counter.probe(1)
    try test.dictionary.synchronize()
    #expect(counter.count == 2)
    #expect(test.workspace.commitNumber == commit)
    let fresh = try test.another()
    #expect(try fresh.dictionary.storedValue(forKey: "k")?.kind == .flatBuffers)
    fresh.dictionary["k"] = counter.probe(1)
    try fresh.dictionary.synchronize()
    #expect(counter.count == 3)
    #expect(fresh.workspace.commitNumber == commit)
  }

  @Test("A transaction sees the FlatBuffers value of a plain write before it") func beforeTransaction() throws {
    let test = try TestWorkspace()
    let held = try HeldWriteToken(test)
    test.dictionary["k"] = Probe(number: 1)
    let thread = BackgroundThread {
      try test.workspace.transactAndWait { transaction in
        #expect(transaction.dictionary["k"] == Probe(number: 1))
        transaction.dictionary["k"] = Probe(number: 2)
      }
    }
    try held.end()
    try thread.join()
    #expect(test.dictionary["k"] == Probe(number: 2))
  }

  @Test("A transaction encodes its FlatBuffers values at once") func inTransaction() throws {
    let test = try TestWorkspace()
    let counter = Counter()
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary["k"] = counter.probe(1)
      #expect(counter.count == 1)
      try transaction.dictionary.update("k", default: Probe(number: 0)) { $0 = counter.probe(2) }
      #expect(counter.count == 2)
    }
    #expect(counter.count == 2)
  }

  @Test("A11: An encoder may use the dictionary, and calls in it that would wait throw") func meddling() throws {
    let test = try TestWorkspace()
    let errors = EventLog<WorkspaceError.Code?>()
    let d = test.dictionary
    @Sendable func probe(_ number: Int32) -> Probe {
      Probe(number) {
        // Reads and writes are plain, even if a transaction commits the value. A call that would wait for itself
        // throws.
        _ = d["k", Probe.self]
        _ = try? d.storedValue(forKey: "other")
        _ = d.keys
        d["written"] = number
        d["other"] = Probe(number: number)
        for wait in [
          { try d.synchronize() }, { try test.workspace.transactAndWait { _ in } },
          { _ = try test.workspace.compact() },
        ] {
          do { try wait() } catch { errors.append((error as? WorkspaceError)?.code) }
        }
      }
    }
    // The encoder runs on a thread of the workspace, on that of synchronize(), and on that of a transaction.
    d["k"] = probe(1)
    try BackgroundThread { try errors.wait(forCount: 3) }.join()
    let held = try HeldWriteToken(test)
    d["k"] = probe(2)
    let thread = BackgroundThread { try d.synchronize() }
    try held.end()
    try thread.join()
    let again = try HeldWriteToken(test)
    d["k"] = probe(3)
    let transaction = BackgroundThread {
      try test.workspace.transactAndWait { transaction in
        #expect(transaction.dictionary["k"] == Probe(number: 3))
      }
    }
    try again.end()
    try transaction.join()
    try d.synchronize()
    #expect(errors.events.count == 9 && errors.events.allSatisfy { $0 == .wouldDeadlock })
    #expect(d["written"] == 3)
    #expect(d["other"] == Probe(number: 3))
    #expect(test.errors.events.isEmpty)
  }

  @Test("A7: A value that exceeds the format's limits fails alone and is reported") func unencodable() throws {
    let test = try TestWorkspace()
    let d = test.dictionary.namespace("deep")
    d["k"] = Nested(levels: 3)
    try d.synchronize()
    let held = try HeldWriteToken(test)
    d["k"] = Nested.tooDeep
    d["beside"] = Nested.deepest
    d["number"] = 1
    try held.end()
    let error = try #require(#expect(throws: WorkspaceError.self) { try d.synchronize() })
    #expect(error.code == .unencodable)
    #expect(error.key == "k")
    #expect((error.underlying as? FlatBufferError)?.code == .tooDeep)
    #expect(error.message.contains("'k' in 'deep'"), "\(error.message)")
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.unencodable])
    #expect(d["k"] == Nested(levels: 3))
    #expect(d["beside"] == Nested.deepest)
    try d.synchronize()
    let fresh = try test.another()
    let found = fresh.dictionary.namespace("deep")
    #expect(found["k"] == Nested(levels: 3))
    #expect(found["beside"] == Nested.deepest)
    #expect(found["number"] == 1)
  }

  //  group    T begins; k = 1 is drained    T ends; k = (too deep) is drained, and fails    COMMIT
  //  reader                                                                             reads k: 1
  @Test("A5: After a write fails in its group, reads see the group's value before it") func failsInGroup() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    try test.workspace.transactAndWait { $0.dictionary["other"] = 0 }
    let seen = EventLog<Int??>()
    Failpoint.memberBegan.arm(in: test.workspace.core) {
      Failpoint.memberBegan.arm(in: test.workspace.core, nil)
      try? BackgroundThread { d["k"] = Nested.tooDeep }.join()
    }
    Failpoint.beforeCommit.arm(in: test.workspace.core) {
      seen.append(try? BackgroundThread { d["k", Nested.self]?.levels }.join())
    }
    defer { Failpoint.beforeCommit.arm(in: test.workspace.core, nil) }
    d["k"] = Nested(levels: 1)
    try test.workspace.transactAndWait { $0.dictionary["other"] = 1 }
    #expect(seen.events == [1])
    #expect(throws: WorkspaceError.self) { try d.synchronize() }
    #expect(d["k"] == Nested(levels: 1))
  }

  /// Each read of the file by the writer fails in turn. The value that can't be encoded is reported by itself, or, if
  /// the group could not begin, counts among the writes that failed.
  @Test("A7: A value that can't be encoded is reported even if the writes beside it fail as well")
  func unencodableInAFailingGroup() throws {
    for number in 1...Fault.mostOperations {
      let test = try TestWorkspace { $0.vfs = FaultPlan.vfsName }
      // Another workspace's commit makes the writer read its pages again.
      let other = try test.another()
      for index in 0..<100 { other.dictionary["long \(index)"] = String(repeating: "x", count: 500) }
      try other.dictionary.synchronize()
      let plan = try FaultPlan(.read, in: test.directory.path, fail: .from(number))
      test.dictionary["k"] = Nested.tooDeep
      test.dictionary["long 50"] = "short"
      #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
      let failures = plan.faultCount
      plan.cancel()
      try test.settle()
      let errors = test.errors.events
      // On a busy machine, each write may have had a group of its own.
      let isReported =
        errors.contains { error in
          error.code == .unencodable && error.key == "k" || error.message.hasPrefix("2 plain")
        } || errors.count { $0.message.hasPrefix("1 plain") } == 2
      #expect(isReported, "operation \(number): \(errors)")
      #expect(try test.dictionary.value(forKey: "k", as: Nested.self) == nil)
      if failures == 0 { return }
    }
    Issue.record("Run \(Fault.mostOperations) still failed an operation")
  }

  @Test("A waiting value that can't be encoded makes reads of its bytes throw") func unencodableBytes() throws {
    let test = try TestWorkspace()
    let held = try HeldWriteToken(test)
    test.dictionary["k"] = Nested.tooDeep
    #expect(test.dictionary["k", Nested.self] == Nested.tooDeep)
    for read in [
      { _ = try test.dictionary.storedValue(forKey: "k") }, { _ = try test.dictionary.entries() },
      { _ = try test.dictionary.value(forKey: "k", as: Note.self) },
    ] {
      let error = try #require(#expect(throws: WorkspaceError.self) { try read() })
      #expect(error.code == .unencodable && error.key == "k")
    }
    try held.end()
    #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
    #expect(!test.dictionary.contains("k"))
  }

  @Test("An update to a FlatBuffers value that can't be encoded throws and stores nothing")
  func unencodableInTransaction() throws {
    let test = try TestWorkspace()
    let error = try #require(
      #expect(throws: WorkspaceError.self) {
        try test.dictionary.update("k", default: Nested(levels: 1)) { $0.levels = Nested.tooDeep.levels }
      })
    #expect(error.code == .unencodable && error.key == "k")
    #expect(!test.dictionary.contains("k"))
  }

  @Test("Values that are encoded one after another keep their own bytes") func reusedBuilder() throws {
    let test = try TestWorkspace()
    let notes = (0..<500).map { index in
      Note(title: String(repeating: "x", count: index * 7 % 300), stars: Int32(index), tags: ["\(index)"])
    }
    let threads = (0..<4).map { part in
      BackgroundThread {
        for index in notes.indices where index % 4 == part { test.dictionary["key\(index)"] = notes[index] }
      }
    }
    for thread in threads { try thread.join() }
    try test.dictionary.synchronize()
    let fresh = try test.another()
    for (index, note) in notes.enumerated() { #expect(fresh.dictionary["key\(index)"] == note) }
  }
}
