/// Replays the transactions in the order of their turns, and judges each read by the state that it must have seen.
struct OrderedJudge {
  /// A transaction with a turn.
  struct Act {
    var step: OrderedHistory.Step
    var turn: UInt64
    /// True if it took effect: its commit was reported, or one of its values was seen.
    var isLive: Bool
    /// The number of transactions that took effect before it.
    var position = 0
  }

  struct Writer {
    var act: Int
    var isFinal: Bool
  }

  let history: OrderedHistory
  private(set) var acts: [Act]
  /// The numbers of the live acts, in order. Position `index + 1` shows the effect of the act at `index`.
  private(set) var live: [Int] = []
  private(set) var writers: [Int: Writer] = [:]
  private(set) var timeline = OrderedTimeline()
  var found: [OrderedAnomaly] = []

  init(_ history: OrderedHistory) {
    self.history = history
    acts = history.steps.compactMap { step in
      step.turn.map { Act(step: step, turn: $0, isLive: step.outcome == .committed) }
    }
    acts.sort { $0.turn < $1.turn }
    noteWriters()
    findLive()
    replay()
    checkLanes()
  }

  mutating func note(_ kind: OrderedAnomaly.Kind, at time: UInt64, _ words: String) {
    if found.count < 200 { found.append(OrderedAnomaly(kind: kind, words: words, time: time)) }
  }

  private mutating func note(_ kind: OrderedAnomaly.Kind, _ step: OrderedHistory.Step, _ words: String) {
    note(kind, at: step.turn ?? step.invoked, "\(words)\n    \(history.describe(step))")
  }

  func isReadBeforeWritten(_ key: Int) -> Bool { history.readBeforeWritten.contains { $0.contains(key) } }

  // MARK: Writers and effective transactions

  private mutating func noteWriters() {
    for (index, act) in acts.enumerated() {
      var newest: [Int: Int] = [:]
      for case .write(let key, let value, _) in act.step.operations {
        if value == 0 || writers[value] != nil {
          note(.malformed, act.step, "\(value) is written twice")
        }
        if let older = newest[key] { writers[older]?.isFinal = false }
        newest[key] = value
        writers[value] = Writer(act: index, isFinal: true)
      }
      if act.turn < act.step.invoked || act.turn > act.step.completed {
        note(.malformed, act.step, "its turn is outside of its call")
      }
    }
  }

  /// A transaction with an unknown outcome took effect if it was seen. The readers of an open group die with its
  /// process: a transaction that only they saw did not take effect.
  private mutating func findLive() {
    var seen: Set<Int> = []
    func see(_ operations: [OrderedHistory.Operation], _ seen: inout Set<Int>, butOf process: Int? = nil) {
      for operation in operations {
        let found: [OrderedHistory.Found]
        switch operation {
        case .read(let key, let value): found = [.init(key, value)]
        case .find(_, let all): found = all
        default: continue
        }
        for one in found where !history.isApart(one.key) {
          if let process, let writer = writers[one.value], acts[writer.act].step.process == process { continue }
          seen.insert(one.value)
        }
      }
    }
    for step in history.steps {
      see(step.operations, &seen, butOf: step.outcome == .committed ? nil : step.process)
    }
    for observation in history.observations {
      switch observation.content {
      case .initial(let key, let value), .key(let key, let value): see([.read(key: key, value: value)], &seen)
      case .result(let selection, let found): see([.find(selection, found)], &seen)
      }
    }
    /// The earliest effective transaction found so far, by process.
    var survivors: [Int: Int] = [:]
    for index in acts.indices.reversed() where acts[index].step.outcome == .unknown {
      let step = acts[index].step
      var isSeen = false
      var canBeSeen = false
      for case .write(let key, let value, _) in step.operations {
        isSeen = isSeen || seen.contains(value)
        canBeSeen = canBeSeen || isReadBeforeWritten(key)
      }
      guard isSeen else {
        if canBeSeen, let survivor = survivors[step.process] {
          note(.notAPrefix, step, "it is lost, and this one is not: \(history.describe(acts[survivor].step))")
        }
        continue
      }
      acts[index].isLive = true
      survivors[step.process] = index
      see(step.operations, &seen)
    }
  }

  // MARK: The replay

  private mutating func replay() {
    /// Processes that died with an open group. Only the group's own members know the values that they read of it.
    var dying: Set<Int> = []
    for index in acts.indices {
      acts[index].position = live.count
      let act = acts[index]
      let isDead = act.step.outcome == .unknown && !act.isLive
      if isDead { dying.insert(act.step.process) }
      let isJudged = act.step.outcome == .committed || !dying.contains(act.step.process)
      let own = replay(act, isJudged: isJudged && !isDead)
      guard act.isLive else { continue }
      live.append(index)
      for (key, version) in own where version.value != timeline.newest(key).value {
        timeline.append(version, to: key)
      }
    }
  }

