#if Etcd

  /// The value of `cluster`: the cluster's identity and the number of the commit that the log began after.
  struct ClusterEntry: Equatable {
    var identity: String
    var base: UInt64

    init(identity: String, base: UInt64) { (self.identity, self.base) = (identity, base) }

    var encoded: [UInt8] { Array("\(identity) \(base)".utf8) }

    /// Decodes a value. Returns nil for malformed bytes.
    init?(decoding bytes: [UInt8]) {
      guard bytes.count <= 256, let text = String(validating: bytes, as: UTF8.self) else { return nil }
      let words = text.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 2, !words[0].isEmpty, let base = DecimalNumber.value(words[1].utf8) else { return nil }
      self.init(identity: String(words[0]), base: base)
    }
  }

  /// Numbers in decimal digits, in the one spelling that comparisons of values can rely on.
  enum DecimalNumber {
    static func bytes(_ number: UInt64) -> [UInt8] { Array("\(number)".utf8) }

    static func value(_ bytes: some Collection<UInt8>) -> UInt64? {
      guard bytes.count <= 20, let number = UInt64(String(decoding: bytes, as: UTF8.self)),
        self.bytes(number).elementsEqual(bytes)
      else { return nil }
      return number
    }
  }

#endif
