import HistoryChecker
import TestSupport
import Testing

/// The history checker finds the anomalies that are put into histories, and none in correct ones.
@Suite struct HistoryCheckerTests {
  @Test("A history of a serial execution has no anomaly", arguments: 1...40)
  func rightHistories(seed: UInt64) {
    var simulator = Simulator(seed: seed)
    for _ in 0..<(seed == 1 ? 66 : 1) {
      simulator.run(300)
      simulator.turnPage()
    }
    let anomalies = simulator.history.anomalies()
    #expect(anomalies.isEmpty, "seed \(seed): \(anomalies.prefix(3))")
  }

  @Test("Each seeded anomaly is found and named", arguments: Seed.all)
  func seeded(_ anomaly: Seed) {
    var random = SeededGenerator.announced(for: "seeded \(anomaly)")
    for _ in 0..<20 {
      let seed = random.next()
      var simulator = Simulator(seed: seed)
      simulator.run(Int.random(in: 0...100, using: &random))
      anomaly.plant(&simulator)
      simulator.run(Int.random(in: 0...100, using: &random))
      simulator.readAll()
      let found = Set(simulator.history.anomalies().map(\.kind))
      #expect(!found.isDisjoint(with: anomaly.names), "seed \(seed): \(anomaly) gives \(found)")
    }
  }

  @Test("Each kind of anomaly except G1c in the order of calls has a seed")
  func complete() {
    let seeded = Seed.all.reduce(into: Set<Anomaly.Kind>()) { $0.formUnion($1.names) }
    #expect(Set(Anomaly.Kind.allCases).subtracting(seeded) == [.g1cCalls])
  }
}
