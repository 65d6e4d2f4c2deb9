/// Judges swaps on their own: each takes the value that the one before it left, so their order follows from the values.
struct OrderedSwaps {
  private let history: OrderedHistory
  /// The swaps that took effect, by the values that they wrote.
  private var swaps: [Int: OrderedHistory.Step] = [:]
  /// The values of each key in order: that before the first swap, then the one that each swap left.
  private var values: [Int: [Int]] = [:]
  private var places: [Int: Int] = [:]
  /// Swaps in the order of their completions, with the highest index of any so far, by key, and by process and key.
  private var ends: [[Int]: [(time: UInt64, place: Int)]] = [:]

  static func check(_ judge: inout OrderedJudge) {
    let swaps = OrderedSwaps(&judge)
    swaps.checkReads(&judge)
  }

  private static func parts(_ step: OrderedHistory.Step) -> (key: Int, old: Int, new: Int)? {
    guard case .read(let key, let old)? = step.operations.first, case .write(_, let new, _)? = step.operations.last
    else { return nil }
    return (key, old, new)
  }

  private init(_ judge: inout OrderedJudge) {
    history = judge.history
    let seen = Self.seenValues(judge)
    var successors: [[Int]: Int] = [:]
    for step in history.steps where step.isSwap && step.outcome != .aborted {
      guard let (key, old, new) = Self.parts(step), step.outcome == .committed || seen.contains(new) else { continue }
      swaps[new] = step
      if let other = successors.updateValue(new, forKey: [key, old]), let first = swaps[other] {
        judge.note(
          .lostUpdate, at: step.invoked,
          "two swaps of one value\n    \(history.describe(first))\n    \(history.describe(step))")
      }
    }
    for key in history.swappedKeys {
      var all = [0]
      while let next = successors[[key, all[all.count - 1]]], all.count <= swaps.count {
        places[next] = all.count
        all.append(next)
      }
      values[key] = all
    }
    noteEnds()
  }

  /// Returns the swapped values that somebody saw in the file. A process that was killed may have seen its own open
  /// group alone, which is lost with it, so its reads count only if they took effect themselves.
  private static func seenValues(_ judge: OrderedJudge) -> Set<Int> {
    let history = judge.history
    var seen: Set<Int> = []
    func see(_ step: OrderedHistory.Step) {
      for operation in step.operations {
        switch operation {
        case .read(let key, let value) where history.swappedKeys.contains(key): seen.insert(value)
        case .find(_, let found):
          for one in found where history.swappedKeys.contains(one.key) { seen.insert(one.value) }
        default: break
        }
      }
    }
    for act in judge.acts where act.isLive { see(act.step) }
    for step in history.steps where step.turn == nil && step.outcome == .committed { see(step) }
    // A swap that was seen took effect, and so did the swap that left its old value.
    let unknown = history.steps.filter { $0.isSwap && $0.outcome == .unknown }.compactMap(parts)
    while let next = unknown.first(where: { seen.contains($0.new) && !seen.contains($0.old) }) { seen.insert(next.old) }
    return seen
  }

  private mutating func noteEnds() {
    for (value, step) in swaps.sorted(by: { $0.value.completed < $1.value.completed }) {
      guard let (key, _, _) = Self.parts(step), let place = places[value], step.completed != OrderedHistory.never else {
        continue
      }
      for index in [[key], [step.process, key]] {
        let highest = max(place, ends[index]?.last?.place ?? 0)
        ends[index, default: []].append((step.completed, highest))
      }
    }
  }

  private func checkReads(_ judge: inout OrderedJudge) {
    // The index of the value that transactions saw last, by key.
    var seen: [Int: Int] = [:]
    for act in judge.acts where act.step.outcome == .committed {
      for read in reads(of: act.step) {
        guard let place = check(read, act.step, &judge) else { continue }
        if place < seen[read.key] ?? 0 {
          judge.note(.staleRead, at: act.turn, "k\(read.key) is \(read.value)\n    \(history.describe(act.step))")
        }
        seen[read.key] = place
      }
    }
    for step in history.steps where step.turn == nil && !step.isSwap && step.outcome == .committed {
      for read in reads(of: step) { _ = check(read, step, &judge) }
    }
  }

  private func reads(of step: OrderedHistory.Step) -> [OrderedHistory.Found] {
    step.operations.flatMap { operation -> [OrderedHistory.Found] in
      switch operation {
      case .read(let key, let value) where history.swappedKeys.contains(key): return [.init(key, value)]
      case .find(let selection, let found):
        return history.swappedKeys.filter(selection.keys.contains).map { key in
          found.first { $0.key == key } ?? .init(key, 0)
        }
      default: return []
      }
    }
  }

  /// Returns the index of the value that was read. Notes an anomaly if the value can't have been read then, and returns
  /// nil if no swap left it or if it is stale.
  private func check(
    _ read: OrderedHistory.Found, _ step: OrderedHistory.Step, _ judge: inout OrderedJudge
  ) -> Int? {
    let time = step.turn ?? step.invoked
    func note(_ kind: OrderedAnomaly.Kind) {
      judge.note(kind, at: time, "k\(read.key) is \(read.value)\n    \(history.describe(step))")
    }
    guard let place = read.value == 0 ? 0 : places[read.value] else {
      note(.garbageRead)
      return nil
    }
    if let swap = swaps[read.value], swap.invoked > step.completed { note(.futureRead) }
    // A plain read may not show other processes' swaps yet.
    let ends = ends[step.kind == .plain ? [step.process, read.key] : [read.key]] ?? []
    if let last = ends.last(where: { $0.time < step.invoked }), last.place > place {
      note(.staleRead)
      return nil
    }
    return place
  }
}
