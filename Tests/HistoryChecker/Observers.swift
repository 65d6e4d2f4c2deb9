/// Checks that observers received each version of a key that a transaction left: in order, once, and before the
/// completion of that transaction.
struct Observers {
  let found = AnomalyList()
  private let versions: Versions

  private struct Stream: Hashable {
    var observer: Int
    var process: Int
    var key: Int32
  }

  init(_ versions: Versions) {
    self.versions = versions
    var last: [Stream: History.Stored] = [:]
    for (about, state) in versions.history.observations {
      let stream = Stream(observer: about.observer, process: about.process, key: state.key)
      check(state, about)
      if let before = last[stream] { check(state, after: before, about) }
      last[stream] = state
    }
  }

  /// Returns the value whose write led to the state, or nil if the key was never written.
  private func newest(_ state: History.Stored) -> Int32? {
    if state.kind == .readList { return versions.history.list(state).last }
    return state.value == History.initialValue ? nil : state.value
  }

  private mutating func check(_ state: History.Stored, _ about: History.Observation) {
    guard let value = newest(state) else { return }
    guard versions.isWritten(value, to: state.key) else { return note(.observerDirty, state, about) }
    let write = versions.write(of: value)
    let writer = versions.history.transactions[Int(write.transaction)]
    if !write.isFinal || writer.outcome == .aborted { note(.observerDirty, state, about) }
    if Int(writer.process) == about.process, writer.completed < about.time { note(.observerLate, state, about) }
  }

  private mutating func check(_ state: History.Stored, after before: History.Stored, _ about: History.Observation) {
    guard let value = newest(state), value != newest(before) else { return note(.observerOrder, state, about) }
    let position = versions.positions[Int(value)]
    let earlier = newest(before).map { versions.positions[Int($0)] } ?? -1
    let isPlaced = position >= 0 && (earlier >= 0 || newest(before) == nil)
    if isPlaced && position <= earlier { return note(.observerOrder, state, about) }
    if state.kind == .readRegister {
      let predecessor = versions.predecessors[Int(value)]
      if predecessor >= 0 && predecessor != before.value { note(.observerGap, state, about) }
      return
    }
    // Only elements of the transaction that wrote this one may be between the two.
    let writer = versions.write(of: value).transaction
    let between = versions.history.list(state).dropFirst(Int(earlier) + 1)
    if isPlaced, between.contains(where: { versions.write(of: $0).transaction != writer }) {
      note(.observerGap, state, about)
    }
  }

  private func note(_ kind: Anomaly.Kind, _ state: History.Stored, _ about: History.Observation) {
    found.note(kind, [], in: versions.history) {
      "observer \(about.observer) of process \(about.process) was told at \(about.time): "
        + versions.history.describe(state)
    }
  }
}
