import DflatKV
import TestSupport
import Testing

/// Records the changes that one workspace's observer of a namespace gets, in commit order.
final class History: Sendable {
  struct Change: Equatable, Sendable {
    var commitNumber: UInt64
    var key: String
    var value: Int?
  }

  private let log = EventLog<Change>()
  private let subscription: WorkspaceSubscription

  init(of dictionary: WorkspaceDictionary) {
    let log = log
    subscription = dictionary.subscribe(withPrefix: "") { change in
      do {
        log.append(
          Change(commitNumber: change.commitNumber, key: change.key, value: try change.value(as: Int.self)))
      } catch { Issue.record(error) }
    }
  }

  var changes: [Change] { log.events }

  /// Returns the successive values of a key, beginning with nil.
  func values(of key: String) -> [Int?] {
    var values: [Int?] = [nil]
    for change in changes where change.key == key && change.value != values.last! { values.append(change.value) }
    return values
  }

  /// Calls `body` with each commit's number and the state after it.
  func forEachState(_ body: (UInt64, [String: Int]) -> Void) {
    let changes = changes
    var state: [String: Int] = [:]
    for (index, change) in changes.enumerated() {
      state[change.key] = change.value
      let isLast = index + 1 == changes.count || changes[index + 1].commitNumber != change.commitNumber
      if isLast { body(change.commitNumber, state) }
    }
  }
}

/// Records the values that one observer of a key gets.
final class Watch: Sendable {
  let key: String
  private let log = EventLog<SubscribedDictionaryValue<Int>>()
  private let subscription: WorkspaceSubscription

  init(_ key: String, in dictionary: WorkspaceDictionary) {
    self.key = key
    let log = log
    subscription = dictionary.subscribe(key, of: Int.self) { log.append($0) }
  }

  func cancel() { subscription.cancel() }

  /// A4: The observer has seen a part of the key's history without a gap, up to its end unless it was cancelled.
  func check(against history: [Int?], isToTheEnd: Bool) {
    let events = log.events
    guard case .initial(let first)? = events.first else {
      Issue.record("An observer of \(key) got no initial value but \(events)")
      return
    }
    var seen = [first]
    for event in events.dropFirst() {
      switch event {
      case .initial: Issue.record("An observer of \(key) got a second initial value")
      case .updated(let value): seen.append(value)
      case .deleted, .expired: seen.append(nil)
      }
    }
    let starts = history.indices.filter { history[$0...].starts(with: seen) }
    let isRight = isToTheEnd ? starts.contains { $0 + seen.count == history.count } : !starts.isEmpty
    #expect(isRight, "An observer of \(key) saw \(seen), and the history is \(history)")
  }
}
