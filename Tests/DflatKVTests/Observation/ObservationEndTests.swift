import DflatCore
import TestSupport
import Testing

@testable import DflatKV

/// The end of observations by cancellation, by their streams, and with the workspace.
@Suite(.timeLimit(.minutes(15))) struct ObservationEndTests {
  struct Refusal: Error {}

  // MARK: Cancellation

  @Test("Cancelling while the closure runs drops its value") func duringRun() throws {
    // delivery:    runs the closure for k = 1 ─ stops            ─ delivers nothing
    // canceller:                                       cancels
    let test = try TestWorkspace()
    let run = ObservedRun(in: test)
    let writer = BackgroundThread { try test.workspace.transactAndWait { $0.dictionary["k"] = 1 } }
    try run.wait()
    run.subscription.cancel()
    run.resume()
    try writer.join()
    try test.settle()
    #expect(run.log.events == [0])
    #expect(test.trackedReads == 0)
  }

  @Test("Releasing a subscription ends the delivery, and releases both closures") func released() throws {
    final class Token: Sendable {}
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    weak var reading: Token?
    weak var handling: Token?
    do {
      let (one, two) = (Token(), Token())
      (reading, handling) = (one, two)
      let subscription = test.workspace.observe { reader -> Int in
        withExtendedLifetime(one) { reader.dictionary["k", default: 0] }
      }.subscribe { value in
        withExtendedLifetime(two) { log.append(value) }
      }
      withExtendedLifetime(subscription) {}
    }
    try test.commit(1)
    #expect(log.events == [0])
    #expect(reading == nil && handling == nil)
    #expect(test.trackedReads == 0)
  }

  @Test("Cancelling in the change handler, twice, and after shutdown is harmless") func repeatedly() throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    let subscription = Lock<WorkspaceSubscription?>(nil)
    let made = test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { value in
      log.append(value)
      if value == 1 { subscription.withLock { $0 }?.cancel() }
    }
    subscription.withLock { $0 = made }
    for number in 1...3 { try test.commit(number) }
    #expect(log.events == [0, 1])
    made.cancel()
    test.workspace.shutdown()
    made.cancel()
    subscription.withLock { $0 = nil }
  }

  // MARK: Streams and the workspace

  @Test("A stream gives the value and its changes, keeps the newest, and ends with the workspace")
  func stream() async throws {
    let test = try TestWorkspace()
    var iterator = test.workspace.observe { $0.dictionary["k", default: 0] }.values().makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    for number in 1...5 { try await test.workspace.transact { $0.dictionary["k"] = number } }
    #expect(try await iterator.next() == 5)
    await test.workspace.shutdown()
    #expect(try await iterator.next() == nil)
  }

  @Test("A stream keeps every value if its buffering policy says so") func unbounded() async throws {
    let test = try TestWorkspace()
    let stream = test.workspace.observe { $0.dictionary["k", default: 0] }.values(bufferingPolicy: .unbounded)
    for number in 1...5 { try await test.workspace.transact { $0.dictionary["k"] = number } }
    await test.workspace.shutdown()
    var values: [Int] = []
    for try await value in stream { values.append(value) }
    #expect(values == [0, 1, 2, 3, 4, 5])
  }

  @Test("A stream throws the error that ends the observation") func failingStream() async throws {
    let test = try TestWorkspace()
    let stream = test.workspace.observe { reader -> Int in
      let value = reader.dictionary["k", default: 0]
      if value == 1 { throw Refusal() }
      return value
    }.values(bufferingPolicy: .unbounded)
    try await test.workspace.transact { $0.dictionary["k"] = 1 }
    var values: [Int] = []
    var failure: (any Error)?
    do { for try await value in stream { values.append(value) } } catch { failure = error }
    #expect(values == [0])
    #expect(failure is Refusal)
  }

  @Test("Ending an iteration ends the observation") func leaving() async throws {
    let test = try TestWorkspace()
    let observation = test.workspace.observe { $0.dictionary["k", default: 0] }
    for try await value in observation.values() where value == 0 { break }
    try test.settle()
    #expect(test.trackedReads == 0)
  }

  @Test("After shutdown nothing is delivered, and streams end at once") func afterShutdown() async throws {
    let test = try TestWorkspace()
    let observation = test.workspace.observe { $0.dictionary["k", default: 0] }
    await test.workspace.shutdown()
    let subscription = observation.subscribe { error in
      Issue.record(error)
    } changeHandler: { _ in
      Issue.record("A value was delivered.")
    }
    for try await value in observation.values() { Issue.record("The stream gave \(value).") }
    subscription.cancel()
  }

  @Test("A subscription doesn't keep the workspace alive") func lifetime() throws {
    let test = try TestWorkspace()
    let ended = Gate("the end of the observation")
    var subscription: WorkspaceSubscription?
    do {
      let workspace = try TestWorkspace.open(test.path)
      subscription = workspace.observe { $0.dictionary["k", default: 0] }.start { error in
        if error == nil { ended.open() }
      } changeHandler: { _ in
      }
    }
    try ended.wait()
    subscription?.cancel()
  }
}
