import TestSupport

@testable import DflatKV

/// An observed closure that reads the key "k", and stops when it reads 1.
struct ObservedRun: Sendable {
  let subscription: WorkspaceSubscription
  /// The values that it has delivered.
  let log = EventLog<Int>()
  private let reached = Gate("the run for 1")
  private let mayGoOn = Gate("the end of the run for 1")

  init(in test: TestWorkspace) {
    let (reached, mayGoOn, log) = (reached, mayGoOn, log)
    subscription = test.workspace.observe { reader -> Int in
      let value = reader.dictionary["k", default: 0]
      if value == 1 {
        reached.open()
        try mayGoOn.wait()
      }
      return value
    }.subscribe { log.append($0) }
  }

  /// Blocks until the closure has stopped.
  func wait() throws { try reached.wait() }

  func resume() { mayGoOn.open() }
}
