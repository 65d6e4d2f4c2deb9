import DflatKV

extension DictionaryKeys {
  static let volume = DictionaryKey("volume", default: 0.5)
  static let theme = DictionaryKey("theme", default: Theme.light)
  static let equalizer = DictionaryKey("equalizer", default: Equalizer())
  static let nickname = DictionaryKey("nickname", of: String.self, namespace: "profile")
}

/// Stored as its raw value, so that a shell can write it.
enum Theme: String, Codable, CaseIterable {
  case light, dark
}

/// Stored as one value. A later version may add fields: values without them take those of the key's default.
struct Equalizer: Codable, Equatable {
  var bass = 0
  var treble = 0
}
