import DflatCore
import TestSupport
import Testing

@testable import DflatKV

/// Errors that end an observation: those of its closure, and those of reading the file.
@Suite(.timeLimit(.minutes(15))) struct ObservationErrorTests {
  struct Refusal: Error {}

  @Test("An error that the closure throws ends the observation, and nothing is tracked any more") func thrown() throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    let errors = EventLog<Bool>()
    let subscription = test.workspace.observe { reader -> Int in
      let value = reader.dictionary["k", default: 0]
      if value == 2 { throw Refusal() }
      return value
    }.subscribe { error in
      errors.append(error is Refusal)
    } changeHandler: {
      log.append($0)
    }
    for value in 1...4 { try test.commit(value) }
    #expect(log.events == [0, 1])
    #expect(errors.events == [true])
    #expect(test.trackedReads == 0)
    #expect(test.errors.events.isEmpty)
    subscription.cancel()
  }

  @Test("An error of the first run comes before subscribe returns") func thrownAtFirst() throws {
    let test = try TestWorkspace()
    let errors = EventLog<Bool>()
    let subscription = test.workspace.observe { _ -> Int in throw Refusal() }.subscribe { error in
      errors.append(error is Refusal)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    #expect(errors.events == [true])
    subscription.cancel()
  }

  @Test("A7: Without a handler for errors, the workspace's error handler gets the error") func reported() throws {
    let test = try TestWorkspace()
    let subscription = test.workspace.observe { _ -> Int in throw Refusal() }.subscribe { _ in }
    let error = try #require(try test.errors.wait(forCount: 1).first)
    #expect(error.underlying is Refusal)
    subscription.cancel()
  }

  @Test("A value that can't be decoded is absent for a subscript, and an error for a throwing read")
  func damage() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      txn.dictionary["bad"] = 1
      txn.dictionary["k"] = 1
    }
    try RawDatabase.execute("UPDATE dictionary SET type = 99 WHERE key = 'bad'", on: test.path)
    let other = try test.another()
    let log = EventLog<String>()
    let absent = other.workspace.observe { reader -> String in
      "\(reader.dictionary["bad", Int.self] as Any) \(reader.dictionary["k", default: 0])"
    }.subscribe { log.append($0) }
    let codes = EventLog<WorkspaceError.Code?>()
    let thrown = other.workspace.observe { try $0.dictionary.value(forKey: "bad", as: Int.self) }.subscribe { error in
      codes.append((error as? WorkspaceError)?.code)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    #expect(codes.events == [.undecodable])
    #expect(try other.errors.wait(forCount: 1).first?.code == .undecodable)
    try other.commit(2)
    #expect(log.events == ["nil 1", "nil 2"])
    for subscription in [absent, thrown] { subscription.cancel() }
  }

  @Test("A failure to read the file is an error, even if the closure takes the value for absent")
  func unreadable() throws {
    let text = String(repeating: "x", count: 100_000)
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary["text"] = text }
    test.workspace.shutdown()
    let other = try test.another { $0.vfs = FaultPlan.vfsName }
    let codes = EventLog<WorkspaceError.Code?>()
    let observation = other.workspace.observe { $0.dictionary["text", String.self] == nil }
    let plan = try FaultPlan(.read, in: test.directory.path, fail: .from(1))
    let subscription = observation.subscribe { error in
      codes.append((error as? WorkspaceError)?.code)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    plan.cancel()
    #expect(codes.events == [.inputOutput])
    // The file can be read again.
    let log = EventLog<Bool>()
    let second = observation.subscribe { log.append($0) }
    #expect(log.events == [false])
    for subscription in [subscription, second] { subscription.cancel() }
  }
}
