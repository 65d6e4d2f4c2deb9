import Foundation
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

  /// Returns a workspace that has read the key "k" of its file, which is gone.
  private func readerOfALostFile() throws -> TestWorkspace {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    let reading = try test.another {
      $0.isReadOnly = true
      $0.followsOtherProcesses = false
    }
    #expect(reading.dictionary["k"] == 1)
    test.workspace.shutdown(flags: .truncate)
    try FileManager.default.removeItem(atPath: test.path)
    reading.core.readers.dropIdle()
    return reading
  }

  @Test("A file that was read and is gone is an error, not an empty file") func gone() throws {
    let reading = try readerOfALostFile()
    let codes = EventLog<WorkspaceError.Code?>()
    let subscription = reading.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { error in
      codes.append((error as? WorkspaceError)?.code)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    #expect(codes.events == [.noSuchFile])
    subscription.cancel()
  }

  @Test("An observer of a key that can't be loaded, as the file is gone, gets no value, and the error is reported")
  func goneForKeys() throws {
    let reading = try readerOfALostFile()
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
