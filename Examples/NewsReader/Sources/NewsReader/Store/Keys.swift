import DflatKV

// The contents of the dictionary; `kvtool --namespace preferences keys --long` prints some of it.

extension DictionaryKeys {
  /// The maximum number of articles in a list.
  static let limit = DictionaryKey("limit", default: 20)
  /// True if a list shows publication dates.
  static let dates = DictionaryKey("dates", default: true)
  /// The highest article number used so far.
  static let lastNumber = DictionaryKey("lastNumber", default: Int64(0))
}

extension WorkspaceDictionary {
  var preferences: WorkspaceDictionary { namespace("preferences") }
  /// The number of unread articles by feed name.
  var unread: WorkspaceDictionary { namespace("unread") }
}
