/// The order of each key's versions that the reads show, and the dependencies that follow from it.
struct Versions {
  /// The longest list that was read or observed, by key.
  private var longest: [History.Stored?]
  /// The position of each value among its key's versions, from 0; negative if it can't be determined.
  private(set) var positions: [Int32]
  /// The value that each value of a register replaced; negative if it can't be determined.
  private(set) var predecessors: [Int32]
  private var successors: [Int32]
  /// The value that was written to the unset register, by key.
  private var firsts: [Int32]
  /// True for each transaction that took effect.
  private(set) var isLive: [Bool]
  private(set) var graph: DependencyGraph
  let found = AnomalyList()

  let history: History
  let replay: Replay

  init(_ history: History, _ replay: Replay) {
    self.history = history
    self.replay = replay
    longest = Array(repeating: nil, count: history.keyCount)
    positions = Array(repeating: -1, count: replay.writes.count)
    predecessors = positions
    successors = positions
    firsts = Array(repeating: -1, count: history.keyCount)
    isLive = history.transactions.map { $0.outcome == .committed }
    graph = DependencyGraph(transactionCount: history.count)
    findLongest()
    findLive()
    checkLongest()
    linkRegisters()
    linkLists()
    linkReads()
  }

  private func note(
    _ kind: Anomaly.Kind, _ transactions: [Int32], _ words: @autoclosure () -> String
  ) {
    found.note(kind, transactions.map(Int.init), in: history, words)
  }

  func write(of value: Int32) -> Replay.Write { replay.writes[Int(value)] }

  /// Returns true if a transaction writes the value to that key.
  func isWritten(_ value: Int32, to key: Int32) -> Bool {
    write(of: value).transaction >= 0 && write(of: value).key == key
  }

  // MARK: Effective transactions

  private mutating func findLongest() {
    func consider(_ state: History.Stored, _ longest: inout [History.Stored?]) {
      guard state.kind == .readList, state.count > longest[Int(state.key)]?.count ?? 0 else { return }
      longest[Int(state.key)] = state
    }
    for read in replay.reads { consider(read.state, &longest) }
    for observation in history.observations { consider(observation.state, &longest) }
  }

  /// A transaction with an unknown outcome took effect if one of its values was seen.
  private mutating func findLive() {
    func see(_ value: Int32, _ isLive: inout [Bool]) {
      let writer = replay.writes[Int(value)].transaction
      if writer >= 0, history.transactions[Int(writer)].outcome == .unknown { isLive[Int(writer)] = true }
    }
    for case let list? in longest { for element in history.list(list) { see(element, &isLive) } }
    for read in replay.reads where read.state.kind == .readRegister { see(read.state.value, &isLive) }
    for (_, state) in history.observations where state.kind == .readRegister { see(state.value, &isLive) }
  }

  // MARK: Lists

  private mutating func checkLongest() {
    for case let list? in longest {
      var aborted: Int32?
      for (position, element) in history.list(list).enumerated() {
        guard isWritten(element, to: list.key) else { continue }
        if positions[Int(element)] >= 0 {
          note(.duplicateElements, [write(of: element).transaction], "\(history.describe(list)), with \(element) twice")
          continue
        }
        positions[Int(element)] = Int32(position)
        let writer = write(of: element).transaction
        if isLive[Int(writer)] {
          if let dirty = aborted {
            note(.dirtyUpdate, [writer, dirty], "\(history.describe(list)), with \(element) on what was aborted")
            aborted = nil
          }
        } else {
          aborted = writer
        }
      }
    }
  }

  private mutating func linkLists() {
    for case let list? in longest {
      var last: Int32?
      for element in history.list(list) where isWritten(element, to: list.key) {
        let writer = write(of: element).transaction
        guard isLive[Int(writer)] else { continue }
        if let last { graph.add(.writeWrite, from: last, to: writer, key: list.key) }
        last = writer
      }
    }
    linkUnseenAppends()
  }

