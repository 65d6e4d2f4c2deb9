import DflatCore
import DflatSupport

/// A key, its value, and the commit that wrote it.
public struct DictionaryEntry: Sendable {
  /// The key.
  public let key: String
  /// Its value.
  public let value: StoredValue
  /// The commit that wrote the value; nil if it is not committed yet.
  public let commitNumber: UInt64?
}

extension DictionaryEntry: Hashable {
  /// Compares the UTF-8 bytes of the keys, the values and the commit numbers.
  public static func == (a: DictionaryEntry, b: DictionaryEntry) -> Bool {
    a.key.hasSameBytes(as: b.key) && a.value == b.value && a.commitNumber == b.commitNumber
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteComparedString(key))
    hasher.combine(value)
    hasher.combine(commitNumber)
  }
}
