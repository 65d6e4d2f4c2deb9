import DflatEtcd
import DflatKV
import DflatReplication
import EtcdTestSupport
import Foundation
import Synchronization

/// Replicas over three members of etcd on this computer, each row beside its baseline in the same run.
@main
struct Benchmarks {
  private let cluster: EtcdCluster
  private let folder: URL
  private let client: EtcdClient
  private var report = Report()

  static func main() async throws {
    let cluster = try EtcdCluster()
    try await cluster.waitUntilReady(EtcdConfiguration(endpoints: cluster.endpoints))
    let folder = FileManager.default.temporaryDirectory.appending(path: "replication-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    configuration.prefix = "/raw/"
    let client = try EtcdClient(configuration)
    var benchmarks = Benchmarks(cluster: cluster, folder: folder, client: client)
    try await benchmarks.run()
    try await client.shutdown()
  }

  private init(cluster: EtcdCluster, folder: URL, client: EtcdClient) {
    (self.cluster, self.folder, self.client) = (cluster, folder, client)
  }

  private mutating func run() async throws {
    try await reads()
    try await latency()
    try await throughput()
    try await plainWrites()
    try await observers()
    try await joining()
    report.print()
  }

  // MARK: Workspaces

  private func newPrefix() -> String { "/bench/\(UUID())/" }

  // Not the asynchronous calls of the same names.
  private static func close(_ workspace: SQLiteWorkspace) { workspace.shutdown() }
  private static func openPlain(_ path: String) throws -> SQLiteWorkspace {
    try .open(filePath: path, options: options)
  }

  private func open(_ prefix: String, path: String? = nil) throws -> SQLiteWorkspace {
    var replication = SQLiteWorkspace.Replication.etcd(endpoints: cluster.endpoints, prefix: prefix)
    replication.timeout = .seconds(60)
    return try .open(filePath: path ?? newPath(), options: Self.options, replication: replication)
  }

  private func openPlain() throws -> SQLiteWorkspace { try Self.openPlain(newPath()) }

  private func newPath() -> String { folder.appending(path: "\(UUID()).db").path() }

  private static var options: SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    return options
  }

  private static func fill(_ workspace: SQLiteWorkspace, _ count: Int) throws {
    for number in 0..<count { workspace.dictionary["key.\(number)"] = number }
    try workspace.dictionary.synchronize()
  }

  // MARK: Rows

  private mutating func reads() async throws {
    let prefix = newPrefix()
    let (replica, plain) = (try open(prefix), try openPlain())
    let (this, paths) = (self, (replica.filePath, plain.filePath))
    for workspace in [replica, plain] {
      try Self.fill(workspace, 40_000)
      try workspace.transactAndWait([Note.self]) { txn in
        for number in 0..<10_000 {
          try txn.insert(Note(id: Int64(number), score: Int64(number % 100), text: "note \(number)"))
        }
      }
    }
    func hot(_ workspace: SQLiteWorkspace) async throws -> Duration {
      var sum = 0
      for number in 0..<40_000 { sum += workspace.dictionary["key.\(number)", Int.self] ?? 0 }
      return try await time {
        for number in 0..<40_000 { sum += workspace.dictionary["key.\(number)", Int.self] ?? 0 }
        precondition(sum > 0)
      }
    }
    func cold(_ workspace: SQLiteWorkspace) async throws -> Duration {
      defer { Self.close(workspace) }
      return try await time {
        for number in 0..<40_000 { precondition(workspace.dictionary["key.\(number)", Int.self] == number) }
      }
    }
    func queries(_ workspace: SQLiteWorkspace) async throws -> Duration {
      try await time {
        for score in 0..<100 {
          precondition(workspace.fetch(for: Note.self).where(Note.score == Int64(score)).count == 100)
        }
      }
    }
    try await report.add("40,000 hot reads", atMost: 1.1) {
      try await hot(replica)
    } baseline: {
      try await hot(plain)
    }
    try await report.add("40,000 cold reads", atMost: 1.1) {
      try await cold(try this.open(prefix, path: paths.0))
    } baseline: {
      try await cold(try Self.openPlain(paths.1))
    }
    try await report.add("100 queries for 100 of 10,000 objects", atMost: 1.1) {
      try await queries(replica)
    } baseline: {
      try await queries(plain)
    }
    Self.close(replica)
    Self.close(plain)
  }

  /// A transaction that does what an append does: compares two keys, and puts two.
  private func rawTransaction(_ name: String, _ number: Int) async throws {
    let (log, head) = (EtcdKey("\(name)/log/\(number)"), EtcdKey("\(name)/head"))
    let result = try await client.transaction(
      if: [.isMissing(log), .isMissing("turn")],
      then: [.put(Array(repeating: 7, count: 100), for: log), .put(Array("\(number)".utf8), for: head)])
    precondition(result.isSuccess)
  }

