import HistoryChecker

/// An anomaly that a test puts into an ordered history.
struct OrderedSeed: Sendable, CustomStringConvertible {
  typealias Kind = OrderedAnomaly.Kind

  let description: String
  let kind: Kind
  let plant: @Sendable (inout OrderedSimulator) -> Void

  init(_ description: String, _ kind: Kind, _ plant: @escaping @Sendable (inout OrderedSimulator) -> Void) {
    self.description = description
    self.kind = kind
    self.plant = plant
  }

  private static let posts = OrderedKeys.objects[0]
  private static let urgent = OrderedHistory.Selection(posts, 2...2)

  static let all: [OrderedSeed] = reads + predicates + survival + orders + observers

  // MARK: Reads of single keys

  private static let reads: [OrderedSeed] = [
    OrderedSeed("a value from nowhere", .garbageRead) { history in
      history.record(history.call(), [.read(key: 1, value: 9_999_999)])
    },
    OrderedSeed("a read of an aborted write", .abortedRead) { history in
      let value = history.newValue()
      history.record(history.call(outcome: .aborted), [.write(key: 1, value: value, attribute: 0)])
      history.record(history.call(), [.read(key: 1, value: value)])
    },
    OrderedSeed("a snapshot that shows an aborted write", .abortedRead) { history in
      let value = history.newValue()
      history.record(history.call(outcome: .aborted), [.write(key: 1, value: value, attribute: 0)])
      history.record(history.call(.snapshot), [.read(key: 1, value: value)])
    },
    OrderedSeed("a read between two writes of one transaction", .intermediateRead) { history in
      let first = history.write(9)
      let read = history.read(9)
      history.record(history.call(), [first, history.write(9)])
      history.record(history.call(), [read])
    },
    OrderedSeed("a transaction that does not see its own write", .ownWrites) { history in
      let old = history.read(1)
      history.record(history.call(), [old, history.write(1), old])
    },
    OrderedSeed("a transaction that reads what was there before", .staleRead) { history in
      let old = history.read(1)
      history.record(history.call(), [old, history.write(1)])
      history.record(history.call(), [old])
    },
    OrderedSeed("a snapshot that is older than a commit before it", .staleRead) { history in
      let old = history.read(1)
      history.record(history.call(isWide: false), [old, history.write(1)])
      history.record(history.call(.snapshot, isWide: false), [old])
    },
    OrderedSeed("a plain read that is older than its process's own commit", .staleRead) { history in
      let old = history.read(1)
      history.record(history.call(process: 3, isWide: false), [old, history.write(1)])
      history.record(history.call(.plain, process: 3, isWide: false), [old])
    },
    OrderedSeed("a plain read that goes back behind the one before", .staleRead) { history in
      let old = history.read(1)
      history.record(history.call(process: 4, isWide: false), [old, history.write(1)])
      history.record(history.call(.plain, process: 3, isWide: false), [history.read(1)])
      history.record(history.call(.plain, process: 3, isWide: false), [old])
    },
    OrderedSeed("a read of what is written later", .futureRead) { history in
      let value = history.newValue()
      history.record(history.call(), [.read(key: 9, value: value)])
      history.record(history.call(), [.write(key: 9, value: value, attribute: 0), history.read(0), history.write(0)])
    },
    OrderedSeed("two increments from one version", .lostUpdate) { history in
      let old = history.read(1)
      history.record(history.call(), [old, history.write(1)])
      history.record(history.call(), [old, history.write(1)])
    },
    OrderedSeed("two swaps from one version", .lostUpdate) { history in
      let old = history.read(24)
      for _ in 0..<2 {
        var step = history.call()
        (step.turn, step.isSwap) = (nil, true)
        history.record(step, [old, history.write(24)])
      }
    },
    OrderedSeed("a transaction that misses a swap before it", .staleRead) { history in
      let old = history.read(24)
      var step = history.call(isWide: false)
      (step.turn, step.isSwap) = (nil, true)
      history.record(step, [old, history.write(24)])
      history.record(history.call(isWide: false), [old])
    },
    OrderedSeed("a snapshot of half a transaction", .fracturedRead) { history in
      let old = history.read(1)
      history.record(history.call(), [history.read(1), history.write(1), history.read(2), history.write(2)])
      history.record(history.call(.snapshot), [old, history.read(2)])
    },
    OrderedSeed("a plain read of two states", .fracturedRead) { history in
      let old = history.found(.init(0..<4))
      history.record(
        history.call(), (0..<4).flatMap { key in [history.read(key), history.write(key)] })
      let new = history.found(.init(0..<4))
      let mixed = new.map { one in one.key == 0 ? .init(0, old.first { $0.key == 0 }?.value ?? 0) : one }
      history.record(history.call(.plain), [.find(.init(0..<4), mixed.filter { $0.value > 0 })])
    },
    OrderedSeed("a plain read of a transaction without the plain writes before it", .fracturedRead) { history in
      let process = OrderedSimulator.plainWriter
      for _ in 0..<2 { history.writePlainly() }
      let old = history.found(.init(26..<28))
      // The read is in progress while the process writes and commits.
      var read = history.call(.plain, process: process)
      for _ in 0..<2 { history.writePlainly() }
      let step = history.call(process: process, isWide: false)
      history.record(step, [history.read(1), history.write(1)])
      read.completed = step.completed + 100
      history.record(read, [.find(.init(0..<32), history.found(.init(0..<26)) + old)])
    },
    OrderedSeed("a value that two transactions write", .malformed) { history in
      let write = history.write(9)
      for _ in 0..<2 { history.record(history.call(), [write, history.read(0), history.write(0)]) }
    },
  ]