  /// Appended elements that no read shows come after all those that a read shows. One helper for each key stands for
  /// the first of them.
  private mutating func linkUnseenAppends() {
    var helpers: [Int32: Int32] = [:]
    for append in replay.appends where isLive[Int(append.transaction)] && positions[Int(append.value)] < 0 {
      let helper = helpers[append.key] ?? graph.addHelper()
      helpers[append.key] = helper
      graph.add(.writeWrite, from: helper, to: append.transaction, key: append.key)
    }
    guard !helpers.isEmpty else { return }
    for read in replay.reads where read.state.kind == .readList {
      guard let helper = helpers[read.state.key], read.state.count == longest[Int(read.state.key)]?.count ?? 0 else {
        continue
      }
      graph.add(.readWrite, from: read.transaction, to: helper, key: read.state.key)
    }
    for (key, helper) in helpers {
      guard let list = longest[Int(key)], let last = history.list(list).last, isWritten(last, to: key) else { continue }
      graph.add(.writeWrite, from: write(of: last).transaction, to: helper, key: key)
    }
  }

  // MARK: Registers

  private mutating func linkRegisters() {
    var blind: [Int32: [Replay.RegisterWrite]] = [:]
    for write in replay.registerWrites where isLive[Int(write.transaction)] {
      if write.predecessor < 0 {
        blind[write.key, default: []].append(write)
      } else {
        link(write, after: write.predecessor)
      }
    }
    if !blind.isEmpty { linkBlindWrites(blind) }
    for key in 0..<Int32(history.keyCount) {
      var value = firsts[Int(key)]
      var position: Int32 = 0
      while value >= 0, positions[Int(value)] < 0 {
        positions[Int(value)] = position
        position += 1
        value = successors[Int(value)]
      }
    }
  }

  private mutating func link(_ write: Replay.RegisterWrite, after predecessor: Int32) {
    let isFirst = predecessor == History.initialValue
    predecessors[Int(write.value)] = predecessor
    let other = isFirst ? firsts[Int(write.key)] : successors[Int(predecessor)]
    if other >= 0 {
      note(
        .lostUpdate, [self.write(of: other).transaction, write.transaction],
        "both wrote k\(write.key) when it was \(isFirst ? "unset" : "\(predecessor)")")
      return
    }
    if isFirst { firsts[Int(write.key)] = write.value } else { successors[Int(predecessor)] = write.value }
    guard !isFirst, isWritten(predecessor, to: write.key) else { return }
    let before = self.write(of: predecessor).transaction
    if isLive[Int(before)] {
      graph.add(.writeWrite, from: before, to: write.transaction, key: write.key)
    } else {
      note(.dirtyUpdate, [write.transaction, before], "k\(write.key) = \(write.value) is built on \(predecessor)")
    }
  }

  /// Links writes that didn't read the register first. A single one is the end of its key's chain. Several are ordered
  /// if no two writes of the key overlap in time.
  private mutating func linkBlindWrites(_ blind: [Int32: [Replay.RegisterWrite]]) {
    var ordered: [Int32: [Replay.RegisterWrite]] = [:]
    for write in replay.registerWrites where isLive[Int(write.transaction)] && blind[write.key]?.count ?? 0 > 1 {
      ordered[write.key, default: []].append(write)
    }
    for (key, writes) in blind {
      if let write = writes.first, writes.count == 1 {
        link(write, after: endOfChain(of: key, before: write.value))
        continue
      }
      let all = ordered[key, default: []].sorted { call(of: $0).invoked < call(of: $1).invoked }
      guard zip(all, all.dropFirst()).allSatisfy({ call(of: $0).completed < call(of: $1).invoked }) else { continue }
      for (index, write) in all.enumerated() where write.predecessor < 0 {
        link(write, after: index == 0 ? History.initialValue : all[index - 1].value)
      }
    }
  }

  private func call(of write: Replay.RegisterWrite) -> History.Transaction {
    history.transactions[Int(write.transaction)]
  }

  private func endOfChain(of key: Int32, before value: Int32) -> Int32 {
    var end = History.initialValue
    var next = firsts[Int(key)]
    var steps = 0
    while next >= 0, next != value, steps <= history.count {
      end = next
      next = successors[Int(next)]
      steps += 1
    }
    return end
  }

