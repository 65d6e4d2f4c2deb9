import DflatKV

/// Enums that are encoded as a text and as a number.
enum Theme: String, Codable, Sendable { case light, dark }
enum Level: Int, Codable, Sendable { case low = 1, high }

/// Compares and sets a value whose type may be optional.
func exchange<T: DictionaryCodable>(
  _ dictionary: WorkspaceDictionary, _ key: String, _ type: T.Type, expected: T?, new: T?
) throws -> Bool {
  try dictionary.compareAndSet(key, expected: expected, new: new)
}
