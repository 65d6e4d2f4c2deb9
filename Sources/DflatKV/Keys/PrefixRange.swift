import DflatSupport

/// The removal of all keys of a namespace that begin with a prefix. Also represents the range of these keys.
struct PrefixRange: Sendable {
  let namespace: UInt32
  let prefix: String

  func covers(_ key: HashedKey) -> Bool { key.namespace == namespace && key.string.hasBytePrefix(prefix) }

  /// Returns true if all keys of another range are in this one.
  func covers(_ other: PrefixRange) -> Bool { other.namespace == namespace && other.prefix.hasBytePrefix(prefix) }
}