  // MARK: Predicates

  private static let predicates: [OrderedSeed] = [
    OrderedSeed("a predicate that misses an object", .phantom) { history in
      let old = history.find(urgent)
      history.record(history.call(), [history.write(1_010, attribute: 3), history.read(0), history.write(0)])
      history.record(history.call(), [history.write(1_010, attribute: 2), history.read(0), history.write(0)])
      if case .find(_, let found) = old, found.contains(where: { $0.key == 1_010 }) {
        return history.record(history.call(), [.count(urgent, 99)])
      }
      history.record(history.call(), [old])
    },
    OrderedSeed("a predicate that finds what was deleted", .phantom) { history in
      history.record(history.call(), [history.write(1_010, attribute: 2), history.read(0), history.write(0)])
      let old = history.find(urgent)
      history.record(
        history.call(), [history.remove(.init(1_010..<1_011)), history.read(0), history.write(0)])
      history.record(history.call(), [old])
    },
    OrderedSeed("a count of another state", .phantom) { history in
      history.record(history.call(), [.count(urgent, history.found(urgent).count + 1)])
    },
    OrderedSeed("a list of keys of another state", .phantom) { history in
      history.record(history.call(), [history.remove(.init(8..<16)), history.read(0), history.write(0)])
      let old = history.names(.init(8..<16))
      history.record(history.call(), [history.write(9), history.read(0), history.write(0)])
      history.record(history.call(), [old])
    },
    OrderedSeed("a snapshot whose predicates are of two states", .fracturedRead) { history in
      history.record(history.call(), [history.remove(.init(posts)), history.read(0), history.write(0)])
      let old = history.find(.init(posts, 3...3))
      history.record(
        history.call(),
        [history.write(1_010, attribute: 2), history.write(1_011, attribute: 3), history.read(0), history.write(0)])
      history.record(history.call(.snapshot), [history.find(urgent), old])
    },
  ]

  // MARK: Survival of kills

  private static let survival: [OrderedSeed] = [
    OrderedSeed("a commit of a killed process that is lost", .lostCommit) { history in
      let old = history.read(1)
      history.record(history.call(process: 50), [old, .write(key: 1, value: history.newValue(), attribute: 0)])
      history.kill(50)
      history.wait()
      history.record(history.call(), [old])
    },
    OrderedSeed("a snapshot without a killed process's commit", .lostCommit) { history in
      let old = history.read(1)
      history.record(history.call(process: 50), [old, .write(key: 1, value: history.newValue(), attribute: 0)])
      history.kill(50)
      history.wait()
      history.record(history.call(.snapshot), [old])
    },
    OrderedSeed("a later commit that survives an earlier one", .notAPrefix) { history in
      let value = history.newValue()
      history.record(
        history.call(outcome: .unknown, process: 50), [history.read(1), .write(key: 1, value: value, attribute: 0)])
      history.record(history.call(outcome: .unknown, process: 50), [history.read(2), history.write(2)])
      history.record(history.call(), [history.read(1), history.read(2)])
    },
  ]

