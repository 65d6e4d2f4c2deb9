import ArgumentParser
import DflatCore
import DflatKV

#if Etcd
  import DflatEtcd
  import DflatReplication
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tool's connection to clusters. The file remembers where its cluster is; secrets and certificates come from the
/// environment, from the variables of etcdctl.
enum ClusterConnection {
  /// True if the tool was built with the trait `Etcd`, and so can take part in clusters.
  static var isBuiltIn: Bool {
    #if Etcd
      true
    #else
      false
    #endif
  }

  /// Returns the replication of a file that belongs to a cluster.
  static func replication(
    ofFile path: String, in membership: ClusterMembership, timeout: SecondsArgument?
  ) throws -> SQLiteWorkspace.Replication {
    #if Etcd
      let (credentials, tls) = try (credentials(), certificates())
      let endpoints = environment("ETCDCTL_ENDPOINTS").map(EndpointsArgument.list) ?? []
      guard
        membership.engine == "etcd",
        var replication = SQLiteWorkspace.Replication.etcd(
          address: membership.address, endpoints: endpoints, credentials: credentials, tls: tls)
      else {
        throw ToolError(
          .otherError,
          "\(path) belongs to the \(membership.engine) cluster at \(membership.location), which this version can't reach"
        )
      }
      if let timeout { replication.timeout = .seconds(timeout.seconds) }
      return replication
    #else
      throw ToolError(
        .otherError,
        "\(path) belongs to the \(membership.engine) cluster at \(membership.location), and this kvtool only reads it: "
          + "build one with 'swift build -c release --traits Etcd --product kvtool', or take the file out with "
          + "'kvtool cluster leave'")
    #endif
  }

  /// Returns the replication of a file that becomes a member of a cluster.
  static func replication(
    at endpoints: [String], prefix: String, timeout: SecondsArgument?
  ) throws -> SQLiteWorkspace.Replication {
    #if Etcd
      var replication = SQLiteWorkspace.Replication.etcd(
        endpoints: endpoints, prefix: prefix, credentials: try credentials(), tls: try certificates())
      if let timeout { replication.timeout = .seconds(timeout.seconds) }
      return replication
    #else
      throw ToolError(
        .otherError,
        "this kvtool was built without etcd: build one with 'swift build -c release --traits Etcd --product kvtool'")
    #endif
  }

  static func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  #if Etcd
    /// The user of `ETCDCTL_USER`, which is a name with a password after a colon, or with `ETCDCTL_PASSWORD`.
    private static func credentials() throws -> EtcdConfiguration.Credentials? {
      guard let user = environment("ETCDCTL_USER") else { return nil }
      if let password = environment("ETCDCTL_PASSWORD") { return .init(user: user, password: password) }
      guard let colon = user.firstIndex(of: ":") else {
        throw ToolError(.usage, "ETCDCTL_USER has no password: give it as USER:PASSWORD, or in ETCDCTL_PASSWORD")
      }
      return .init(user: String(user[..<colon]), password: String(user[user.index(after: colon)...]))
    }

    private static func certificates() throws -> EtcdConfiguration.TLS {
      var tls = EtcdConfiguration.TLS()
      tls.trustRoots = environment("ETCDCTL_CACERT")
      tls.certificateChain = environment("ETCDCTL_CERT")
      tls.privateKey = environment("ETCDCTL_KEY")
      return tls
    }
  #endif
}

/// The URLs of a cluster's members, with commas between them.
struct EndpointsArgument: ExpressibleByArgument {
  let urls: [String]

  init?(argument: String) {
    urls = Self.list(argument)
    if urls.isEmpty {
      return nil
    }
  }

  static func list(_ text: String) -> [String] {
    text.split(separator: ",").map(String.init)
  }
}
