#if Etcd

  /// A client of an etcd cluster, through the JSON gateway that every member serves.
  ///
  ///     let client = try EtcdClient(.init(endpoints: ["http://127.0.0.1:2379"]))
  ///     try await client.put("dark", for: "theme")
  ///     let theme = try await client.get("theme")
  ///     try await client.shutdown()
  ///
  /// Any task of any thread may use a client, and a program needs only one for each cluster. Calls run side by side.
  ///
  /// A call that fails to reach an endpoint goes on to the next one, and reads are repeated on other endpoints, until
  /// ``EtcdConfiguration/requestTimeout`` is over. A write that may have been carried out is never repeated, unless doing
  /// it twice is the same as once, as for leases: its error says so (``EtcdError/mayHaveTakenEffect``). A cancelled task ends its call with `.cancelled`.
  public final class EtcdClient: Sendable {
    let gateway: Gateway
    let keyspace: Keyspace

    /// Creates a client. It connects with its first call.
    ///
    /// - Throws: ``EtcdError`` `.invalidConfiguration` if there is no endpoint, one is not a URL with `http` or
    ///   `https`, or a certificate can't be read.
    public convenience init(_ configuration: EtcdConfiguration) throws { try self.init(configuration, .standard) }

    package init(_ configuration: EtcdConfiguration, _ runtime: ClientRuntime) throws {
      keyspace = Keyspace(prefix: configuration.prefix.bytes)
      gateway = try Gateway(configuration, runtime)
    }

    /// Closes the connections. Calls and watches that still run fail, and so do later ones (`.shutDown`). Shut a client
    /// down before it is released.
    ///
    /// - Throws: ``EtcdError`` `.shutDown` if it has been called before.
    public func shutdown() async throws { try await gateway.shutdown() }
  }

#endif
