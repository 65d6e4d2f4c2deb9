import DflatKV

/// The settings as properties. Each access reads or writes the dictionary.
final class Settings: DictionaryOwner {
  let dictionary: WorkspaceDictionary

  @Persisted(.volume) var volume
  @Persisted(.theme) var theme
  @Persisted(.equalizer) var equalizer
  @Persisted(.nickname) var nickname

  init(_ dictionary: WorkspaceDictionary) { self.dictionary = dictionary }

  var description: String {
    """
    volume    \(volume)
    theme     \(theme)
    equalizer bass \(equalizer.bass), treble \(equalizer.treble)
    nickname  \(nickname ?? "none")
    """
  }
}
