/// The number of plain writes of each chain that had been committed, as the reads show it.
struct OrderedChains {
  /// The possible numbers of writes that a read saw.
  typealias Range = ClosedRange<Int>

  /// The writes of one chain that transactions saw, in the order of the transactions.
  private struct Seen {
    var positions: [Int] = []
    /// The largest lower bound of any transaction up to this one.
    var least: [Int] = []
    var ranges: [Range] = []
    /// The smallest upper bound of any transaction from this one on.
    var most: [Int] = []
  }

  private let history: OrderedHistory
  private var seen: [Int: Seen] = [:]

  init(_ judge: inout OrderedJudge) {
    history = judge.history
    for act in judge.acts where act.isLive || act.step.outcome == .aborted {
      guard var ranges = ranges(of: act.step.operations, act.step, &judge) else { continue }
      // An aborted transaction may have read writes of its group that were undone with it.
      guard act.isLive else { continue }
      // A reader that sees the transaction also sees the plain writes that its process made before the call (A5), even
      // if the transaction didn't read them.
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

  /// Returns the numbers of writes of each chain that operations on one state show. Notes an anomaly and returns nil if
  /// they contradict each other or the times.
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

  /// Returns the number of the first write of a key.
  private func first(_ key: Int) -> Int { history.chain(of: key)?.isOdd == true ? 1 : 2 }

  private func range(_ key: Int, _ value: Int) -> Range { value == 0 ? 0...first(key) - 1 : value...value + 1 }

  private func words(_ chain: Int, _ range: Range) -> String { "of chain \(chain) \(range.lowerBound) are there" }

  /// Returns the reason why the times contradict a read of that many writes, or nil if they don't.
  private func contradiction(_ number: Int, _ range: Range, _ step: OrderedHistory.Step) -> String? {
    guard let chain = history.chains[number] else {
      return range.lowerBound > 0 ? "\(words(number, range)), and nobody wrote" : nil
    }
    let begun = Self.count(chain.invoked) { $0 < step.completed }
    if range.lowerBound > begun { return "\(words(number, range)), and \(begun) have begun" }
    // A plain read in another process may not show the writes yet.
    if step.kind == .plain, step.process != chain.process { return nil }
    let synced = Self.count(chain.synced) { $0.time < step.invoked }
    var needed = synced == 0 ? 0 : chain.synced[synced - 1].number
    // A transaction sees the writes that threads of its process made before its call. Plain reads see them at once.
    if step.process == chain.process, step.turn != nil || step.kind == .plain {
      needed = max(needed, Self.count(chain.returned) { $0 < step.invoked })
    }
    return range.upperBound < needed ? "\(words(number, range)), and \(needed) must be" : nil
  }

  /// Returns the number of elements at the start that satisfy a condition that the later ones don't.
  private static func count<T>(_ all: [T], _ condition: (T) -> Bool) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if condition(all[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns true if a read between transactions agrees with the writes that they saw.
  func allow(_ ranges: [Int: Range], at position: Int, _ step: OrderedHistory.Step) -> Bool {
    for (number, range) in ranges {
      guard let seen = seen[number] else { continue }
      let before = Self.count(seen.positions) { $0 < position }
      if before > 0, range.upperBound < seen.least[before - 1] { return false }
      // In the writing process, plain reads are ahead of the file.
      if step.kind == .plain, history.chains[number]?.process == step.process { continue }
      if before < seen.most.count, range.lowerBound > seen.most[before] { return false }
    }
    return true
  }
}
