package import DflatCore

/// A change of the dictionary by a commit in the change log.
package enum LoggedKeyChange: Sendable {
  case set(namespace: String, key: String, StoredValue)
  case remove(namespace: String, key: String)
  /// The removal of a key whose value had expired.
  case expire(namespace: String, key: String)
  /// A key with a value that is too large for the log.
  case change(namespace: String, key: String)
  case removePrefix(namespace: String, prefix: String)
  /// Any key of the namespace may have changed: they are too many for the log.
  case unknown(namespace: String)
}

extension LoggedCommit {
  /// The changes of the dictionary, in their order; nil if any key may have changed.
  package var keyChanges: [LoggedKeyChange]? {
    switch record(of: ChangeRecord.kind) {
    case .none: []
    case .found(let reader): ChangeRecord.decode(reader).map { $0.joined().compactMap { LoggedKeyChange($0) } }
    case .damaged: nil
    }
  }
}

extension LoggedKeyChange {
  fileprivate init?(_ change: ChangeRecord.Change) {
    switch change {
    case .set(let namespace, let key, let value):
      guard let stored = value.stored else { return nil }
      self = .set(namespace: namespace, key: key, stored)
    case .remove(let namespace, let key): self = .remove(namespace: namespace, key: key)
    case .expire(let namespace, let key): self = .expire(namespace: namespace, key: key)
    case .reload(let namespace, let key): self = .change(namespace: namespace, key: key)
    case .removePrefix(let namespace, let prefix): self = .removePrefix(namespace: namespace, prefix: prefix)
    case .unknown(let namespace): self = .unknown(namespace: namespace)
    }
  }
}
