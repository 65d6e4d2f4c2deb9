import DflatEtcd
import DflatKV
import DflatReplication
import EtcdTestSupport
import Foundation
import Synchronization
import Testing

/// Three replicas over three members, while members crash and freeze, links are cut, space runs out and history is
/// forgotten (`Nemesis`).
///
/// Each transaction adds one to a counter and stores what it read under a key of its own, so the order of all
/// transactions is known: strict serializability is that the counter's values are distinct, without gaps, and in the
/// order in which transactions that don't overlap ran (A1, A3).
///
///     NEMESIS_SECONDS=1800 make test-etcd TESTS=NemesisTests      # instead of ten seconds
@Suite(.serialized) struct NemesisTests {
  private static let machines = 3
  private static let threads = 2

  /// Bytes of a member's database, which the nemesis fills. A longer run has larger files, and etcd holds five times as much
  /// (docs/scale-out.md).
  private static func quota(forSeconds seconds: Double) -> Int { 64 << 20 + Int(seconds) << 16 }

  @Test("A1 to A4, A7: Three machines stay one, while members crash and freeze, links break and space runs out")
  func history() async throws {
    let seconds = ProcessInfo.processInfo.environment["NEMESIS_SECONDS"].flatMap(Double.init) ?? 10
    let cluster = try await EtcdCluster(linkedMembers: 3, quota: Self.quota(forSeconds: seconds))
    try await cluster.waitUntilReady(EtcdConfiguration(endpoints: cluster.endpoints))
    let folder = FileManager.default.temporaryDirectory.appending(path: "nemesis-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var links: [[Link]] = []
    for _ in 0..<Self.machines {
      var own: [Link] = []
      for member in cluster.members { own.append(try await Link(toPort: member.port)) }
      links.append(own)
    }
    let run = try History(
      endpoints: links.map { $0.map { "http://127.0.0.1:\($0.port)" } }, folder: folder)
    let nemesis = Nemesis(cluster, links: links)
    let end = ContinuousClock.now + .seconds(seconds)
    async let harm: Void = {
      // Without harm, there is nothing to wait for.
      defer { run.stop() }
      try await nemesis.run(until: end)
    }()
    await run.write(threads: Self.threads)
    try await harm
    let result = try run.settle()
    print(
      "nemesis: \(result.acknowledged) transactions acknowledged, \(result.unknown) of unknown outcome, \(result.failed) "
        + "failed, \(result.reads) reads; \(nemesis.summary); \(Int(seconds)) s")
    #expect(run.violations.withLock(\.self) == [])
    #expect(result.acknowledged > 0)
  }
}

/// The acknowledged transactions of all machines' threads, and the violations found in them.
private final class History: Sendable {
  /// A transaction that was acknowledged: the counter's value that it left, between two instants.
  private struct Entry: Sendable {
    var value: Int
    var began: ContinuousClock.Instant
    var ended: ContinuousClock.Instant
    var isRead: Bool
  }

  private struct State {
    var entries: [Entry] = []
    /// The keys of writes that were acknowledged, and of those whose outcome is unknown.
    var acknowledged: Set<String> = []
    var unknown: Set<String> = []
    var failed = 0
  }

  struct Result {
    var acknowledged, unknown, failed, reads: Int
  }

  let violations = Mutex<[String]>([])
  private let state = Mutex(State())
  private let workspaces: [SQLiteWorkspace]
  private let folder: URL
  private let patient: [SQLiteWorkspace.Replication]
  private let subscriptions = Mutex<[WorkspaceSubscription]>([])
  private let isStopped = Atomic(false)

  /// - Parameter endpoints: The members as each machine reaches them.
  init(endpoints: [[String]], folder: URL) throws {
    let replications = endpoints.map {
      var replication = SQLiteWorkspace.Replication.etcd(endpoints: $0, prefix: "/nemesis/")
      replication.timeout = .seconds(60)
      return replication
    }
    patient = replications
    self.folder = folder
    workspaces = try replications.enumerated().map { machine, replication in
      var options = SQLiteWorkspace.Options()
      options.logger.logLevel = .critical
      var impatient = replication
      impatient.timeout = .seconds(5)
      return try .open(
        filePath: folder.appending(path: "\(machine).db").path(), options: options,
        replication: machine == 0 ? replication : impatient)
    }
    // Observers receive rising values on each machine (A4), however the machine gets the commits.
    let started = workspaces.enumerated().map { machine, workspace in
      let last = Mutex(0)
      return workspace.dictionary.subscribe("counter", of: Int.self) { [weak self] change in
        guard case .updated(let value) = change else { return }
        let before = last.withLock { last in
          defer { last = value }
          return last
        }
        if value <= before { self?.report("machine \(machine) received \(value) after \(before)") }
      }
    }
    subscriptions.withLock { $0 = started }
  }

