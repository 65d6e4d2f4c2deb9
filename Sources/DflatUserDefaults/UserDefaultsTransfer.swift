/// The outcome for each of the keys that were copied from or to UserDefaults. Each list is sorted by the keys' UTF-8
/// bytes.
public struct UserDefaultsTransfer: Sendable {
  /// The treatment of a key that already has a value where it would be copied to.
  public enum ExistingKeys: Sendable {
    /// The existing value stays.
    case keep
    /// The copied value replaces it.
    case overwrite
  }

  /// A key whose value can't be copied. It is an error, so that a program can throw it.
  public struct SkippedKey: Error, CustomStringConvertible {
    /// The key.
    public let key: String
    /// The reason why its value can't be copied.
    public let reason: Reason

    public var description: String { "The value of '\(key)' was not copied: \(reason.explanation)." }
  }

  /// The reason why a value can't be copied.
  public enum Reason: Error, Hashable, Sendable {
    /// The value, or a part of it, has a type that the other side doesn't have: a FlatBuffers value or a reference of a
    /// keyed archive, for example, or a date that is not a finite number. Or only a newer version of the library knows
    /// its type.
    case unsupportedType
    /// An integer has more than 64 bits.
    case integerTooLarge
    /// Arrays and dictionaries are nested more than 512 levels deep.
    case nestedTooDeeply
    /// The value would take more objects or more memory than reads permit.
    case tooLarge
    /// The stored bytes are not a property list.
    case damaged
    /// The value expires. In UserDefaults it would not.
    case expires
    /// UserDefaults can't hold the key, or a key within the value, besides another one that is canonically equivalent:
    /// two spellings of "é", which are two keys of the dictionary. The other one is exported, or is in UserDefaults.
    case equivalentKey
  }

  /// The keys that were copied.
  public internal(set) var written: [String] = []
  /// The keys that were left unchanged because they have a value, with ``ExistingKeys/keep``.
  public internal(set) var kept: [String] = []
  /// The keys that were left unchanged because their value can't be copied.
  public internal(set) var skipped: [SkippedKey] = []
}

extension UserDefaultsTransfer.Reason {
  fileprivate var explanation: String {
    switch self {
    case .unsupportedType: "it has a type that the other side can't hold"
    case .integerTooLarge: "it contains an integer of more than 64 bits"
    case .nestedTooDeeply: "it is nested too deeply"
    case .tooLarge: "it would take more objects or more memory than is allowed"
    case .damaged: "its bytes are not a property list"
    case .expires: "it expires, and values of UserDefaults don't"
    case .equivalentKey: "UserDefaults can't tell one of its keys from another spelling of the same text"
    }
  }
}
