import HistoryChecker
import TestSupport
import Testing

/// The checker of ordered histories finds the anomalies that are put into them, and none in correct ones.
@Suite struct OrderedCheckerTests {
  @Test("An ordered history of a serial execution has no anomaly", arguments: 1...60)
  func rightHistories(seed: UInt64) {
    var simulator = OrderedSimulator(seed: seed)
    simulator.run(seed == 1 ? 20_000 : 300)
    let anomalies = simulator.finished.anomalies()
    #expect(anomalies.isEmpty, "seed \(seed): \(anomalies.count), \(anomalies.prefix(2))")
  }

  @Test("A plain read may miss commits and synchronized writes of another process")
  func plainReadBehind() {
    var simulator = OrderedSimulator(seed: 1)
    for _ in 0..<2 { simulator.writePlainly() }
    let old = [simulator.find(.init(0..<32)), simulator.read(1)]
    for _ in 0..<2 { simulator.writePlainly() }
    simulator.synchronize()
    let write = [simulator.read(1), simulator.write(1)]
    simulator.record(simulator.call(process: 4, isWide: false), write)
    simulator.record(simulator.call(.plain, process: 5, isWide: false), old)
    #expect(simulator.finished.anomalies().isEmpty)
  }

  @Test("A swap counts if a surviving transaction has seen it", arguments: [false, true])
  func swapOfAKilledProcess(isSeen: Bool) {
    var simulator = OrderedSimulator(seed: 1)
    let old = simulator.read(24)
    var lost = simulator.call(outcome: .unknown, process: 101)
    (lost.turn, lost.isSwap) = (nil, true)
    simulator.record(lost, [old, simulator.write(24)])
    // A later member of the open group, which dies with it.
    simulator.record(simulator.call(outcome: .unknown, process: 101, isWide: false), [simulator.read(24)])
    if isSeen { simulator.record(simulator.call(isWide: false), [simulator.read(24)]) }
    var next = simulator.call()
    (next.turn, next.isSwap) = (nil, true)
    simulator.record(next, [old, simulator.write(24)])
    #expect(simulator.finished.anomalies().contains { $0.kind == .lostUpdate } == isSeen)
    #expect(simulator.finished.anomalies().isEmpty != isSeen)
  }

  @Test(
    "The first result that a query is told may be of its process's last state, or a later one, if an early one is equal"
  )
  func firstResult() {
    var history = OrderedSimulator(seed: 1)
    let selection = OrderedHistory.Selection(OrderedKeys.objects[0], 1...1)
    // The query began with the object. Its end, which it is told of, comes after the process's last transaction.
    history.record(history.call(), [history.write(1_010, attribute: 1), history.read(0), history.write(0)])
    history.record(history.call(process: OrderedSimulator.observer), [history.read(7)])
    let removal = history.remove(selection)
    history.record(history.call(), [removal, history.read(0), history.write(0)])
    history.observe(.result(selection, history.found(selection)))
    history.drain(OrderedSimulator.observer)
    #expect(history.finished.anomalies().map(\.description) == [])
  }

  @Test("Each seeded anomaly of an ordered history is found and named", arguments: OrderedSeed.all)
  func seeded(_ anomaly: OrderedSeed) {
    var random = SeededGenerator.announced(for: "seeded \(anomaly)")
    for _ in 0..<20 {
      let seed = random.next()
      var simulator = OrderedSimulator(seed: seed)
      simulator.run(Int.random(in: 0...100, using: &random))
      anomaly.plant(&simulator)
      let found = Set(simulator.finished.anomalies().map(\.kind))
      #expect(found.contains(anomaly.kind), "seed \(seed): \(anomaly) gives \(found)")
    }
  }

  @Test("Each kind of anomaly of an ordered history has a seed")
  func complete() {
    #expect(Set(OrderedAnomaly.Kind.allCases) == Set(OrderedSeed.all.map(\.kind)))
  }

  @Test("Reading a log gives the history that was written to it, without an unfinished last line")
  func log() throws {
    var history = OrderedKeys.history
    let log = """
      I 0 1 t 5 1000
      T 0 1010 r3:0 w3:17:2 d8:16:0:9 f0:24:0:3:5=17:6=18 n1000:1024:1:1:2 k0:32:0:9:4:5
      Q 0 1004
      C 0 1020 c
      W 2 1 1030
      R 2 1 1031
      Y 2 1 1040
      K 4 1041 u3:17
      I 1 0 t 0 1050
      T 1 1060 w3:18:0
      I 2 0 t 0 1070
      I 3 0 t 0 1071
      A 3 1072 w3:19:0
      Z
      C 1 10
      """
    try history.add(log: Array(log.utf8), process: 7)
    #expect(history.steps.count == 3)
    let step = try #require(history.steps.first)
    #expect(
      step.operations.map(OrderedLog.text) == [
        "r3:0", "w3:17:2", "d8:16:0:9", "f0:24:0:3:5=17:6=18", "n1000:1024:1:1:2", "k0:32:0:9:4:5",
      ])
    #expect(step.lanes == 5 && step.turn == 1_010 && step.queued == 1_004 && step.completed == 1_020)
    #expect(history.steps[1].outcome == .unknown && history.steps[1].turn == 1_060)
    #expect(history.steps[2].outcome == .aborted)
    #expect(history.chains[2]?.synced.first?.time == 1_040)
    #expect(history.observations.count == 1 && history.drained == [7])
  }
}