  // MARK: Orders

  private static let orders: [OrderedSeed] = [
    OrderedSeed("transactions of one lane against the order of their calls", .laneOrder) { history in
      let early = history.call(process: 60)
      var late = history.call(process: 60)
      (late.invoked, late.queued, late.lanes) = (early.invoked - 100, early.invoked - 90, 1)
      var first = early
      first.lanes = 1
      history.record(first, [history.read(0), history.write(0)])
      history.record(late, [history.read(0), history.write(0)])
    },
    OrderedSeed("a synchronized plain write that is not there", .plainOrder) { history in
      for _ in 0..<2 { history.writePlainly() }
      let old = [26, 27].map { history.read($0) }
      for _ in 0..<2 { history.writePlainly() }
      history.synchronize()
      history.record(history.call(isWide: false), old)
    },
    OrderedSeed("a transaction that does not see the plain write before it", .plainOrder) { history in
      for _ in 0..<2 { history.writePlainly() }
      let old = history.read(26)
      for _ in 0..<2 { history.writePlainly() }
      history.record(history.call(process: OrderedSimulator.plainWriter, isWide: false), [old])
    },
    OrderedSeed("plain writes that go back", .plainOrder) { history in
      for _ in 0..<2 { history.writePlainly() }
      let old = history.read(26)
      for _ in 0..<2 { history.writePlainly() }
      history.record(history.call(), [history.read(26)])
      history.record(history.call(), [old])
    },
    OrderedSeed("a later plain write without an earlier one", .fracturedRead) { history in
      let old = history.read(26)
      for _ in 0..<4 { history.writePlainly() }
      history.record(history.call(.snapshot), [old, history.read(27)])
    },
  ]

  // MARK: Observers

  private static let observers: [OrderedSeed] = [
    OrderedSeed("an observer that is told twice", .observerOrder) { history in
      history.record(history.call(), [history.read(1), history.write(1)])
      for _ in 0..<2 { history.tell(1) }
    },
    OrderedSeed("an observer of a query that is told of an older result", .observerOrder) { history in
      let selection = OrderedHistory.Selection(posts, 1...1)
      history.record(history.call(), [history.write(1_010, attribute: 1), history.read(0), history.write(0)])
      let old = history.found(selection)
      history.record(history.call(), [history.write(1_010, attribute: 1), history.read(0), history.write(0)])
      history.observe(.result(selection, history.found(selection)))
      history.observe(.result(selection, old))
    },
    OrderedSeed("an observer that misses a version", .observerGap) { history in
      for isTold in [true, false, true] {
        history.record(history.call(), [history.read(1), history.write(1)])
        if isTold { history.tell(1) }
      }
    },
    OrderedSeed("an observer that is told of an aborted write", .observerDirty) { history in
      let value = history.newValue()
      history.record(history.call(outcome: .aborted), [.write(key: 1, value: value, attribute: 0)])
      history.tell(1, value)
    },
    OrderedSeed("an observer that is told of a deletion that never was", .observerDirty) { history in
      history.record(history.call(), [history.read(1), history.write(1)])
      history.tell(1)
      history.tell(1, 0)
    },
    OrderedSeed("an observer that is told after the completion", .observerLate) { history in
      let step = history.call(process: OrderedSimulator.observer)
      history.record(step, [history.read(1), history.write(1)])
      history.tell(1, at: step.completed + 1)
    },
    OrderedSeed("an observer that is not told of the last version", .observerLost) { history in
      history.record(history.call(), [history.read(1), history.write(1)])
      history.tell(1)
      history.record(history.call(), [history.read(1), history.write(1)])
      history.record(history.call(process: OrderedSimulator.observer), [history.read(1)])
      history.drain(OrderedSimulator.observer)
    },
    OrderedSeed("an observer of a query that is not told of the last result", .observerLost) { history in
      let selection = OrderedHistory.Selection(posts, 1...1)
      history.record(history.call(), [history.write(1_010, attribute: 1), history.read(0), history.write(0)])
      history.observe(.result(selection, history.found(selection)))
      history.record(history.call(), [history.write(1_010, attribute: 1), history.read(0), history.write(0)])
      history.record(history.call(process: OrderedSimulator.observer), [history.read(7)])
      history.drain(OrderedSimulator.observer)
    },
  ]
}
