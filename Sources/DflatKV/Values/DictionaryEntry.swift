import DflatCore
import DflatSupport

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A key, its value, and the commit that wrote it.
public struct DictionaryEntry: Sendable {
  /// The key.
  public let key: String
  /// Its value.
  public let value: StoredValue
  /// The commit that wrote the value; nil if it is not committed yet.
  public let commitNumber: UInt64?
  let expiration: Expiration?

  /// The instant at which the value expires; nil if it doesn't.
  public var expirationDate: Date? { expiration?.date }

  /// Returns the same entry as its key's owner reads it.
  ///
  /// - Throws: The errors of `NamespaceSeal.opened(_:forKey:)`.
  func opened(by seal: NamespaceSeal) throws -> DictionaryEntry {
    let opened = try seal.opened(CachedValue(value), forKey: key)
    return DictionaryEntry(
      key: key, value: opened.stored ?? value, commitNumber: commitNumber, expiration: expiration)
  }
}

extension DictionaryEntry: Hashable {
  /// Compares the UTF-8 bytes of the keys, the values, the commit numbers and the instants.
  public static func == (a: DictionaryEntry, b: DictionaryEntry) -> Bool {
    a.key.hasSameBytes(as: b.key) && a.value == b.value && a.commitNumber == b.commitNumber
      && a.expiration == b.expiration
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteComparedString(key))
    hasher.combine(value)
    hasher.combine(commitNumber)
    hasher.combine(expiration)
  }
}
