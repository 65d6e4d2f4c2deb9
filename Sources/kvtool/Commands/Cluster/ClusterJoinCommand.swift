import ArgumentParser
import DflatCore
import DflatKV

struct ClusterJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Make a new file with the contents of a cluster, and a member of it.",
    discussion: """
      The command ends when the file has the newest commit. A file that is a member already catches up. A file with commits \
      of its own is refused.

      Example:
        kvtool cluster join --db app.db --endpoints http://10.0.0.1:2379,http://10.0.0.2:2379 --prefix /apps/shop/
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var creation: CreationOptions
  @OptionGroup var place: ClusterPlaceOptions

  func run() throws {
    var replication = try ClusterConnection.replication(
      at: place.urls, prefix: place.prefix.text, timeout: options.timeout)
    replication.createsCluster = false
    try options.prepareFolder(creation)
    let database = try options.openReplica(replication, access: .creating)
    let (cluster, commit) = (database.cluster, database.workspace.commitNumber)
    try StandardOutput.write(line: StandardOutput.line(of: "joined cluster \(cluster) at commit \(commit)"))
  }
}
