/// What reads show of the chains of plain writes: how many of each had been committed.
struct OrderedChains {
  /// How many writes a read may have seen.
  typealias Range = ClosedRange<Int>

  /// What transactions saw of one chain, in their order.
  private struct Seen {
    var positions: [Int] = []
    /// The most that any of them, up to this one, must have seen.
    var least: [Int] = []
    var ranges: [Range] = []
    /// The least that any of them, from this one on, can have seen.
    var most: [Int] = []
  }

  private let history: OrderedHistory
  private var seen: [Int: Seen] = [:]

  init(_ judge: inout OrderedJudge) {
    history = judge.history
    for act in judge.acts where act.isLive || act.step.outcome == .aborted {
      guard var ranges = ranges(of: act.step.operations, act.step, &judge) else { continue }
      // What is aborted may have read what its group took down with it.
      guard act.isLive else { continue }
      // Whoever sees the transaction sees the plain writes that its process made before it was called (A5), whether the
      // transaction read them or not.
      for (chain, written) in judge.history.chains where written.process == act.step.process {
        let needed = Self.count(written.returned) { $0 < act.step.invoked }
        let range = ranges[chain] ?? 0...Int.max
        ranges[chain] = max(range.lowerBound, min(needed, range.upperBound))...range.upperBound
      }
      for (chain, range) in ranges {
        let least = seen[chain]?.least.last ?? 0
        if range.upperBound < least {
          judge.note(
            .plainOrder, at: act.turn, "\(words(chain, range)) after \(least)\n    \(history.describe(act.step))")
        }
        seen[chain, default: Seen()].positions.append(act.position)
        seen[chain, default: Seen()].least.append(max(least, range.lowerBound))
        seen[chain, default: Seen()].ranges.append(range)
      }
    }
    for chain in seen.keys {
      var most = Int.max
      let ranges = seen[chain]?.ranges ?? []
      var bounds = [Int](repeating: 0, count: ranges.count)
      for index in ranges.indices.reversed() {
        most = min(most, ranges[index].upperBound)
        bounds[index] = most
      }
      seen[chain]?.most = bounds
    }
  }

  /// What operations on one state show of each chain; nil, and noted, if they contradict each other or the times.
  func ranges(
    of operations: [OrderedHistory.Operation], _ step: OrderedHistory.Step, _ judge: inout OrderedJudge
  ) -> [Int: Range]? {
    var ranges: [Int: Range] = [:]
    var isWhole = true
    func take(_ key: Int, _ range: Range) {
      guard let chain = history.chain(of: key)?.number else { return }
      let before = ranges[chain] ?? 0...Int.max
      if before.overlaps(range) { ranges[chain] = before.clamped(to: range) } else { isWhole = false }
    }
    for operation in operations {
      switch operation {
      case .read(let key, let value): take(key, range(key, value))
      case .find(let selection, let found):
        var values: [Int: Int] = [:]
        for one in found { values[one.key] = one.value }
        for key in plainKeys(in: selection) { take(key, range(key, values[key] ?? 0)) }
      case .names(let selection, let keys):
        let names = Set(keys)
        for key in plainKeys(in: selection) {
          take(key, names.contains(key) ? first(key)...Int.max : 0...first(key) - 1)
        }
      case .count, .write, .remove: break
      }
    }
    let time = step.turn ?? step.invoked
    guard isWhole else {
      judge.note(.fracturedRead, at: time, "two keys of one chain\n    \(history.describe(step))")
      return nil
    }
    for (number, range) in ranges {
      guard let words = contradiction(number, range, step) else { continue }
      judge.note(.plainOrder, at: time, "\(words)\n    \(history.describe(step))")
      return nil
    }
    return ranges
  }

  private func plainKeys(in selection: OrderedHistory.Selection) -> [Int] {
    guard selection.keys.overlaps(history.plainKeys) else { return [] }
    return selection.keys.clamped(to: history.plainKeys).filter {
      history.chain(of: $0).map { history.chains[$0.number] != nil } ?? false
    }
  }

  /// The number of the first write of a key.
  private func first(_ key: Int) -> Int { history.chain(of: key)?.isOdd == true ? 1 : 2 }

  private func range(_ key: Int, _ value: Int) -> Range { value == 0 ? 0...first(key) - 1 : value...value + 1 }

  private func words(_ chain: Int, _ range: Range) -> String { "of chain \(chain) \(range.lowerBound) are there" }

  /// What the times say against a read of so many writes.
  private func contradiction(_ number: Int, _ range: Range, _ step: OrderedHistory.Step) -> String? {
    guard let chain = history.chains[number] else {
      return range.lowerBound > 0 ? "\(words(number, range)), and nobody wrote" : nil
    }
    let begun = Self.count(chain.invoked) { $0 < step.completed }
    if range.lowerBound > begun { return "\(words(number, range)), and \(begun) have begun" }
    // A plain read of another process may not know of them yet.
    if step.kind == .plain, step.process != chain.process { return nil }
    let synced = Self.count(chain.synced) { $0.time < step.invoked }
    var needed = synced == 0 ? 0 : chain.synced[synced - 1].number
    // What a thread wrote before a transaction of its process is called, the transaction sees; plain reads see it at once.
    if step.process == chain.process, step.turn != nil || step.kind == .plain {
      needed = max(needed, Self.count(chain.returned) { $0 < step.invoked })
    }
    return range.upperBound < needed ? "\(words(number, range)), and \(needed) must be" : nil
  }

  /// How many at the beginning satisfy a condition that those behind do not.
  private static func count<T>(_ all: [T], _ condition: (T) -> Bool) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if condition(all[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether a read between transactions agrees with what they saw.
  func allow(_ ranges: [Int: Range], at position: Int, _ step: OrderedHistory.Step) -> Bool {
    for (number, range) in ranges {
      guard let seen = seen[number] else { continue }
      let before = Self.count(seen.positions) { $0 < position }
      if before > 0, range.upperBound < seen.least[before - 1] { return false }
      // Plain reads are ahead of the file in the process that writes.
      if step.kind == .plain, history.chains[number]?.process == step.process { continue }
      if before < seen.most.count, range.lowerBound > seen.most[before] { return false }
    }
    return true
  }
}
