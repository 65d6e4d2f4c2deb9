import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

private enum First {}
private enum Second {}

/// Callbacks that a worker has left for its end, while it goes on with the closure that the write token went to.
@Suite struct LeftCallbacksTests {
  // caller     transactAndWait([Second]): holds the token; ends ─► passes token and group to `first`
  // worker 1   performChanges([First]): waits for the token ─► joins, ends: COMMIT, callbacks left; runs `second`
  // queue      performChanges([Second]): in the open group's lane, waits for the token
  //            ─► runs on worker 1, and waits for the completion of `first`
  @Test("A closure that gets the token on the thread that committed may wait for that commit's completions (A11)")
  func closureAfterCommit() throws {
    let test = try TestWorkspace()
    let mayTouch = Gate("first may touch the dictionary")
    let completed = Gate("first's completion")
    let ended = Gate("second's completion")
    let waits = EventLog<Bool>()
    try test.workspace.transactAndWait { $0.dictionary["warm"] = 1 }
    first(in: test, after: mayTouch, opening: completed)
    try test.workspace.transactAndWait([Second.self]) { txn in
      txn.dictionary["caller"] = 1
      mayTouch.open()
      while !test.workspace.core.pipeline.hasWriteTokenWaiters {}
      second(in: test, after: completed, noting: waits, opening: ended)
    }
    try ended.wait()
    #expect(waits.events == [true])
  }

  private func first(in test: TestWorkspace, after mayTouch: Gate, opening completed: Gate) {
    test.workspace.performChanges([First.self]) { txn in
      try? mayTouch.wait()
      txn.dictionary["first"] = 1
    } completionHandler: { _ in
      completed.open()
    }
  }

  private func second(in test: TestWorkspace, after completed: Gate, noting waits: EventLog<Bool>, opening ended: Gate)
  {
    test.workspace.performChanges([Second.self]) { txn in
      let result = Result { try completed.wait() }
      waits.append((try? result.get()) != nil)
      txn.dictionary["second"] = 1
    } completionHandler: { _ in
      ended.open()
    }
  }
}
