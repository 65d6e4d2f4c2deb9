import ArgumentParser
import DflatCore
import DflatKV

struct ClusterSeedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Begin a cluster with the contents of a file.",
    discussion: """
      There must be no cluster under the prefix yet. Close the programs that have the file open, and open it with \
      replication afterwards: those that go on without it fail with their next write.

      Example:
        kvtool cluster seed --db app.db --endpoints http://10.0.0.1:2379,http://10.0.0.2:2379 --prefix /apps/shop/
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var place: ClusterPlaceOptions

  func run() throws {
    var replication = try ClusterConnection.replication(
      at: place.urls, prefix: place.prefix.text, timeout: options.timeout)
    replication.seedsCluster = true
    if let membership = try options.openForReading().workspace.clusterMembership() {
      throw ToolError(
        .otherError,
        "\(try options.path()) belongs to cluster \(membership.cluster) already: see 'kvtool cluster status'")
    }
    let database = try options.openReplica(replication, access: .updating)
    let (cluster, commit) = (database.cluster, database.workspace.commitNumber)
    try StandardOutput.write(line: StandardOutput.line(of: "began cluster \(cluster) with commit \(commit)"))
  }
}
