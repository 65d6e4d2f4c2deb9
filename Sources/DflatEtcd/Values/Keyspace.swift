#if Etcd

  /// Translates between a client's keys and those in etcd, which begin with the client's prefix.
  struct Keyspace: Sendable {
    let prefix: [UInt8]

    func stored(_ key: EtcdKey) -> [UInt8] { prefix + key.bytes }

    /// Returns the key of a stored one; nil if it is outside of the namespace.
    func key(fromStored bytes: [UInt8]) -> EtcdKey? {
      bytes.starts(with: prefix) ? EtcdKey(bytes.dropFirst(prefix.count)) : nil
    }

    /// Returns true for a range that ends before it begins.
    func isEmpty(_ range: EtcdKeyRange) -> Bool {
      guard case .range(let first, let end) = range.bounds else { return false }
      // As an end, a zero byte means the end of all keys; no key is before it.
      return first >= end || stored(end) == [0]
    }

    /// Returns true for a single key without a byte, which etcd doesn't have.
    func isEmptyKey(_ range: EtcdKeyRange) -> Bool {
      guard case .key(let key) = range.bounds else { return false }
      return stored(key).isEmpty
    }

    /// Returns the first stored key of a range, and the one after its last; nil as the end for a single key.
    func bounds(of range: EtcdKeyRange) -> (first: [UInt8], end: [UInt8]?) {
      switch range.bounds {
      case .key(let key): return (stored(key), nil)
      case .prefix(let key): return (Self.first(stored(key)), Self.end(ofPrefix: stored(key)))
      case .from(let first): return (Self.first(stored(first)), Self.end(ofPrefix: prefix))
      case .range(let first, let end):
        if !isEmpty(range) { return (Self.first(stored(first)), stored(end)) }
        let key = stored(first) + [0, 0]
        return (key, key)
      }
    }

    /// The empty key doesn't exist, so a range may begin with the key after it.
    private static func first(_ key: [UInt8]) -> [UInt8] { key.isEmpty ? [0] : key }

    /// Returns the first key after all that begin with a prefix. As the end of a range, etcd takes a zero byte for the end
    /// of all keys.
    private static func end(ofPrefix prefix: [UInt8]) -> [UInt8] {
      guard let last = prefix.lastIndex(where: { $0 < 0xff }) else { return [0] }
      return prefix[..<last] + [prefix[last] + 1]
    }
  }

#endif
