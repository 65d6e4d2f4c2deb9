import DflatCore

/// The keys and ranges of keys that one run of an observed closure has read.
final class DictionaryReads {
  private(set) var keys: Set<HashedKey> = []
  /// The prefixes of the ranges.
  private(set) var prefixes: Set<HashedKey> = []
  /// True if the closure has read the list of namespaces.
  private(set) var includesNamespaces = false
  /// Keeps the numbers in `keys` and `prefixes` valid: the closure's own dictionaries are gone when it returns.
  private var uses: NamespaceReferences

  init(in namespaces: NamespaceTable) { uses = NamespaceReferences(in: namespaces) }

  func note(_ key: HashedKey) {
    uses.keep(key.namespace)
    keys.insert(key)
  }

  func note(_ range: PrefixRange) {
    uses.keep(range.namespace)
    prefixes.insert(HashedKey(range.prefix, namespace: range.namespace))
  }

  func noteNamespaces() { includesNamespaces = true }
}
