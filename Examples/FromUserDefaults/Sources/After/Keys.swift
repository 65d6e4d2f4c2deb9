import DflatKV

extension DictionaryKeys {
  static let volume = DictionaryKey("volume", default: 0.5)
  static let plays = DictionaryKey("plays", default: 0)
  static let recent = DictionaryKey("recent", default: [String]())
  static let hasMoved = DictionaryKey("hasMovedFromUserDefaults", default: false)
}
