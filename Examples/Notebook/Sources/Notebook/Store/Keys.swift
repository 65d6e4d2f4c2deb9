import DflatKV

// The contents of the dictionary; `kvtool --namespace list keys --long` prints a part of it.

extension DictionaryKeys {
  static let settings = DictionaryKey("settings", default: Settings())
  /// Release 1 stored a `Bool`: whether lists show tags.
  static let tagStyle = DictionaryKey(
    "tags", namespace: "list", default: TagStyle.hashtags, migrating: [.from(Bool.self) { $0 ? .hashtags : .hidden }])
  /// The notebook of new notes, if the user has chosen one.
  static let current = DictionaryKey("current", of: String.self, namespace: "list")
  /// The highest number of a note so far.
  static let lastNumber = DictionaryKey("lastNumber", default: Int64(0))
  static let hasImportedDefaults = DictionaryKey("hasImportedDefaults", default: false)
}
