import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Observations of closures whose file can't be read for a while, or is gone.
@Suite(.timeLimit(.minutes(15))) struct ObservationFileErrorTests {
  @Test("A7: A locked file is reported, and the next commit runs the closure again") func locked() throws {
    let test = try TestWorkspace {
      $0.vfs = FaultPlan.vfsName
      $0.busyTimeout = .milliseconds(10)
      $0.followsOtherProcesses = false
    }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    let log = EventLog<Int>()
    let observation = test.workspace.observe { $0.dictionary["k", default: 0] }
    let subscription = observation.subscribe { error in
      Issue.record(error)
    } changeHandler: {
      log.append($0)
    }
    // The next run needs a new connection.
    test.core.readers.dropIdle()
    let plan = try FaultPlan(.open, on: .main, in: test.directory.path, fail: .from(1), with: .busy)
    try test.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.busy])
    // The first run of another subscription has no value to go on with.
    let codes = EventLog<WorkspaceError.Code?>()
    let second = observation.subscribe { error in
      codes.append((error as? WorkspaceError)?.code)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    #expect(codes.events == [.busy])
    plan.cancel()
    #expect(log.events == [1])
    try test.workspace.transactAndWait { $0.dictionary["k"] = 3 }
    try test.settle()
    #expect(log.events == [1, 3])
    for subscription in [subscription, second] { subscription.cancel() }
  }

  @Test("A file that was read and is gone is an error, not an empty file", arguments: LostFile.Trace.allCases)
  func gone(trace: LostFile.Trace) throws {
    let reading = try LostFile.reader(leaving: trace)
    let codes = EventLog<WorkspaceError.Code?>()
    let subscription = reading.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { error in
      codes.append((error as? WorkspaceError)?.code)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    #expect(codes.events == [.noSuchFile])
    subscription.cancel()
  }

  @Test(
    "An observer of a key that can't be loaded, as the file is gone, gets no value, and the error is reported",
    arguments: LostFile.Trace.allCases)
  func goneForKeys(trace: LostFile.Trace) throws {
    let reading = try LostFile.reader(leaving: trace)
    let log = EventLog<DictionaryChange>()
    reading.dictionary.subscribe("other") { log.append($0) }.cancel()
    #expect(log.events.map(\.value) == [nil])
    #expect(try reading.errors.wait(forCount: 1).map(\.code) == [.noSuchFile])
    let failure = #expect(throws: WorkspaceError.self) {
      try reading.dictionary.value(forKey: "third", as: Int.self)
    }
    #expect(failure?.code == .noSuchFile)
  }
}