  // MARK: Reads

  private mutating func linkReads() {
    for read in replay.reads {
      if read.state.kind == .readList { linkListRead(read) } else { linkRegisterRead(read) }
    }
  }

  private mutating func linkListRead(_ read: Replay.Read) {
    guard let whole = longest[Int(read.state.key)] else { return }
    let (list, all) = (history.list(read.state), history.list(whole))
    guard all.starts(with: list) else {
      let other = replay.reads.first { $0.state.lower == whole.lower && $0.state.kind == .readList }
      note(
        .incompatibleOrders, [read.transaction] + (other.map { [$0.transaction] } ?? []),
        "\(history.describe(read.state)), and elsewhere \(history.describe(all))")
      for element in list where !isWritten(element, to: read.state.key) { noteGarbage(element, read) }
      for element in list where isWritten(element, to: read.state.key) { noteIfAborted(element, read) }
      if Set(list).count < list.count { note(.duplicateElements, [read.transaction], history.describe(read.state)) }
      return
    }
    if let last = list.last { linkToWriter(of: last, read) }
    for element in list.dropLast() {
      if !isWritten(element, to: read.state.key) { noteGarbage(element, read) } else { noteIfAborted(element, read) }
    }
    if list.count < all.count, isWritten(all[all.startIndex + list.count], to: read.state.key) {
      let next = write(of: all[all.startIndex + list.count]).transaction
      if isLive[Int(next)] { graph.add(.readWrite, from: read.transaction, to: next, key: read.state.key) }
    }
  }

  private mutating func linkRegisterRead(_ read: Replay.Read) {
    let value = read.state.value
    if value != History.initialValue { linkToWriter(of: value, read) }
    let next = value == History.initialValue ? firsts[Int(read.state.key)] : successors[Int(value)]
    if next >= 0 {
      graph.add(.readWrite, from: read.transaction, to: write(of: next).transaction, key: read.state.key)
    }
  }

  private mutating func linkToWriter(of value: Int32, _ read: Replay.Read) {
    guard isWritten(value, to: read.state.key) else { return noteGarbage(value, read) }
    let write = write(of: value)
    noteIfAborted(value, read)
    guard write.transaction != read.transaction else { return }
    if !write.isFinal {
      note(.g1b, [read.transaction, write.transaction], "\(history.describe(read.state)), which was written over")
    }
    if isLive[Int(write.transaction)] {
      graph.add(.writeRead, from: write.transaction, to: read.transaction, key: read.state.key)
    }
  }

  private func noteIfAborted(_ value: Int32, _ read: Replay.Read) {
    let writer = write(of: value).transaction
    guard writer != read.transaction, history.transactions[Int(writer)].outcome == .aborted else { return }
    note(.g1a, [read.transaction, writer], "\(history.describe(read.state)), with \(value) of an aborted transaction")
  }

  private func noteGarbage(_ value: Int32, _ read: Replay.Read) {
    note(.garbageRead, [read.transaction], "\(history.describe(read.state)), where nobody wrote \(value)")
  }

  // MARK: Time

  /// Adds the order of calls and completions.
  mutating func linkTimes() {
    var counts = isLive
    for read in replay.reads { counts[Int(read.transaction)] = true }
    var all: [DependencyGraph.Interval] = []
    var lanes: [Int64: [DependencyGraph.Interval]] = [:]
    for (index, transaction) in history.transactions.enumerated() where counts[index] {
      all.append(.init(transaction: Int32(index), begin: transaction.invoked, end: transaction.completed))
      var rest = transaction.lanes
      while rest != 0 {
        let lane = Int64(transaction.process) << 32 | Int64(rest.trailingZeroBitCount)
        rest &= rest - 1
        lanes[lane, default: []].append(
          .init(transaction: Int32(index), begin: transaction.invoked, end: transaction.queued))
      }
    }
    graph.addOrder(all, .time)
    for lane in lanes.values { graph.addOrder(lane, .call) }
  }
}
