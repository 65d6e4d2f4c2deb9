import ArgumentParser
import DflatCore
import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ClusterCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Compare a file with its cluster, row by row.",
    discussion: """
      Makes a new replica in a temporary folder from the cluster's snapshot and records, and compares its tables with those \
      of the file at one commit. Prints 'ok' and the commit, or each difference on a line and exits with status 5. 'kvtool \
      check' checks the file itself.

      Example:
        kvtool cluster check --db app.db
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let path = try options.path()
    let database = try options.openMember()
    let folder = FileManager.default.temporaryDirectory.appending(path: "kvtool-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    guard let membership = try database.workspace.clusterMembership(), let replication = database.workspace.replication
    else {
      return
    }
    // The new replica comes from the cluster alone.
    let copy = try OpenDatabase.openReplica(
      folder.appending(path: "copy.db").path, namespace: "",
      options: OpenDatabase.options(timeout: options.timeout, access: .creating),
      replication: try ClusterConnection.replication(
        ofFile: path, in: membership, timeout: options.timeout))
    defer { copy.workspace.shutdown() }
    guard let other = copy.workspace.replication else {
      return
    }
    let result = try replication.differences(from: other)
    guard result.lines.isEmpty else {
      try StandardOutput.write(
        lines: result.lines.map(StandardOutput.line(of:)),
        before: ToolError(
          .unreadableFile,
          "\(path) is not what its cluster has at commit \(result.commitNumber): move it away, and join again"))
      return
    }
    try StandardOutput.write(line: "ok, at commit \(result.commitNumber)")
  }
}
