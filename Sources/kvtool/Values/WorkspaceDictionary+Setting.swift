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
}
