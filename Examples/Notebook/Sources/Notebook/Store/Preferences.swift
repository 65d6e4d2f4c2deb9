import DflatKV

/// Keys of the dictionary as properties. Each access reads or writes the key.
final class Preferences: DictionaryOwner {
  let dictionary: WorkspaceDictionary

  @Persisted(.settings) var settings
  @Persisted(.tagStyle) var tagStyle
  @Persisted(.current) var current

  init(_ workspace: SQLiteWorkspace) { dictionary = workspace.dictionary }
}

extension Preferences: CustomStringConvertible {
  var description: String {
    """
    theme: \(settings.theme)
    page size: \(settings.pageSize)
    snippet words: \(settings.snippetWords)
    tags: \(tagStyle)
    """
  }
}
