import DflatKV

extension DictionaryKeys {
  static let goal = DictionaryKey("goal", default: 12)
  static let pagesRead = DictionaryKey("pagesRead", default: 0)
}
