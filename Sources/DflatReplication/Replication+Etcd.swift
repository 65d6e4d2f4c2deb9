#if Etcd

  public import DflatCore
  public import DflatEtcd

  extension SQLiteWorkspace.Replication {
    /// Lets a cluster of etcd order the commits.
    ///
    ///     let workspace = try SQLiteWorkspace.open(
    ///       filePath: "app.db",
    ///       replication: .etcd(
    ///         endpoints: ["https://10.0.0.1:2379", "https://10.0.0.2:2379", "https://10.0.0.3:2379"],
    ///         prefix: "/apps/shop/"))
    ///
    /// Workspaces with the same cluster and prefix are replicas of each other. Opening one connects when it needs to.
    ///
    /// - Parameters:
    ///   - endpoints: The URLs under which the members serve clients.
    ///   - prefix: Precedes all keys. Nothing else may use keys that begin with it. A slash is added if it ends with none.
    ///   - credentials: The user, if the cluster asks for one.
    ///   - tls: Certificates, for endpoints with `https`.
    public static func etcd(
      endpoints: [String], prefix: String, credentials: EtcdConfiguration.Credentials? = nil,
      tls: EtcdConfiguration.TLS = EtcdConfiguration.TLS()
    ) -> Self {
      Self {
        var configuration = EtcdConfiguration(endpoints: endpoints)
        configuration.prefix = EtcdKey(prefix.hasSuffix("/") ? prefix : prefix + "/")
        configuration.credentials = credentials
        configuration.tls = tls
        return try EtcdCommitLog(configuration)
      }
    }

    /// Lets the cluster order the commits that a file remembers (`ClusterMembership.address`).
    ///
    /// - Parameter endpoints: Take the place of those that the file remembers, if there are any.
    /// - Returns: Nil if the address isn't one of etcd's.
    package static func etcd(
      address: String, endpoints: [String] = [], credentials: EtcdConfiguration.Credentials?,
      tls: EtcdConfiguration.TLS
    ) -> Self? {
      guard let address = EtcdAddress(address) else { return nil }
      return .etcd(
        endpoints: endpoints.isEmpty ? address.endpoints : endpoints, prefix: address.prefix, credentials: credentials,
        tls: tls)
    }
  }

#endif
