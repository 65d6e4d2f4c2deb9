import Foundation
import Synchronization

/// The faults that are still to be judged, shared by the runs that judge them.
final class Work: Sendable {
  private struct State {
    var results: Results
    var rest: ArraySlice<(key: Int, value: Mutation)>
    var started: [Mutation: ContinuousClock.Instant] = [:]
    var failure: (any Error)?
  }

  private let state: Mutex<State>

  init(results: Results, rest: [(key: Int, value: Mutation)]) {
    state = Mutex(State(results: results, rest: rest[...]))
  }

  func next() -> (number: Int, mutation: Mutation)? {
    state.withLock { state in
      guard state.failure == nil, let next = state.rest.popFirst() else { return nil }
      state.started[next.value] = .now
      return (next.key, next.value)
    }
  }

  func note(_ mutation: Mutation, _ outcome: Result<TestRun.Verdict, any Error>) {
    state.withLock { state in
      do {
        let verdict = try outcome.get()
        let time = ContinuousClock.now - (state.started.removeValue(forKey: mutation) ?? .now)
        try state.results.append(.init(mutation: mutation, verdict: verdict, seconds: time / .seconds(1)))
        print(
          "\(verdict.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)) \(mutation.file):\(mutation.line)  "
            + mutation.title.suffix(100))
      } catch { state.failure = state.failure ?? error }
    }
  }

  func finish() throws -> Results {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.results
    }
  }
}
