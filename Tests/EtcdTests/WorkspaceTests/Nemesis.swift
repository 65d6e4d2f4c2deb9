import DflatEtcd
import EtcdTestSupport
import Foundation
import Synchronization

/// Harms a cluster, its programs and their links, and mends what it has harmed, until an instant.
final class Nemesis: Sendable {
  enum Harm: String, CaseIterable {
    /// A member ends and starts again.
    case crash
    /// A member stops answering, and goes on later.
    case freeze
    /// A program loses its links to some members or to all, in one or both directions. Sometimes for longer than a lease.
    case cut
    /// A member isn't heard by the others, or neither hears nor is heard.
    case isolate
    /// A program stops, and goes on later. Sometimes for longer than a lease.
    case stop
    /// The members' databases reach their quota, and are cleared.
    case fill
  }

  /// The longest harm, in milliseconds. A lease ends after 10 seconds.
  private static let longest = 4_000
  private static let longerThanLease = 13_000
  private static let junk = "/junk/"

  private let cluster: EtcdCluster
  /// For each program, its links to the members.
  private let links: [[Link]]
  private let programs: ReplicaHistory
  private let counts = Mutex<[Harm: Int]>([:])
  private let compactions = Mutex(0)

  init(_ cluster: EtcdCluster, links: [[Link]], programs: ReplicaHistory) {
    self.cluster = cluster
    self.links = links
    self.programs = programs
  }

  /// The number of faults of each kind, as text.
  var summary: String {
    let counts = counts.withLock(\.self)
    let harms = Harm.allCases.map { "\(counts[$0] ?? 0) × \($0.rawValue)" }
    return (harms + ["\(compactions.withLock(\.self)) × compact"]).joined(separator: ", ")
  }

  func run(until end: ContinuousClock.Instant) async throws {
    async let compacting: Void = compact(until: end)
    while ContinuousClock.now < end {
      try await pause(500...3_000)
      guard let harm = Self.next() else { continue }
      try await act(harm)
      counts.withLock { $0[harm, default: 0] += 1 }
    }
    await compacting
  }

  private static func next() -> Harm? {
    // Filling takes longer than the other harms.
    if Int.random(in: 0..<20) == 0 { return .fill }
    return [Harm.crash, .freeze, .cut, .cut, .isolate, .stop].randomElement()
  }

  private func act(_ harm: Harm) async throws {
    switch harm {
    case .crash:
      let victim = cluster.members[await victim()]
      victim.kill()
      try await pause(0...3_000)
      try victim.start()
    case .freeze:
      let victim = cluster.members[await victim()]
      victim.freeze()
      try await pause(100...Self.longest)
      victim.thaw()
    case .cut:
      guard let program = links.randomElement() else { return }
      let victims = Bool.random() ? program : program.filter { _ in Bool.random() }
      for link in victims { link.cut(Self.directions()) }
      try await pause(Self.sometimesLonger())
      for link in victims { link.mend() }
    case .isolate:
      let link = cluster.peerLinks[await victim()]
      link.cut(Self.directions())
      try await pause(100...Self.longest)
      link.mend()
    case .stop:
      let victim = programs.program(on: Int.random(in: 0..<programs.machines))
      victim.freeze()
      try await pause(Self.sometimesLonger())
      victim.thaw()
    case .fill: try await fill()
    }
  }

  /// Most often the member that leads.
  private func victim() async -> Int {
    let leader = Int.random(in: 0..<3) > 0 ? try? await cluster.leader() : nil
    return leader ?? Int.random(in: 0..<cluster.members.count)
  }

  private static func directions() -> Set<Link.Direction> {
    [[.toServer], [.fromServer], [.toServer, .fromServer]].randomElement() ?? []
  }

  /// The milliseconds of a harm that is sometimes longer than a lease.
  private static func sometimesLonger() -> ClosedRange<Int> {
    Int.random(in: 0..<6) == 0 ? longerThanLease...longerThanLease : 100...longest
  }

  private func pause(_ milliseconds: ClosedRange<Int>) async throws {
    try await Task.sleep(for: .milliseconds(Int.random(in: milliseconds)))
  }

  // MARK: Space and history

  /// Forgets the history again and again, so that whoever has missed changes finds that they are gone.
  private func compact(until end: ContinuousClock.Instant) async {
    while ContinuousClock.now < end {
      try? await pause(200...2_000)
      let isDone: Void? = try? await withClient(EtcdConfiguration(endpoints: cluster.endpoints)) { client in
        try await client.compact(before: try await Self.revision(client))
      }
      if isDone != nil { compactions.withLock { $0 += 1 } }
    }
  }

  /// Returns the newest revision, also while there is no space for a new one.
  private static func revision(_ client: EtcdClient) async throws -> Int64 {
    try await client.get(.key(EtcdKey(junk))).revision
  }

  private func fill() async throws {
    var configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    configuration.requestTimeout = .seconds(60)
    try await withClient(configuration) { client in
      let block = [UInt8](repeating: 7, count: 1 << 20)
      do {
        for number in 0..<1_000 { try await client.put(block, for: EtcdKey("\(Self.junk)\(number)")) }
      } catch is EtcdError {}
      try await pause(500...2_000)
      try await clear(client)
    }
  }

  /// Makes room again. A call may fail as `compact(until:)` forgets the history meanwhile, or as a member has just
  /// started again, so all are repeated a few times.
  private func clear(_ client: EtcdClient) async throws {
    for attempt in 1... {
      do {
        _ = try await client.delete(.prefix(EtcdKey(Self.junk)))
        do {
          try await client.compact(before: try await Self.revision(client), isPhysical: true)
        } catch let error as EtcdError where error.code == .compacted {
          // There is no newer revision while there is no space, and `compact(until:)` was faster. Let etcd carry it out.
          try await pause(500...1_000)
        }
        for endpoint in cluster.endpoints { try await client.defragment(endpoint) }
        return try await client.disarmNoSpaceAlarms()
      } catch let error as EtcdError {
        if attempt == 30 { throw error }
        try await pause(500...2_000)
      }
    }
  }
}
