import DflatKV

// What is kept in the dictionary: `kvtool --namespace preferences keys --long` shows it.

extension DictionaryKeys {
  /// How many articles a list shows.
  static let limit = DictionaryKey("limit", default: 20)
  /// Whether a list shows when articles were published.
  static let dates = DictionaryKey("dates", default: true)
  /// The highest number that an article was given.
  static let lastNumber = DictionaryKey("lastNumber", default: Int64(0))
}

extension WorkspaceDictionary {
  var preferences: WorkspaceDictionary { namespace("preferences") }
  /// How many unread articles each feed has, by the feed's name.
  var unread: WorkspaceDictionary { namespace("unread") }
}
