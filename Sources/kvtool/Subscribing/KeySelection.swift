import DflatKV

/// The keys that a subscription watches.
struct KeySelection: Sendable {
  /// Keys named on the command line, whose initial values are reported.
  let keys: [String]
  /// Prefix of the other keys to watch; nil for none.
  let prefix: String?

  init(keys: [String], prefix: String?) {
    var seen: Set<ByteComparedString> = []
    self.keys = keys.filter { seen.insert(ByteComparedString($0)).inserted }
    self.prefix = prefix
  }
}
