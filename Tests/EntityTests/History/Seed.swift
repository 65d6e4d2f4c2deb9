import HistoryChecker

/// An anomaly that a test puts into a history.
///
/// A and B are lists, R and S registers of the simulator. All of them are in use before and after the anomaly.
struct Seed: Sendable, CustomStringConvertible {
  let description: String
  /// The kinds that the checker may report for it, depending on the operations around it.
  let names: Set<Anomaly.Kind>
  let plant: @Sendable (inout Simulator) -> Void

  init(_ description: String, _ names: Set<Anomaly.Kind>, _ plant: @escaping @Sendable (inout Simulator) -> Void) {
    self.description = description
    self.names = names
    self.plant = plant
  }

  private static let (A, B, R, S) = (2, 4, 3, 5)

  static let all: [Seed] = isolation + writes + times + observers

  // MARK: Isolation

  private static let isolation: [Seed] = [
    Seed("a read of an aborted append", [.g1a]) { history in
      let before = history.state
      let write = history.write(A)
      let read = history.read(A)
      for (key, value) in before { history.set(key, value) }
      if before[A] == nil { history.set(A, .list([])) }
      history.record(history.call(.aborted), [write])
      history.record(history.call(), [read])
    },
    Seed("a read of an aborted write", [.g1a]) { history in
      let before = history.state[R] ?? .register(nil)
      let operations = [history.read(R), history.write(R)]
      let read = history.read(R)
      history.set(R, before)
      history.record(history.call(.aborted), operations)
      history.record(history.call(), [read])
    },
    Seed("a read between two appends of one transaction", [.g1b]) { history in
      let first = history.write(A)
      let read = history.read(A)
      let second = history.write(A)
      history.record(history.call(), [first, second])
      history.record(history.call(), [read])
    },
    Seed("a read between two writes of one transaction", [.g1b]) { history in
      let first = [history.read(R), history.write(R)]
      let read = history.read(R)
      history.record(history.call(), first + [history.write(R)])
      history.record(history.call(), [read])
    },
    Seed("two transactions that read each other's writes", [.g1c]) { history in
      let (one, other) = (history.write(A), history.write(B))
      history.record(history.call(), [one, history.read(B)])
      history.record(history.call(), [other, history.read(A)])
    },
    Seed("a read of half a transaction", [.gSingle]) { history in
      let old = history.read(A)
      let writes = [history.write(A), history.write(B)]
      history.record(history.call(), writes)
      history.record(history.call(), [old, history.read(B)])
    },
    Seed("two transactions that each read what the other writes", [.g2Item]) { history in
      let reads = [history.read(A), history.read(S)]
      history.record(history.call(), reads + [history.write(A)])
      history.record(history.call(), reads + [history.write(S)])
      history.record(history.call(), [history.read(A), history.read(S)])
    },
    Seed("a transaction that does not see its own append", [.internalInconsistency]) { history in
      let read = history.read(A)
      history.record(history.call(), [read, history.write(A), read])
    },
    Seed("a transaction that reads a key twice, another one's write between", [.internalInconsistency]) { history in
      let first = history.read(S)
      let write = [first, history.write(S)]
      history.record(history.call(), [first, history.read(S)])
      history.record(history.call(), write)
    },
    Seed("a transaction that sees its append before it makes it", [.internalInconsistency]) { history in
      let write = history.write(A)
      history.record(history.call(), [history.read(A), write])
    },
  ]

  // MARK: Lost and reordered writes

  private static let writes: [Seed] = [
    Seed("two increments from one version of a register", [.lostUpdate]) { history in
      let read = history.read(R)
      history.record(history.call(), [read, history.write(R)])
      history.record(history.call(), [read, history.write(R)])
    },
    Seed("two appends from one version of a list", [.lostUpdate]) { history in
      let read = history.read(A)
      history.record(history.call(), [read, history.write(A)])
      history.record(history.call(), [read, history.write(A)])
      history.record(history.call(), [history.read(A)])
    },
    Seed("an append over an append, the first one lost", [.incompatibleOrders]) { history in
      let before = history.list(A)
      let first = history.write(A)
      history.record(history.call(), [first])
      history.record(history.call(), [history.read(A)])
      history.set(A, .list(before))
      history.record(history.call(), [history.write(A)])
      history.record(history.call(), [history.read(A)])
    },
    Seed("a committed append that is nowhere", [.gSingleRealtime, .g0Realtime, .g1cRealtime]) { history in
      history.record(history.call(), [.append(key: A, value: history.newValue())])
    },
    Seed("interleaved appends to two lists", [.g0]) { history in
      let first = history.write(A)
      let others = [history.write(A), history.write(B)]
      history.record(history.call(), [first, history.write(B)])
      history.record(history.call(), others)
      history.record(history.call(), [history.read(A), history.read(B)])
    },
    Seed("an append that is applied twice", [.duplicateElements]) { history in
      let value = history.newValue()
      history.record(history.call(), [.append(key: A, value: value)])
      history.set(A, .list(history.list(A) + [value, value]))
      history.record(history.call(), [history.read(A)])
    },
    Seed("two reads with two orders", [.incompatibleOrders]) { history in
      let (one, other) = (history.newValue(), history.newValue())
      let list = history.list(A)
      history.record(history.call(), [.append(key: A, value: one)])
      history.record(history.call(), [.append(key: A, value: other)])
      history.record(history.call(), [.readList(key: A, elements: list + [other, one])])
      history.set(A, .list(list + [one, other]))
      history.record(history.call(), [history.read(A)])
    },
    Seed("a value from nowhere", [.garbageRead]) { history in
      history.record(history.call(), [.readRegister(key: R, value: history.newValue())])
      _ = history.newValue()
    },
    Seed("an element from nowhere", [.garbageRead]) { history in
      history.record(history.call(), [.readList(key: A, elements: history.list(A) + [history.newValue()])])
    },
    Seed("an aborted append that stays", [.dirtyUpdate]) { history in
      history.record(history.call(.aborted), [history.write(A)])
      history.record(history.call(), [history.write(A)])
      history.record(history.call(), [history.read(A)])
    },
    Seed("an aborted write that stays", [.dirtyUpdate]) { history in
      history.record(history.call(.aborted), [history.read(R), history.write(R)])
      history.record(history.call(), [history.read(R), history.write(R)])
    },
    Seed("half a transaction of a process that was killed", [.g0, .g1c, .gSingle, .gSingleRealtime]) { history in
      let half = history.write(A)
      history.record(history.call(.unknown), [half, .append(key: B, value: history.newValue())])
      history.record(history.call(), [history.read(A)])
    },
    Seed("a write that two transactions make", [.malformed]) { history in
      let write = history.write(A)
      history.record(history.call(), [write])
      history.record(history.call(), [write])
    },
  ]

