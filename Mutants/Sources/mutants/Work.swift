import Foundation
import Synchronization

/// The mutations that still need a verdict, shared by the workers.
///
/// A mutation whose fast tests pass returns to the end of the queue with its remaining tests, so that mutations that
/// fast tests notice are decided early.
final class Work: Sendable {
  struct Item {
    let number: Int
    let mutation: Mutation
    var plan: [Reach.Test]?
    var seconds = 0.0
  }

  private struct State {
    var results: Results
    var first: [Item]
    var later: [Item] = []
    var failure: (any Error)?
  }

  private let state: Mutex<State>

  init(results: Results, rest: [Int: Mutation]) {
    let items = rest.sorted { $0.key < $1.key }.map { Item(number: $0.key, mutation: $0.value) }
    state = Mutex(State(results: results, first: items.reversed()))
  }

  func next() -> Item? {
    state.withLock { state in
      guard state.failure == nil else { return nil }
      if let item = state.first.popLast() { return item }
      return state.later.isEmpty ? nil : state.later.removeFirst()
    }
  }

  func putBack(_ item: Item) {
    state.withLock { $0.later.append(item) }
    Shell.say("open      \(item.mutation.name): \(item.plan?.count ?? 0) slower tests left")
  }

  func note(_ item: Item, _ verdict: Judge.Verdict, test: String?) {
    state.withLock { state in
      do {
        try state.results.append(.init(mutation: item.mutation, verdict: verdict, test: test, seconds: item.seconds))
      } catch { state.failure = state.failure ?? error }
      let verdict = verdict.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)
      let seconds = String(format: "%5.1f s", item.seconds)
      Shell.say("\(verdict) \(seconds) #\(item.number) \(item.mutation.line) \(item.mutation.name)")
    }
  }

  func fail(_ error: any Error) { state.withLock { $0.failure = $0.failure ?? error } }

  func finish() throws -> Results {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.results
    }
  }
}
