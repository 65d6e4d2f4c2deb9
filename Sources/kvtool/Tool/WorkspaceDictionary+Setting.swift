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

  /// Throws for a new key in a sealed namespace if this dictionary hasn't the seal key: everyone could read the value, and
  /// those with the seal key would refuse it.
  func requireSealKey(for current: StoredValue?) throws {
    if current != nil { return }
    let first = try firstKey(withPrefix: "", after: nil, valueUpTo: 1 << 20)
    if first?.kind == .sealed {
      throw ValueFailure("its namespace is sealed: give the key with --seal-key-fd or \(ToolSealKey.variable)")
    }
  }
}
