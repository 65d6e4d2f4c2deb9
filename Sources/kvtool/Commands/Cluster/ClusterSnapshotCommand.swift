import ArgumentParser
import DflatCore
import DflatKV

struct ClusterSnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Store a snapshot of the newest commit in the cluster, from which new machines begin.",
    discussion: """
      Programs do this by themselves when the log has grown. Records that the previous snapshot covers are deleted, and \
      etcd's history is compacted.

      Example:
        kvtool cluster snapshot --db app.db
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let database = try options.openMember()
    try database.workspace.replication?.storeSnapshot()
    try StandardOutput.write(line: "stored commit \(database.workspace.commitNumber)")
  }
}

extension GlobalOptions {
  /// Opens a file that belongs to a cluster.
  func openMember() throws -> OpenDatabase {
    let database = try openForUpdating()
    guard database.workspace.replication != nil else {
      throw ToolError(.otherError, "\(try path()) belongs to no cluster: see 'kvtool cluster join --help'")
    }
    return database
  }
}
