import ArgumentParser
import DflatCore
import DflatKV

struct ClusterStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print how far a file has come in its cluster, and the state of the cluster.",
    discussion: """
      The file is only read. 'behind' is the number of commits that it doesn't have yet: zero while a program has it open \
      with replication, apart from moments. 'turn' is the process that may commit, as HOST/PROCESS/NUMBER. If the cluster \
      can't be reached, what the file says is printed, and the exit status is 1.

      Example:
        kvtool cluster status --db app.db
        kvtool cluster status --db app.db --format json
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: "The format: text or json.")
  var format = ListFormat.text

  func run() throws {
    let path = try options.path()
    let workspace = try options.openForReading().workspace
    guard let membership = try workspace.clusterMembership() else {
      throw ToolError(.otherError, "\(path) belongs to no cluster: see 'kvtool cluster join --help'")
    }
    let result = Result { try report(on: path, in: membership) }
    let status = ClusterStatus(
      path: path, commitNumber: workspace.commitNumber, membership: membership, report: try? result.get())
    let lines = format == .json ? [StandardOutput.text(status.json)] : status.lines
    if case .failure(let error) = result { return try StandardOutput.write(lines: lines, before: error) }
    try StandardOutput.write(lines: lines)
  }

  private func report(on path: String, in membership: ClusterMembership) throws -> CommitLogReport {
    let replication = try ClusterConnection.replication(
      ofFile: path, in: membership, timeout: options.timeout ?? SecondsArgument(seconds: GlobalOptions.timeoutOfLocks))
    do {
      let log = try replication.makeLog()
      defer { log.close() }
      let report = try log.report(within: replication.timeout)
      guard report.status.cluster == nil || report.status.cluster == membership.cluster else {
        throw ToolError(.otherError, "another cluster is at \(log.location): \(report.status.cluster ?? "")")
      }
      return report
    } catch let error as CommitLogError {
      throw ToolError(.otherError, "the cluster at \(membership.location) can't be read: \(error.message)")
    }
  }
}

/// The printed state of a replica and its cluster.
private struct ClusterStatus {
  let path: String
  let commitNumber: UInt64
  let membership: ClusterMembership
  /// Nil if the cluster can't be reached.
  let report: CommitLogReport?

  private var behind: UInt64 {
    report.map { $0.status.head > commitNumber ? $0.status.head - commitNumber : 0 } ?? 0
  }

  private func recordCount(_ status: CommitLogStatus) -> UInt64 {
    status.head + 1 - min(status.oldest, status.head + 1)
  }

  var lines: [String] {
    var rows = [
      ["file", path], ["cluster", membership.cluster], ["location", membership.location],
      ["commit", "\(commitNumber)"],
    ]
    if let report {
      let status = report.status
      rows += [
        ["cluster commit", "\(status.head)"], ["behind", "\(behind)"],
        ["records", "\(recordCount(status)), from \(status.oldest) on"],
        ["snapshot", report.snapshot.map { "commit \($0.commitNumber), \($0.size) bytes" } ?? "none"],
        ["turn", report.holder ?? "free"],
        ["waiting", report.waiters.isEmpty ? "none" : report.waiters.joined(separator: " ")],
      ]
      rows += report.members.map { ["member", "\($0.endpoint), \(Self.text($0.state))"] }
      rows += report.alarms.map { ["alarm", $0] }
    }
    return TextTable.lines(rows.map { [$0[0], StandardOutput.line(of: $0[1])] }, alignments: [.left, .none])
  }

  private static func text(_ state: CommitLogReport.State) -> String {
    switch state {
    case .answers(let isLeader, let version, let stored, let used):
      "\(isLeader ? "leads, " : "")etcd \(version), \(stored) bytes, \(used) in use"
    case .fails(let reason): "doesn't answer: \(reason)"
    }
  }

  var json: JSONValue {
    var members: [JSONObject.Member] = [
      .init(name: "file", value: .string(path)), .init(name: "cluster", value: .string(membership.cluster)),
      .init(name: "engine", value: .string(membership.engine)),
      .init(name: "location", value: .string(membership.location)),
      .init(name: "commit", value: JSONValue(commitNumber)), .init(name: "isReachable", value: .bool(report != nil)),
    ]
    if let report {
      let snapshot = report.snapshot.map {
        JSONValue.object(JSONObject(["commit": JSONValue($0.commitNumber), "bytes": JSONValue($0.size)]))
      }
      members += [
        .init(name: "clusterCommit", value: JSONValue(report.status.head)),
        .init(name: "behind", value: JSONValue(behind)),
        .init(name: "records", value: JSONValue(recordCount(report.status))),
        .init(name: "oldestRecord", value: JSONValue(report.status.oldest)),
        .init(name: "snapshot", value: snapshot ?? .null),
        .init(name: "turn", value: report.holder.map(JSONValue.string) ?? .null),
        .init(name: "waiting", value: .array(report.waiters.map(JSONValue.string))),
        .init(name: "members", value: .array(report.members.map(Self.json))),
        .init(name: "alarms", value: .array(report.alarms.map(JSONValue.string))),
      ]
    }
    return JSONObject(unsorted: members).map(JSONValue.object) ?? .null
  }

  private static func json(_ member: CommitLogReport.Member) -> JSONValue {
    switch member.state {
    case .answers(let isLeader, let version, let stored, let used):
      .object(
        JSONObject([
          "endpoint": .string(member.endpoint), "isLeader": .bool(isLeader), "version": .string(version),
          "storedBytes": JSONValue(stored), "usedBytes": JSONValue(used),
        ]))
    case .fails(let reason):
      .object(JSONObject(["endpoint": .string(member.endpoint), "error": .string(reason)]))
    }
  }
}
