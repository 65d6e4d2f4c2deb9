import DflatKV

extension DictionaryKeys {
  static let settings = DictionaryKey("settings", default: Settings())
  /// True if lists show tags. Release 2 stores a style under this key.
  static let showsTags = DictionaryKey("tags", namespace: "list", default: true)
  /// The highest number of a note so far.
  static let lastNumber = DictionaryKey("lastNumber", default: Int64(0))
}

struct Settings: Codable, Equatable, Sendable {
  var theme = "light"
  var pageSize = 10
}
