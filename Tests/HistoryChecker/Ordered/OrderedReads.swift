/// Judges reads without a turn: a state between two transactions has to explain all of them.
struct OrderedReads {
  private let chains: OrderedChains
  private let history: OrderedHistory
  /// Live transactions in the order of their completions, with the highest position of any of them so far.
  private var ends: [(time: UInt64, position: Int)] = []
  private var endsOfProcess: [Int: [(time: UInt64, position: Int)]] = [:]
  /// Plain reads that are over, with the lowest position that they can have shown, by process and thread.
  private var plainReads: [Int: [Int: [(time: UInt64, position: Int)]]] = [:]

  /// Adds the anomalies to those of the judge.
  static func check(_ judge: inout OrderedJudge) {
    var reads = OrderedReads(&judge)
    for step in judge.history.steps.sorted(by: { $0.invoked < $1.invoked }) where step.turn == nil && !step.isSwap {
      guard step.outcome == .committed || step.kind != .transaction, !step.operations.isEmpty else { continue }
      if step.kind == .plain {
        for operation in step.operations { reads.check([operation], step, &judge) }
      } else {
        reads.check(step.operations, step, &judge)
      }
    }
  }

  private init(_ judge: inout OrderedJudge) {
    chains = OrderedChains(&judge)
    history = judge.history
    for (place, index) in judge.live.enumerated() {
      let step = judge.acts[index].step
      guard step.completed != OrderedHistory.never else { continue }
      ends.append((step.completed, place + 1))
      endsOfProcess[step.process, default: []].append((step.completed, place + 1))
    }
    ends = Self.highest(ends)
    endsOfProcess = endsOfProcess.mapValues(Self.highest)
  }

  private static func highest(_ all: [(time: UInt64, position: Int)]) -> [(time: UInt64, position: Int)] {
    var position = 0
    return all.sorted { $0.time < $1.time }.map {
      position = max(position, $0.position)
      return ($0.time, position)
    }
  }

  /// Returns the highest position of the steps that were over before a time.
  private static func floor(_ all: [(time: UInt64, position: Int)]?, before time: UInt64) -> Int {
    guard let all else { return 0 }
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].time < time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? 0 : all[low - 1].position
  }

  private mutating func check(
    _ operations: [OrderedHistory.Operation], _ step: OrderedHistory.Step, _ judge: inout OrderedJudge
  ) {
    if let words = defect(of: operations, step, &judge) { return judge.note(words.0, at: step.invoked, words.1) }
    guard let ranges = chains.ranges(of: operations, step, &judge) else { return }
    var least = step.kind == .plain ? 0 : Self.floor(ends, before: step.invoked)
    if step.kind == .plain {
      least = Self.floor(endsOfProcess[step.process], before: step.invoked)
      for thread in plainReads[step.process, default: [:]].values {
        least = max(least, Self.floor(thread, before: step.invoked))
      }
    }
    var (low, high) = (0, judge.live.count)
    while low < high {
      let middle = (low + high) / 2
      if judge.acts[judge.live[middle]].turn < step.completed { low = middle + 1 } else { high = middle }
    }
    let most = max(low, least)
    if let position = firstPosition(least...most, operations, ranges, step, judge) {
      guard step.kind == .plain else { return }
      let last = plainReads[step.process]?[step.thread]?.last?.position ?? 0
      plainReads[step.process, default: [:]][step.thread, default: []].append((step.completed, max(last, position)))
      return
    }
    explain(operations, ranges, step, least, most, &judge)
  }

  private func defect(
    of operations: [OrderedHistory.Operation], _ step: OrderedHistory.Step, _ judge: inout OrderedJudge
  ) -> (OrderedAnomaly.Kind, String)? {
    for operation in operations {
      var found: [OrderedHistory.Found] = []
      switch operation {
      case .read(let key, let value): found = [.init(key, value)]
      case .find(_, let all): found = all
      default: break
      }
      for one in found where !history.isApart(one.key) {
        guard let kind = judge.defect(of: one.value) else { continue }
        return (kind, "k\(one.key) is \(one.value)\n    \(history.describe(step))")
      }
    }
    return nil
  }

  /// Returns the first of these positions whose state explains the results of the operations.
  private func firstPosition(
    _ positions: ClosedRange<Int>, _ operations: [OrderedHistory.Operation], _ ranges: [Int: OrderedChains.Range],
    _ step: OrderedHistory.Step, _ judge: OrderedJudge
  ) -> Int? {
    // Only positions that have the values that were read: few are left to try.
    var (least, most) = (positions.lowerBound, positions.upperBound)
    for operation in operations {
      switch operation {
      case .read(let key, let value): narrow(&least, &most, key, value, judge)
      case .find(_, let found): for one in found { narrow(&least, &most, one.key, one.value, judge) }
      default: break
      }
    }
    guard least <= most else { return nil }
    return (least...most).first { position in
      guard chains.allow(ranges, at: position, step) else { return false }
      let state = OrderedState(history: history) { judge.timeline.version(of: $0, at: position) }
      return operations.allSatisfy(state.agrees)
    }
  }

  private func narrow(_ least: inout Int, _ most: inout Int, _ key: Int, _ value: Int, _ judge: OrderedJudge) {
    guard value != 0, !history.isApart(key), let writer = judge.writers[value] else { return }
    let position = judge.acts[writer.act].position + 1
    guard let place = judge.timeline.place(of: key, at: position), let versions = judge.timeline.versions[key] else {
      return
    }
    least = max(least, position)
    if place + 1 < versions.count { most = min(most, versions[place + 1].position - 1) }
  }

  private func explain(
    _ operations: [OrderedHistory.Operation], _ ranges: [Int: OrderedChains.Range], _ step: OrderedHistory.Step,
    _ least: Int, _ most: Int, _ judge: inout OrderedJudge
  ) {
    let words = "between \(least) and \(most) of \(judge.live.count) transactions\n    \(history.describe(step))"
    if least > 0, let position = firstPosition(0...least - 1, operations, ranges, step, judge) {
      let missed = judge.live[position..<least].map { judge.acts[$0].step }
      let lost = missed.first { history.killed[$0.process].map { $0 < step.invoked } ?? false }
      let missing = (lost ?? missed.last).map { history.describe($0) } ?? ""
      judge.note(
        lost == nil ? .staleRead : .lostCommit, at: step.invoked, "it shows \(position), \(words)\n    \(missing)")
    } else if most < judge.live.count,
      let position = firstPosition(most + 1...judge.live.count, operations, ranges, step, judge)
    {
      judge.note(.futureRead, at: step.invoked, "it shows \(position), \(words)")
    } else {
      var states = ""
      for position in Set([least, most]).sorted() {
        let state = OrderedState(history: history) { [timeline = judge.timeline] in
          timeline.version(of: $0, at: position)
        }
        for operation in operations where !state.agrees(with: operation) {
          states += "\n    not at \(position): \(OrderedHistory.describe(operation))"
        }
      }
      judge.note(.fracturedRead, at: step.invoked, words + states)
    }
  }
}
