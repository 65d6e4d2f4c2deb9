#if Etcd

  import DflatEtcd

  /// The address of a log, without secrets, as files remember it: the endpoints, a line break, and the prefix.
  struct EtcdAddress: Equatable {
    var endpoints: [String]
    var prefix: String

    init(_ configuration: EtcdConfiguration) {
      endpoints = configuration.endpoints.map(Self.withoutUser)
      prefix = configuration.prefix.description
    }

    /// Decodes the text of an address. Returns nil for malformed text.
    init?(_ text: String) {
      guard let lineBreak = text.firstIndex(of: "\n") else { return nil }
      endpoints = text[..<lineBreak].split(separator: ",").map(String.init)
      prefix = String(text[text.index(after: lineBreak)...])
      if endpoints.isEmpty || prefix.isEmpty { return nil }
    }

    var text: String { endpoints.joined(separator: ",") + "\n" + prefix }

    /// The first endpoint with the prefix, for messages.
    var location: String {
      let endpoint = endpoints.first ?? ""
      let isSeparated = endpoint.hasSuffix("/") || prefix.hasPrefix("/")
      return endpoint + (isSeparated ? "" : "/") + (endpoint.hasSuffix("/") ? prefix.drop { $0 == "/" } : prefix[...])
    }

    /// Returns a URL without a name and a password.
    private static func withoutUser(_ url: String) -> String {
      guard let at = url.lastIndex(of: "@") else { return url }
      return url.prefix { $0 != "/" } + "//" + url[url.index(after: at)...]
    }
  }

#endif
