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
}
