import DflatObservation

extension DictionaryKeys {
  static let volume = DictionaryKey("volume", default: 0.5)
  static let theme = DictionaryKey("theme", default: "light")
}

@MainActor final class PlayerModel {
  let dictionary: WorkspaceDictionary
  let volume: ObservedKey<Double>
  let look: ObservedValue<(String, Bool)>

  init(_ workspace: SQLiteWorkspace) {
    dictionary = workspace.dictionary
    volume = ObservedKey(.volume, in: workspace.dictionary)
    look = ObservedValue(
      workspace.observe { reader in
        (reader.dictionary[.theme], reader.dictionary[.volume] == 0)
      })
  }

  func mute() { dictionary[.volume] = 0 }
}
