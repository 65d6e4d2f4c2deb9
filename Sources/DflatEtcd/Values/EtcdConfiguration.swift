#if Etcd

  public import Logging

  /// The location of the cluster, and the settings for talking to it.
  ///
  ///     var configuration = EtcdConfiguration(endpoints: ["https://10.0.0.1:2379", "https://10.0.0.2:2379"])
  ///     configuration.prefix = "/apps/shop/"
  ///     configuration.tls.trustRoots = "/etc/shop/ca.pem"
  ///     configuration.credentials = .init(user: "shop", password: password)
  public struct EtcdConfiguration: Sendable {
    /// The URLs under which the members serve clients, with `http` or `https`. The client uses one and goes on to
    /// the next when it fails.
    public var endpoints: [String]
    /// Precedes each key in etcd. Keys that the client takes and returns don't have it, and it can't reach others.
    public var prefix: EtcdKey = ""
    /// The user, if the cluster asks for one. The password is sent to the endpoints: use `https`.
    public var credentials: Credentials?
    /// Certificates, for endpoints with `https`.
    public var tls = TLS()
    /// The time for a call, over all its attempts, until the answer begins. Getting a token for the user first has as
    /// much time again. An answer that has begun may take longer, but no longer than this without a byte.
    public var requestTimeout = Duration.seconds(5)
    /// The time for one attempt of a call that may be repeated, after which the next endpoint is tried. A write has
    /// the whole `requestTimeout`: it can't be repeated once it is sent.
    public var attemptTimeout = Duration.seconds(2)
    /// The time for ``EtcdClient/defragment(_:)``, instead of `requestTimeout`.
    public var defragmentationTimeout = Duration.seconds(60)
    /// The time for connecting to an endpoint.
    public var connectTimeout = Duration.seconds(1)
    /// A watch without events for this long is set up again, from the last revision that it has delivered, so that a
    /// lost connection is noticed at the latest then. At least 100 ms.
    public var watchRenewal = Duration.seconds(30)
    /// The largest answer that is accepted, in bytes; for a watch, the largest message, and the largest revision. etcd
    /// splits what it sends to watches into messages of about 3 MB, unless a single change is larger.
    public var maximumResponseSize = 64 << 20
    /// Gets a line for each endpoint that fails (`.debug`).
    public var logger = Logger(label: "dflatetcd")

    /// Creates the configuration of a cluster with these endpoints.
    public init(endpoints: [String]) { self.endpoints = endpoints }
  }

  extension EtcdConfiguration {
    /// A user's name and password.
    public struct Credentials: Sendable {
      /// The user's name.
      public var user: String
      /// The user's password.
      public var password: String

      /// Creates the credentials of a user.
      public init(user: String, password: String) {
        self.user = user
        self.password = password
      }
    }

    /// Certificates, as paths of PEM files.
    public struct TLS: Sendable {
      /// The certificates of the authorities that sign the servers' certificates; nil for the system's.
      public var trustRoots: String?
      /// The client's certificate, followed by those of its authorities, if the cluster asks for one.
      public var certificateChain: String?
      /// The private key of the client's certificate.
      public var privateKey: String?

      /// Creates the configuration that trusts the system's authorities and has no certificate of its own.
      public init() {}
    }
  }

#endif
