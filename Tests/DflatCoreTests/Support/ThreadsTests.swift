import Dispatch
import Synchronization
import Testing

@testable import DflatCore

@Suite struct ThreadsTests {
  /// The number of threads that give out work at once: more than one, so that some threads sleep while another spins.
  static let callers = 3
  static let rounds = 5_000

  @Test("Work that follows other work closely runs exactly once, whether its thread spins, sleeps or is new")
  func closeWork() {
    let runs = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: Self.callers) { _ in
      for round in 0..<Self.rounds {
        let done = DispatchSemaphore(value: 0)
        Threads.run {
          runs.add(1, ordering: .relaxed)
          done.signal()
        }
        done.wait()
        // Now and then, leave time for a spinning thread to fall asleep.
        if round % 500 == 0 { Threads.sleep(microseconds: 200) }
      }
    }
    #expect(runs.load(ordering: .relaxed) == Self.callers * Self.rounds)
  }

  @Test("Work that is given out before earlier work has ended runs at once, on another thread")
  func overlappingWork() {
    let started = DispatchSemaphore(value: 0)
    let ends = (0..<Self.callers).map { _ in DispatchSemaphore(value: 0) }
    for end in ends {
      Threads.run {
        started.signal()
        end.wait()
      }
      started.wait()
    }
    for end in ends { end.signal() }
  }
}