  /// Replays a transaction, and returns the versions that it leaves.
  private mutating func replay(_ act: Act, isJudged: Bool) -> [Int: OrderedTimeline.Version] {
    var own: [Int: OrderedTimeline.Version] = [:]
    let position = live.count + 1
    for operation in act.step.operations {
      switch operation {
      case .write(let key, let value, let attribute):
        own[key] = .init(position: position, value: value, attribute: attribute)
      case .remove(let selection):
        for key in selection.keys {
          let version = own[key] ?? timeline.newest(key)
          if version.value != 0, selection.attributes.contains(version.attribute) {
            own[key] = .init(position: position, value: 0, attribute: 0)
          }
        }
      default:
        guard isJudged else { continue }
        let state = OrderedState(history: history) { [timeline] in own[$0] ?? timeline.newest($0) }
        if !state.agrees(with: operation) { explain(operation, state, act, own) }
      }
    }
    return own
  }

  private mutating func explain(
    _ operation: OrderedHistory.Operation, _ state: OrderedState, _ act: Act, _ own: [Int: OrderedTimeline.Version]
  ) {
    let words = OrderedHistory.describe(operation)
    switch operation {
    case .read(let key, let value): explain(key, value, state, act, own)
    case .find(let selection, let found):
      let expected = state.found(selection)
      if expected.map(\.key) != found.map(\.key) {
        note(.phantom, act.step, "\(words), where there is \(OrderedHistory.text(expected))")
      }
      for one in found where state.version(one.key).value != one.value { explain(one.key, one.value, state, act, own) }
    case .names(let selection, _), .count(let selection, _):
      note(.phantom, act.step, "\(words), where there is \(OrderedHistory.text(state.found(selection)))")
    default: break
    }
  }

  private mutating func explain(
    _ key: Int, _ value: Int, _ state: OrderedState, _ act: Act, _ own: [Int: OrderedTimeline.Version]
  ) {
    guard !history.isApart(key) else { return }
    let expected = state.version(key).value
    let words = "k\(key) is \(value), where it is \(expected)"
    let writesIt = act.step.operations.contains {
      if case .write(key, _, _) = $0 { true } else { false }
    }
    if let kind = defect(of: value, to: act) { return note(kind, act.step, words) }
    if own[key] != nil { return note(.ownWrites, act.step, words) }
    if let writer = writers[value], acts[writer.act].turn > act.turn { return note(.futureRead, act.step, words) }
    if let lost = writers[expected].map({ acts[$0.act] }), lost.step.outcome == .committed,
      let death = history.killed[lost.step.process], death < act.step.invoked
    {
      return note(.lostCommit, act.step, "\(words)\n    \(history.describe(lost.step))")
    }
    note(writesIt ? .lostUpdate : .staleRead, act.step, words)
  }

  /// Returns the reason why no transaction may read a value; nil if one may.
  func defect(of value: Int, to act: Act? = nil) -> OrderedAnomaly.Kind? {
    guard value != 0 else { return nil }
    guard let writer = writers[value] else { return .garbageRead }
    if let act, acts[writer.act].turn == act.turn { return nil }
    if !acts[writer.act].isLive { return .abortedRead }
    return writer.isFinal ? nil : .intermediateRead
  }

  // MARK: Lanes

  /// Transactions of a process that share a lane have to take effect in order: first the one whose call had returned
  /// before the call of the other.
  private mutating func checkLanes() {
    var lanes: [[Int]: [Int]] = [:]
    for (index, act) in acts.enumerated() where act.isLive {
      for lane in 0..<32 where act.step.lanes & (1 << UInt32(lane)) != 0 {
        lanes[[act.step.process, lane], default: []].append(index)
      }
    }
    for members in lanes.values {
      let byReturn = members.filter { acts[$0].step.queued != OrderedHistory.never }
        .sorted { acts[$0].step.queued < acts[$1].step.queued }
      var next = 0
      var last: Int?
      for index in members.sorted(by: { acts[$0].step.invoked < acts[$1].step.invoked }) {
        while next < byReturn.count, acts[byReturn[next]].step.queued < acts[index].step.invoked {
          if last == nil || byReturn[next] > last! { last = byReturn[next] }
          next += 1
        }
        if let last, last > index {
          note(.laneOrder, acts[index].step, "it came before this one: \(history.describe(acts[last].step))")
        }
      }
    }
  }
}
