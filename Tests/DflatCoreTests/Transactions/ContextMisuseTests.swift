import DflatCore
import DflatKV
import TestSupport
import Testing

/// A transaction's context outside its closure.
@Suite struct ContextMisuseTests {
  @Test("A transaction's context ends with its closure")
  func aContextIsOverWithItsClosure() throws {
    let test = try TestWorkspace()
    let escaped = try test.workspace.transactAndWait { txn in
      txn.dictionary["key"] = 1
      return txn
    }
    #expect(!escaped.abort())
    #expect(try errorCode { _ = try escaped.joinedGroup() } == .aborted)
    #expect(test.workspace.dictionary["key", Int.self] == 1)
  }

  @Test("A transaction's dictionary traps after the closure")
  func itsDictionaryTrapsAfterTheClosure() async {
    await #expect(processExitsWith: .failure) {
      let workspace = try SQLiteWorkspace.inMemory()
      let escaped = try workspace.transactAndWait { $0 }
      escaped.dictionary["key"] = 1
    }
  }

  @Test("A transaction's dictionary traps on another thread")
  func itsDictionaryTrapsOnAnotherThread() async {
    await #expect(processExitsWith: .failure) {
      let workspace = try SQLiteWorkspace.inMemory()
      try workspace.transactAndWait { txn in
        nonisolated(unsafe) let escaped = txn  // this is the misuse
        try BackgroundThread("stranger") { escaped.dictionary["key"] = 1 }.join()
      }
    }
  }

  @Test("A transaction's context belongs to one workspace")
  func twoWorkspaces() throws {
    let (first, second) = (try TestWorkspace(), try TestWorkspace())
    #expect(throws: Refusal.self) {
      try first.workspace.transactAndWait { outer in
        outer.dictionary["key"] = 1
        try second.workspace.transactAndWait { inner in
          outer.dictionary["key"] = 2
          inner.dictionary["key"] = 10
          first.workspace.dictionary["also"] = 3
          #expect(second.workspace.dictionary["key", Int.self] == 10)
          #expect(first.workspace.dictionary["key", Int.self] == 2)
        }
        throw Refusal()
      }
    }
    #expect(first.workspace.dictionary.keys == [])
    #expect(second.workspace.dictionary["key", Int.self] == 10)
  }
}
