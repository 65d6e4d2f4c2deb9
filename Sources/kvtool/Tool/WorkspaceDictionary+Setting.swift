import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension WorkspaceDictionary {
  /// Sets a key's value, which expires at a date, if there is one.
  func set(_ value: StoredValue, forKey key: String, expiringAt date: Date?) {
    if let date { set(value, forKey: key, expiringAt: date) } else { self[key] = value }
  }

  /// Throws for a new key in a namespace if its values are sealed and this dictionary's aren't: everyone could read the
  /// value, and those with the seal key would refuse it. Throws, too, if only this dictionary's are.
  func requireSameSeal(for current: StoredValue?) throws {
    // A dictionary with the key opens it.
    if current?.kind == .sealed { throw ValueFailure.sealed }
    if current != nil { return }
    let stored = isSealed ? namespace(namespaceName) : self
    guard let first = try stored.firstKey(withPrefix: "", after: nil, valueUpTo: 1 << 20) else { return }
    switch (first.kind == .sealed, isSealed) {
    case (true, false):
      throw ValueFailure("its namespace is sealed: give the key with --seal-key-fd or \(ToolSealKey.variable)")
    case (false, true):
      throw ValueFailure("its namespace isn't sealed: seal it with 'kvtool seal', or leave out the seal key")
    case _: return
    }
  }

  /// Throws for an envelope if it would be beside values that aren't sealed, or that have another key: none could be
  /// read together.
  func requireSameSeal(ofEnvelope envelope: StoredValue) throws {
    let stored = namespace(namespaceName)
    guard let first = try stored.firstKey(withPrefix: "", after: nil, valueUpTo: 1 << 20) else { return }
    guard first.kind == .sealed else {
      throw ValueFailure(
        "it is sealed, but the values of its namespace aren't: seal them first, or import it elsewhere")
    }
    guard let present = first.value?.sealKeyIdentifier, let new = envelope.sealKeyIdentifier, present != new else {
      return
    }
    throw ValueFailure("it is sealed with another key than the values of its namespace: import it elsewhere")
  }
}
