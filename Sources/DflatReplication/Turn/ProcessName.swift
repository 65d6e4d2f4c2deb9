#if Etcd

  import DflatSupport

  /// The names of processes among those that have the turn or wait for it: "host-a/4711/…", with random digits, because a
  /// process can have several workspaces.
  enum ProcessName {
    static func make() -> String {
      var bytes = [CChar](repeating: 0, count: 256)
      let isKnown = gethostname(&bytes, bytes.count - 1) == 0
      let host = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      // A space ends the name in `TurnValue`.
      let name = host.unicodeScalars.filter { $0.isASCII && $0.properties.generalCategory != .control && $0 != " " }
      let digits = LogKeys.digits(.random(in: .min ... .max))
      return
        "\(isKnown && !name.isEmpty ? String(String.UnicodeScalarView(name.prefix(64))) : "host")/\(getpid())/\(digits)"
    }
  }

#endif
