import ArgumentParser
import DflatCore
import DflatKV

struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Make a file a replica in a cluster of etcd, and look after it.",
    discussion: """
      A replica has the commits of all machines of its cluster. The file remembers where the cluster is, so that the other \
      commands take part in it: those that write, and subscribe. get and other commands that only read show what the file \
      has. Users and certificates come from etcdctl's variables: ETCDCTL_USER, ETCDCTL_PASSWORD, ETCDCTL_CACERT, \
      ETCDCTL_CERT, ETCDCTL_KEY; ETCDCTL_ENDPOINTS takes the place of the URLs that the file remembers. The tool has to be \
      built with the trait Etcd.

      Example:
        kvtool cluster seed --db app.db --endpoints http://10.0.0.1:2379 --prefix /apps/shop/
        kvtool cluster join --db app.db --endpoints http://10.0.0.1:2379 --prefix /apps/shop/
        kvtool cluster status --db app.db
      """,
    subcommands: [
      ClusterStatusCommand.self, ClusterJoinCommand.self, ClusterSeedCommand.self, ClusterLeaveCommand.self,
      ClusterSnapshotCommand.self, ClusterCheckCommand.self,
    ])
}

/// The location of a cluster.
struct ClusterPlaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The URLs of etcd's members, with commas between them (else $ETCDCTL_ENDPOINTS).", valueName: "urls"))
  var endpoints: EndpointsArgument?

  @Option(help: ArgumentHelp("The beginning of the cluster's keys in etcd, such as /apps/shop/.", valueName: "prefix"))
  var prefix: TextArgument

  func validate() throws {
    guard !prefix.text.isEmpty else {
      throw ValidationError("--prefix must not be empty: the cluster needs keys of its own")
    }
    guard urls.isEmpty == false else {
      throw ValidationError("name etcd's members with --endpoints, or in ETCDCTL_ENDPOINTS")
    }
  }

  var urls: [String] {
    endpoints?.urls ?? ClusterConnection.environment("ETCDCTL_ENDPOINTS").map(EndpointsArgument.list) ?? []
  }
}

extension GlobalOptions {
  /// Opens the file as a replica.
  func openReplica(
    _ replication: SQLiteWorkspace.Replication, access: OpenDatabase.Access
  ) throws -> OpenDatabase {
    try OpenDatabase.openReplica(
      try path(), namespace: namespaceName,
      options: OpenDatabase.options(timeout: timeout, access: access), replication: replication)
  }
}

extension OpenDatabase {
  /// The identity of the replica's cluster.
  var cluster: String {
    workspace.replication?.cluster ?? ""
  }
}