  private func report(_ text: String) { violations.withLock { if $0.count < 20 { $0.append(text) } } }

  // MARK: Writing

  /// Writes and reads until `stop()` is called.
  func write(threads: Int) async {
    await withTaskGroup { group in
      for machine in workspaces.indices {
        for thread in 0..<threads {
          group.addTask { [self] in
            await withCheckedContinuation { continuation in
              Thread.detachNewThread {
                var number = 0
                while !self.isStopped.load(ordering: .relaxed) {
                  number += 1
                  self.act(machine, "\(machine).\(thread).\(number)", isRead: number % 4 == 0)
                }
                continuation.resume()
              }
            }
          }
        }
      }
    }
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func act(_ machine: Int, _ key: String, isRead: Bool) {
    let began = ContinuousClock.now
    do {
      let value = try workspaces[machine].transactAndWait { txn -> Int in
        let value = txn.dictionary["counter", Int.self] ?? 0
        if isRead { return value }
        txn.dictionary["counter"] = value + 1
        // Every other value is too large for the cache.
        txn.dictionary["write." + key] = "\(value + 1)" + (value % 2 == 0 ? "" : String(repeating: " ", count: 600))
        return value + 1
      }
      let entry = Entry(value: value, began: began, ended: .now, isRead: isRead)
      state.withLock { state in
        state.entries.append(entry)
        if !isRead { state.acknowledged.insert(key) }
      }
    } catch let error as WorkspaceError {
      switch error.code {
      case .outcomeUnknown: _ = state.withLock { $0.unknown.insert(key) }
      case .unavailable, .conflict, .busy, .diskFull: state.withLock { $0.failed += 1 }
      default: report("machine \(machine): \(error)")
      }
    } catch { report("machine \(machine): \(error)") }
  }

  // MARK: Judging

  /// Lets all machines, and a new one, catch up, and compares them with each other and with what was acknowledged.
  func settle() throws -> Result {
    let fresh = try SQLiteWorkspace.open(filePath: folder.appending(path: "fresh.db").path(), replication: patient[0])
    defer { fresh.shutdown() }
    let all = workspaces + [fresh]
    for _ in 0..<10 {
      if all.allSatisfy({ (try? $0.replication?.catchUp()) != nil }) { break }
    }
    let contents = try all.map { workspace in
      try workspace.replication?.catchUp()
      return try workspace.dictionary.entries().reduce(into: [String: StoredValue]()) { $0[$1.key] = $1.value }
    }
    for (index, content) in contents.enumerated() where content != contents[0] {
      report("machine \(index) has other contents than machine 0")
    }
    judge(contents[0])
    subscriptions.withLock { $0.forEach { $0.cancel() } }
    for workspace in workspaces { workspace.shutdown() }
    return state.withLock { state in
      Result(
        acknowledged: state.acknowledged.count, unknown: state.unknown.count, failed: state.failed,
        reads: state.entries.count(where: \.isRead))
    }
  }

  private func judge(_ content: [String: StoredValue]) {
    let state = state.withLock(\.self)
    var written: [Int: String] = [:]
    for (key, value) in content where key.hasPrefix("write.") {
      guard case .string(let text) = value, let number = Int(text.prefix { $0 != " " }) else { continue }
      let name = String(key.dropFirst("write.".count))
      if let other = written.updateValue(name, forKey: number) { report("\(name) and \(other) both wrote \(number)") }
      if !state.acknowledged.contains(name), !state.unknown.contains(name) { report("\(name) failed, and is there") }
    }
    let count: Int = if case .int(let value)? = content["counter"] { Int(value) } else { 0 }
    if written.count != count { report("\(written.count) writes are there, and the counter is \(count)") }
    let names = Set(written.values)
    for name in state.acknowledged where !names.contains(name) { report("\(name) was acknowledged, and is lost") }
    // Real time: whatever began after another one had ended comes after it.
    let byEnd = state.entries.sorted { $0.ended < $1.ended }
    let byBegin = state.entries.sorted { $0.began < $1.began }
    var (next, newest) = (0, 0)
    for entry in byBegin {
      while next < byEnd.count, byEnd[next].ended < entry.began {
        newest = max(newest, byEnd[next].value)
        next += 1
      }
      if entry.value < newest || !entry.isRead && entry.value == newest {
        report("a transaction left \(entry.value) after \(newest) was acknowledged")
      }
    }
  }
}
