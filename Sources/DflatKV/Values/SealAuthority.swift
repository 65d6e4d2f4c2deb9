import DflatCore

/// The values that a write may replace, as far as their seals decide.
enum SealAuthority: Sendable {
  /// Values that aren't sealed: the write isn't either.
  case unsealed
  /// Values that this seal opens, and broken ones.
  case owner(NamespaceSeal)
  /// All values: the write is an envelope of an unknown owner, or seals the value again that it replaces.
  case any

  /// Returns the error, without the key, of a write that must not replace a value; nil if it may. Pass a value that has
  /// expired as an absence.
  func refusal(over old: CachedValue, forKey key: String) -> WorkspaceError? {
    if old.isAbsent { return nil }
    switch self {
    case .any: return nil
    case .unsealed: return old.kind == .sealed ? .sealed : nil
    case .owner(let seal):
      do { _ = try seal.opened(old.lasting, forKey: key) } catch {
        // The owner replaces a broken envelope, or one of a newer version.
        let error = error as? WorkspaceError
        return error?.code == .notSealed || error?.code == .wrongSealKey ? error : nil
      }
      return nil
    }
  }
}

extension SealAuthority {
  /// Returns true if a write may replace a plain write that waits with it, which is not an absence, as far as the
  /// identifiers of keys tell. Opens nothing, because it is called under a lock.
  func mayReplace(waiting value: CachedValue) -> Bool {
    switch self {
    case .any: true
    case .unsealed: value.kind != .sealed
    case .owner(let seal): value.kind == .sealed && value.stored?.sealKeyIdentifier.map(seal.knows) == true
    }
  }
}

extension CachedValue {
  /// The authority of a write of this value, which is not an absence.
  var sealAuthority: SealAuthority {
    guard let write = sealedWrite else { return kind == .sealed ? .any : .unsealed }
    return write.isResealing ? .any : .owner(write.seal)
  }
}
