@testable import DflatCore
import TestSupport
import Testing

@Suite struct LeftWorkTests {
  private let test: TestWorkspace
  private let events = EventLog<String>()

  init() throws { test = try TestWorkspace() }

  private func leave(_ name: String, for workspace: WorkspaceIdentity? = nil) -> Bool {
    ThreadContext.leave({ [events] in events.append(name) }, for: workspace ?? test.core)
  }

  @Test("Work that is left runs on the worker's thread when the worker has ended, outside of its context")
  func atTheEnd() {
    let core = test.core
    ThreadContext.asWorker(of: core) {
      let isLeft = ThreadContext.leave(
        { [events] in events.append("left: \(ThreadContext.isInside(core))") }, for: core)
      #expect(isLeft)
      events.append("worker: \(ThreadContext.isInside(core))")
    }
    #expect(events.events == ["worker: true", "left: false"])
  }

  @Test("A worker that goes on starts the work on another thread")
  func goingOn() throws {
    let hasRun = Gate("left work")
    var outcome: Result<Void, any Error>?
    ThreadContext.asWorker(of: test.core) {
      let isLeft = ThreadContext.leave({ hasRun.open() }, for: test.core)
      #expect(isLeft)
      ThreadContext.startLeftWork()
      outcome = Result { try hasRun.wait() }
    }
    try outcome?.get()
  }

  @Test(
    "While a worker holds the write token, work can be left; inside a closure, which may wait for it, it can't (A11)")
  func closures() throws {
    let core = test.core
    ThreadContext.asWorker(of: core) {
      ThreadContext.with(core, .callback) { #expect(!leave("callback")) }
      ThreadContext.with(core, .encoding) { #expect(leave("encoding")) }
    }
    #expect(events.events == ["encoding"])
    // The closure of another workspace's transaction waits for the observers of this one.
    let other = try TestWorkspace()
    ThreadContext.asWorker(of: core) { #expect(!leave("other", for: other.core)) }
    #expect(!leave("no worker"))
  }

  @Test("Several pieces of work run in order")
  func order() {
    ThreadContext.asWorker(of: test.core) {
      #expect(leave("first"))
      #expect(ThreadContext.hasLeftWork)
      #expect(leave("second"))
    }
    #expect(!ThreadContext.hasLeftWork)
    #expect(events.events == ["first", "second"])
  }

  @Test("A value that a closure has captured may wait, when it is destroyed, for the closure's completion (A11)")
  func waitingDeinitializers() throws {
    let completed = Gate("completion")
    let destroyed = Gate("destruction")
    perform(with: Waiting(completed, destroyed), completed)
    try destroyed.wait()
  }

  private func perform(with value: Waiting, _ completed: Gate) {
    test.workspace.performChanges([]) { txn in
      txn.dictionary["k"] = value.number
    } completionHandler: { _ in
      completed.open()
    }
  }
}

/// Waits in its deinitializer.
private final class Waiting: Sendable {
  let number = 1
  private let awaited: Gate
  private let destroyed: Gate

  init(_ awaited: Gate, _ destroyed: Gate) { (self.awaited, self.destroyed) = (awaited, destroyed) }

  deinit {
    try? awaited.wait()
    destroyed.open()
  }
}
