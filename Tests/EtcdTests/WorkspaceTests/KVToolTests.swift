import DflatEtcd
import DflatKV
import DflatReplication
import EtcdTestSupport
import Foundation
import Testing

/// kvtool on replicas, against a real member.
@Suite(.serialized) struct KVToolTests {
  private let cluster: EtcdCluster
  private let folder: URL

  init() async throws {
    cluster = try EtcdCluster(members: 1)
    try await cluster.waitUntilReady(EtcdConfiguration(endpoints: cluster.endpoints))
    folder = FileManager.default.temporaryDirectory.appending(path: "kvtool-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  // MARK: Running

  /// Runs the tool on a file of the folder.
  @discardableResult
  private func kvtool(on name: String, _ arguments: String..., environment: [String: String] = [:]) throws -> ToolRun {
    try run(arguments + ["--db", folder.appending(path: name).path()], environment)
  }

  private func run(_ arguments: [String], _ environment: [String: String]) throws -> ToolRun {
    try ToolRun(arguments, environment: environment, in: folder)
  }

  private func place(_ prefix: String = "/app/") -> [String] {
    ["--endpoints", cluster.endpoints.joined(separator: ","), "--prefix", prefix]
  }

  private func cluster(_ command: String, on name: String, prefix: String = "/app/") throws -> ToolRun {
    try run(["cluster", command, "--db", folder.appending(path: name).path()] + place(prefix), [:])
  }

  /// A file with a key begins the cluster, and another one joins.
  private func seed() throws {
    try kvtool(on: "a.db", "set", "k", "1", "--int")
    #expect(try cluster("seed", on: "a.db").output.hasPrefix("began cluster "))
    #expect(try cluster("join", on: "b.db").output.hasSuffix("at commit 1\n"))
  }

  // MARK: Tests

  @Test("Commands that write take part in the cluster, wherever they run")
  func writing() async throws {
    try seed()
    #expect(try kvtool(on: "b.db", "get", "k").output == "1\n")
    #expect(try kvtool(on: "b.db", "incr", "k").output == "2\n")
    #expect(try kvtool(on: "a.db", "incr", "k").output == "3\n")
    #expect(try kvtool(on: "b.db", "set", "k", "9", "--if-value", "2").status == 3)
    // A command that failed has given the turn back, so that the next one doesn't wait for the end of a lease.
    let began = ContinuousClock.now
    #expect(try kvtool(on: "a.db", "set", "k", "4").status == 0)
    #expect(ContinuousClock.now - began < .seconds(8))
    #expect(try kvtool(on: "b.db", "txn").status == 0)
    for name in ["a.db", "b.db"] {
      let check = try kvtool(on: name, "cluster", "check")
      #expect(check.status == 0 && check.output.hasPrefix("ok, at commit "), "\(check)")
      #expect(try kvtool(on: name, "get", "k").output == "4\n")
    }
  }

  @Test("A program that is killed between its append and its COMMIT has the commit when it runs again")
  func killing() async throws {
    try seed()
    let kills = 1
    let member = cluster.endpoints[0]
    let (appends, appended) = AsyncStream.makeStream(of: Void.self)
    let proxy = try await FaultyEndpoint { request, _ in
      // Only appends compare a value.
      if request.path == "/v3/kv/txn", request.body.contains("VALUE") {
        return .forwardAndHang(to: member) { appended.yield() }
      }
      return request.path == "/v3/watch" ? .forwardStream(to: member, messages: .max) : .forward(to: member)
    }
    var answers = appends.makeAsyncIterator()
    for kill in 1...kills {
      let process = try ChildProcess(
        [
          BuiltTool.url(named: "kvtool").path(), "incr", "k", "--timeout", "60", "--db",
          folder.appending(path: "a.db").path(),
        ],
        environment: ["HOME": folder.path(), "ETCDCTL_ENDPOINTS": proxy.endpoint])
      // The append is in the cluster, and the program waits for the answer.
      await answers.next()
      process.signal(SIGKILL)
      #expect(process.wait() == -1)
      // Another machine gets the commit.
      #expect(try cluster("join", on: "b.db").output.hasSuffix("at commit \(1 + kill)\n"))
    }
    // The turn of the killed program has to end first.
    #expect(try kvtool(on: "a.db", "incr", "k", "--timeout", "60").output == "\(kills + 2)\n")
    for name in ["a.db", "b.db"] {
      let check = try kvtool(on: name, "cluster", "check")
      #expect(check.status == 0 && check.output.hasPrefix("ok, at commit \(kills + 2)"), "\(check)")
    }
  }

  @Test("A subscription shows commits of other machines")
  func subscribing() async throws {
    try seed()
    let writer = Task { [self] in
      for value in 2...200 {
        if try kvtool(on: "a.db", "set", "k", "\(value)").status != 0 || Task.isCancelled { break }
      }
    }
    let seen = try kvtool(on: "b.db", "subscribe", "k", "--no-initial", "--count", "3", "--format", "ndjson")
    writer.cancel()
    #expect(seen.status == 0 && seen.output.split(separator: "\n").count == 3, "\(seen)")
    _ = try? await writer.value
  }

  @Test("The status shows the position, the log, the turn and the members")
  func status() async throws {
    try seed()
    try kvtool(on: "a.db", "set", "k", "2")
    let status = try kvtool(on: "b.db", "cluster", "status", "--format", "json")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
    #expect(json["commit"] as? Int == 1)
    #expect(json["clusterCommit"] as? Int == 2)
    #expect(json["behind"] as? Int == 1)
    #expect(json["records"] as? Int == 1)
    #expect((json["snapshot"] as? [String: Any])?["commit"] as? Int == 1)
    #expect((json["members"] as? [[String: Any]])?.first?["isLeader"] as? Bool == true)
    #expect((json["alarms"] as? [String])?.isEmpty == true)
    let text = try kvtool(on: "b.db", "cluster", "status")
    #expect(text.status == 0 && text.output.contains("leads, etcd 3."), "\(text)")
  }

  @Test("A snapshot on demand makes the log shorter")
  func snapshot() async throws {
    try seed()
    for value in 2...4 { try kvtool(on: "a.db", "set", "k", "\(value)") }
    #expect(try kvtool(on: "b.db", "cluster", "snapshot").output == "stored commit 4\n")
    try kvtool(on: "a.db", "set", "k", "5")
    #expect(try kvtool(on: "a.db", "cluster", "snapshot").output == "stored commit 5\n")
    let status = try kvtool(on: "a.db", "cluster", "status")
    #expect(status.output.contains("1, from 5 on"), "\(status)")
    #expect(try cluster("join", on: "c.db").output.hasSuffix("at commit 5\n"))
    #expect(try kvtool(on: "c.db", "get", "k").output == "5\n")
  }

  @Test("What a cluster refuses says why, and leaves the file as it was")
  func refusals() async throws {
    #expect(try cluster("join", on: "new.db").error.contains("there is no cluster"))
    #expect(try cluster("seed", on: "none.db").error.contains("there is no database"))
    try seed()
    #expect(try cluster("seed", on: "a.db").error.contains("belongs to cluster"))
    try kvtool(on: "own.db", "set", "k", "7")
    #expect(try cluster("join", on: "own.db").error.contains("has commits of its own"))
    #expect(try cluster("seed", on: "own.db").error.contains("has commits of its own"))
    #expect(try kvtool(on: "own.db", "set", "k", "8").status == 0)
    // Joining again is catching up.
    #expect(try cluster("join", on: "b.db").status == 0)
    #expect(try cluster("join", on: "b.db", prefix: "/other/").error.contains("there is no cluster"))
  }

  @Test("A file that has left is written alone; a lost cluster begins again with it")
  func leaving() async throws {
    try seed()
    for member in cluster.members { member.kill() }
    let refused = try kvtool(on: "b.db", "set", "k", "2", "--timeout", "1")
    #expect(refused.status == 1 && refused.error.contains("can't be reached"), "\(refused)")
    #expect(try kvtool(on: "b.db", "get", "k").output == "1\n")
    let status = try kvtool(on: "b.db", "cluster", "status", "--timeout", "1")
    #expect(status.status == 1 && status.output.contains("commit    1"), "\(status)")
    #expect(try kvtool(on: "b.db", "cluster", "leave").status == 0)
    #expect(try kvtool(on: "b.db", "set", "k", "2").status == 0)
    for member in cluster.members { try member.start() }
    #expect(
      try run(
        ["cluster", "seed", "--timeout", "60", "--db", folder.appending(path: "b.db").path()]
          + place("/again/"), [:]
      ).status == 0)
    #expect(try cluster("join", on: "d.db", prefix: "/again/").status == 0)
    #expect(try kvtool(on: "d.db", "get", "k").output == "2\n")
  }

  @Test("The endpoints of the environment take the place of those in the file")
  func endpoints() async throws {
    try seed()
    let old = cluster.endpoints.joined(separator: ",")
    let elsewhere = ["ETCDCTL_ENDPOINTS": "http://127.0.0.1:9"]
    #expect(try kvtool(on: "a.db", "set", "k", "2", "--timeout", "1", environment: elsewhere).status == 1)
    #expect(try kvtool(on: "a.db", "set", "k", "2", environment: ["ETCDCTL_ENDPOINTS": old]).status == 0)
    #expect(try kvtool(on: "a.db", "incr", "k").output == "3\n")
    #expect(try kvtool(on: "a.db", "set", "k", "4", environment: ["ETCDCTL_USER": "me"]).status == 64)
  }
}
