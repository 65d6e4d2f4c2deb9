import DflatKV
import TestSupport
import Testing

/// A tool that was built without the trait `Etcd`, on a file that belongs to a cluster.
@Suite struct ClusterTests {
  private let kvtool: KVToolRunner
  private let cluster = MemoryCluster()

  init() async throws {
    kvtool = try KVToolRunner()
    try write(1)
  }

  /// Writes as a program that takes part in the cluster does.
  private func write(_ value: Int) throws {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    let workspace = try SQLiteWorkspace.open(
      filePath: kvtool.database.path, options: options, replication: cluster.replication())
    try workspace.transactAndWait { $0.dictionary["k"] = value }
    workspace.shutdown()
  }

  @Test("The file is read, and not written, with an explanation")
  func readingAndWriting() async throws {
    #expect(try await kvtool("get", "k").output == "1\n")
    #expect(try await kvtool("check").output == "ok\n")
    let writers = [
      ["set", "k", "2"], ["incr", "k"], ["delete", "k"], ["rename", "k", "l"], ["compact"], ["repair"],
      ["cluster", "snapshot"], ["cluster", "check"],
    ]
    for arguments in writers {
      let refused = try await kvtool.run(arguments)
      #expect(refused.status == 1, "\(arguments)")
      #expect(refused.error.contains("belongs to the memory cluster at this process"), "\(arguments): \(refused.error)")
      #expect(refused.error.contains("--traits Etcd") && refused.error.split(separator: "\n").count == 1)
    }
    #expect(try await kvtool("get", "k").output == "1\n")
    #expect(cluster.head == 1)
  }

  @Test("A program's commits are watched without taking part")
  func watching() async throws {
    let first = try await kvtool("subscribe", "k", "--count", "1")
    #expect(first.output == "k = 1\n")
  }

  @Test("The status shows what the file says, and that the cluster is not reached")
  func status() async throws {
    let status = try await kvtool("cluster", "status")
    #expect(status.status == 1)
    #expect(status.lines.contains { $0.hasPrefix("location") && $0.hasSuffix("this process") })
    #expect(status.lines.contains { $0.hasPrefix("commit") && $0.hasSuffix(" 1") })
    let json = try await kvtool("--db", kvtool.database.path, "cluster", "status", "--format", "json")
    #expect(json.output.contains(#""isReachable":false"#) && json.output.contains(#""engine":"memory""#))
  }

  @Test("Control characters in what the file says of its cluster are escaped") func controlCharacters() async throws {
    try RawDatabase.execute(
      "UPDATE dflat_cluster SET value = 'x' || char(27) || '[31m' WHERE name IN ('cluster', 'location')",
      on: kvtool.database.path)
    let status = try await kvtool("cluster", "status")
    #expect(status.lines.count { $0.hasSuffix(#""x\u001b[31m""#) } == 2, "\(status)")
    #expect(!status.error.contains("\u{1B}"))
    #expect(try await kvtool("cluster", "leave").output == #""left cluster x\u001b[31m""# + "\n")
  }

  @Test("A file that leaves is written again, and its cluster refuses it")
  func leaving() async throws {
    let left = try await kvtool("cluster", "leave")
    #expect(left.status == 0 && left.output.hasPrefix("left cluster "))
    #expect(try await kvtool("set", "k", "2").status == 0)
    #expect(try await kvtool("cluster", "leave").error.contains("belongs to no cluster"))
    #expect(try await kvtool("cluster", "status").error.contains("belongs to no cluster"))
    #expect(throws: WorkspaceError.self) { try write(3) }
    #expect(try await kvtool("get", "k").output == "2\n")
  }

  @Test("Joining and seeding need the trait, and say so")
  func joining() async throws {
    for command in ["join", "seed"] {
      let refused = try await kvtool("cluster", command, "--endpoints", "http://127.0.0.1:1", "--prefix", "/p/")
      #expect(refused.status == 1 && refused.error.contains("--traits Etcd"))
    }
  }

  @Test(
    "Wrong command lines are refused",
    arguments: [
      ["cluster"], ["cluster", "nonsense"], ["cluster", "join"], ["cluster", "join", "--prefix", "/p/"],
      ["cluster", "join", "--endpoints", ",", "--prefix", "/p/"],
      ["cluster", "seed", "--endpoints", "http://a", "--prefix", ""], ["cluster", "status", "more"],
    ])
  func usage(arguments: [String]) async throws {
    let outcome = try await kvtool.run(arguments, environment: ["ETCDCTL_ENDPOINTS": ""])
    #expect(outcome.status == (arguments == ["cluster"] ? 0 : 64), "\(outcome)")
  }

  @Test("A missing file is named, and not created")
  func missing() async throws {
    for command in ["status", "leave", "snapshot", "check"] {
      let outcome = try await kvtool("cluster", command, "--db", kvtool.folder.path + "/none.db")
      #expect(outcome.status == 1 && outcome.error.contains("none.db"), "\(outcome)")
    }
  }
}
