import DflatCore
import TestSupport
import Testing

@testable import DflatKV

/// Observations of closures while their workspace closes: the last commits are delivered, too (A4).
@Suite(.timeLimit(.minutes(15))) struct ObservationShutdownTests {
  /// Notes the values of a key, and the end of the observation.
  private func observe(_ key: String, in test: TestWorkspace, _ log: EventLog<String>) -> WorkspaceSubscription {
    test.workspace.observe { $0.dictionary[key, default: 0] }.start { error in
      log.append(error == nil ? "end" : "error")
    } changeHandler: {
      log.append("\($0)")
    }
  }

  @Test("A4: A transaction that commits while the workspace closes is delivered before its completion")
  func transaction() throws {
    // holder:  holds the write token                               ─ ends
    // test:                            performChanges ─ shutdown             ─ the transaction commits ─ closed
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = observe("k", in: test, log)
    let token = try HeldWriteToken(test)
    test.workspace.performChanges([]) {
      $0.dictionary["k"] = 1
    } completionHandler: { succeeded in
      log.append("completion \(succeeded)")
    }
    let closed = Gate("the closing")
    test.workspace.shutdown { closed.open() }
    try token.end()
    try closed.wait()
    #expect(log.events == ["0", "1", "completion true", "end"])
    subscription.cancel()
  }

  @Test("A4: A plain write that commits while the workspace closes is delivered") func plainWrite() throws {
    // holder:  holds the write token                            ─ ends
    // test:                            plain write ─ shutdown             ─ the write commits ─ closed
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = observe("k", in: test, log)
    let token = try HeldWriteToken(test)
    test.dictionary["k"] = 1
    let closed = Gate("the closing")
    test.workspace.shutdown { closed.open() }
    try token.end()
    try closed.wait()
    #expect(log.events == ["0", "1", "end"])
    subscription.cancel()
  }

  @Test("A4: A closure that has cached nothing reads the file for the last commit") func uncached() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in for number in 0..<10 { txn.dictionary["x\(number)"] = number } }
    let other = try test.another()
    let log = EventLog<String>()
    let subscription = other.workspace.observe { reader -> [String] in
      reader.dictionary["last", Int.self] == nil ? [] : reader.dictionary.keys(withPrefix: "x")
    }.start { error in
      log.append(error == nil ? "end" : "error")
    } changeHandler: {
      log.append("\($0.count)")
    }
    let token = try HeldWriteToken(other)
    other.dictionary["last"] = 1
    let closed = Gate("the closing")
    other.workspace.shutdown { closed.open() }
    try token.end()
    try closed.wait()
    #expect(log.events == ["0", "10", "end"])
    subscription.cancel()
  }

  @Test("A11: A change handler may shut down, and its own plain write is delivered before the end")
  func inHandler() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let log = EventLog<Int>()
    let closed = Gate("the closing")
    let subscription = workspace.observe { $0.dictionary["k", default: 0] }.start { _ in
    } changeHandler: { value in
      log.append(value)
      guard value == 1 else { return }
      workspace.dictionary["k"] = 2
      workspace.shutdown()
      workspace.shutdown { closed.open() }
    }
    workspace.dictionary["k"] = 1
    try closed.wait()
    #expect(log.events == [0, 1, 2])
    subscription.cancel()
  }

  @Test("A stream gives the last commit before it ends") func stream() async throws {
    let test = try TestWorkspace()
    let stream = test.workspace.observe { $0.dictionary["k", default: 0] }.values(bufferingPolicy: .unbounded)
    test.dictionary["k"] = 1
    await test.workspace.shutdown()
    var values: [Int] = []
    for try await value in stream { values.append(value) }
    #expect(values == [0, 1])
  }
}