  private mutating func latency() async throws {
    let workspace = try open(newPrefix())
    try await workspace.transact { $0.dictionary["k"] = -1 }
    let name = UUID().uuidString
    let next = Atomic(0)
    let client = self
    try await report.add("one transaction (median of 200)", atMost: 1.5) {
      try await median(of: 200) { number in try await workspace.transact { $0.dictionary["k"] = number } }
    } baseline: {
      try await median(of: 200) { _ in
        try await client.rawTransaction(name, next.wrappingAdd(1, ordering: .relaxed).newValue)
      }
    }
    Self.close(workspace)
  }

  /// Runs a closure for each number in as many tasks.
  private static func inTasks(
    _ tasks: Int, each: Int, _ body: @escaping @Sendable (_ task: Int, _ number: Int) async throws -> Void
  ) async throws -> Duration {
    try await time {
      try await withThrowingTaskGroup { group in
        for task in 0..<tasks {
          group.addTask { for number in 0..<each { try await body(task, number) } }
        }
        try await group.waitForAll()
      }
    }
  }

  private mutating func throughput() async throws {
    let prefix = newPrefix()
    let machines = try (0..<3).map { _ in try open(prefix) }
    for machine in machines { try await machine.transact { $0.dictionary["k"] = 1 } }
    let (tasks, each) = (64, 156)
    let this = self
    @Sendable func write(_ machine: SQLiteWorkspace, _ task: Int, _ number: Int) async throws {
      try await machine.transact { $0.dictionary["t.\(task)"] = number }
    }
    let one = { try await Self.inTasks(tasks, each: each) { try await write(machines[0], $0, $1) } }
    try await report.add("10,000 transactions from 64 tasks", atMost: 0.3, rounds: 3) {
      try await one()
    } baseline: {
      let name = UUID().uuidString
      return try await Self.inTasks(tasks, each: each) { try await this.rawTransaction("\(name)/\($0)", $1) }
    }
    try await report.add("10,000 transactions from three machines / from one", atMost: 2, rounds: 3) {
      try await Self.inTasks(tasks, each: each) { try await write(machines[$0 % 3], $0, $1) }
    } baseline: {
      try await one()
    }
    for machine in machines { Self.close(machine) }
  }

  private mutating func plainWrites() async throws {
    let this = self
    func write(_ workspace: SQLiteWorkspace) async throws -> Duration {
      defer { Self.close(workspace) }
      try workspace.transactAndWait { $0.dictionary["k"] = 0 }
      return try await time { try Self.fill(workspace, 40_000) }
    }
    try await report.add("40,000 plain writes, synced", atMost: 4) {
      try await write(try this.open(this.newPrefix()))
    } baseline: {
      try await write(try this.openPlain())
    }
  }

  private mutating func observers() async throws {
    let prefix = newPrefix()
    let (writer, reader) = (try open(prefix), try open(prefix))
    try await writer.transact { $0.dictionary["k"] = -1 }
    try reader.replication?.catchUp()
    let values = reader.dictionary.subscribe("k", of: Int.self)
    var iterator = values.makeAsyncIterator()
    _ = await iterator.next()
    let client = self.client
    // From the next revision on.
    var watch = client.watch(.key("watched"), after: try await client.put("", for: "watched")).makeAsyncIterator()
    try await client.put("-1", for: "watched")
    _ = try await watch.next()
    var number = 0
    try await report.add("commit to observer elsewhere (median of 200)", atMost: 1.5) {
      try await median(of: 200) { _ in
        number += 1
        let value = number
        try await writer.transact { $0.dictionary["k"] = value }
        while let found = await iterator.next(), found != value {}
      }
    } baseline: {
      try await median(of: 200) { number in
        try await client.put("\(number)", for: "watched")
        _ = try await watch.next()
      }
    }
    Self.close(writer)
    Self.close(reader)
  }

  private mutating func joining() async throws {
    let prefix = newPrefix()
    let seed = try open(prefix)
    // Records first: the log has them all.
    for batch in 0..<20 {
      try seed.transactAndWait { txn in for number in 0..<5_000 { txn.dictionary["key.\(batch).\(number)"] = number } }
    }
    var rates: [Double] = []
    for _ in 0..<3 {
      let began = ContinuousClock.now
      let replica = try open(prefix)
      rates.append(100_000 / ((ContinuousClock.now - began) / .seconds(1)))
      precondition(replica.dictionary.count == 100_000)
      Self.close(replica)
    }
    report.add(
      "joining by 100,000 keys of records, keys per second", String(Int(Report.median(rates))), atLeast: "100,000")
    // Then a snapshot of a million keys.
    for batch in 20..<200 {
      try seed.transactAndWait { txn in for number in 0..<5_000 { txn.dictionary["key.\(batch).\(number)"] = number } }
    }
    Self.close(seed)
    let (last, this) = (try open(prefix), self)
    try last.compact()
    let original = last.filePath
    try await report.add("joining with 1,000,000 keys / copying the file and syncing it", atMost: 5, rounds: 3) {
      try await time { Self.close(try this.open(prefix)) }
    } baseline: {
      let copy = this.newPath()
      return try await time {
        try FileManager.default.copyItem(atPath: original, toPath: copy)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
        try file.synchronize()
        try file.close()
      }
    }
    Self.close(last)
  }
}