  // MARK: Real-time order

  private static let times: [Seed] = [
    Seed("a stale read", [.gSingleRealtime]) { history in
      let read = history.read(A)
      history.record(history.call(isWide: false), [history.write(A)])
      history.record(history.call(isWide: false), [read])
    },
    Seed("a stale read of a register", [.gSingleRealtime]) { history in
      let read = history.read(R)
      history.record(history.call(isWide: false), [read, history.write(R)])
      history.record(history.call(isWide: false), [read])
    },
    Seed("appends against the order in time", [.g0Realtime]) { history in
      let (one, other) = (history.newValue(), history.newValue())
      history.record(history.call(isWide: false), [.append(key: A, value: one)])
      history.record(history.call(isWide: false), [.append(key: A, value: other)])
      history.set(A, .list(history.list(A) + [other, one]))
      history.record(history.call(), [history.read(A)])
    },
    Seed("a read of what is written later", [.g1cRealtime]) { history in
      let value = history.newValue()
      history.set(A, .list(history.list(A) + [value]))
      history.record(history.call(isWide: false), [history.read(A)])
      history.record(history.call(isWide: false), [.append(key: A, value: value)])
    },
    Seed("two stale reads", [.g2ItemRealtime]) { history in
      // `early` reads A before `first` writes it. `first` ends before `second` reads B and misses the write of `early`.
      let (a, b) = (history.read(A), history.read(B))
      var early = history.call()
      var first = history.call(isWide: false)
      first.invoked = early.invoked
      history.record(first, [history.write(A)])
      var second = history.call(isWide: false)
      second.invoked = first.completed + 1
      second.completed = second.invoked + 1
      early.completed = second.completed + 1
      history.record(early, [a, history.write(B)])
      history.record(second, [b])
    },
    Seed("transactions of one lane against the order of their calls", [.gSingleCalls, .g0Calls, .g2ItemCalls]) {
      history in
      let read = history.read(A)
      var one = history.call(lanes: [1], process: 1)
      var other = history.call(lanes: [1], process: 1)
      // Both calls are open until after the second one began.
      (one.invoked, one.queued) = (other.invoked, other.invoked + 1)
      (other.invoked, other.queued) = (other.invoked + 2, other.invoked + 3)
      one.completed = other.invoked + 50
      other.completed = other.invoked + 50
      history.record(one, [history.write(A)])
      history.record(other, [read])
    },
  ]

  // MARK: Observers

  private static let observers: [Seed] = [
    Seed("an observer that is told twice", [.observerOrder]) { history in
      history.record(history.call(), [history.read(1), history.write(1)])
      history.observe(1, at: 1)
      history.observe(1, at: 2)
    },
    Seed("an observer that is told in the wrong order", [.observerOrder]) { history in
      let first = history.write(0)
      history.record(history.call(), [first])
      let old = history.state
      history.record(history.call(), [history.write(0)])
      history.observe(0, at: 1)
      history.withState(old) { $0.observe(0, at: 2) }
    },
    Seed("an observer that misses a list's version", [.observerGap]) { history in
      for isTold in [true, false, true] {
        history.record(history.call(), [history.write(0)])
        if isTold { history.observe(0, at: 1) }
      }
    },
    Seed("an observer that misses a register's version", [.observerGap]) { history in
      for isTold in [true, false, true] {
        history.record(history.call(), [history.read(1), history.write(1)])
        if isTold { history.observe(1, at: 1) }
      }
    },
    Seed("an observer that is told of an aborted write", [.observerDirty]) { history in
      let before = history.state[1] ?? .register(nil)
      history.record(history.call(.aborted), [history.read(1), history.write(1)])
      history.observe(1, at: 1)
      history.set(1, before)
    },
    Seed("an observer that is told after the completion", [.observerLate]) { history in
      let call = history.call(process: 9)
      history.record(call, [history.write(0)])
      history.observe(0, at: call.completed + 1)
    },
  ]
}
