import DflatKV
import TestSupport
import Testing

extension DictionaryKeys {
  fileprivate static let volume = DictionaryKey("volume", default: 0.5)
  fileprivate static let names = DictionaryKey("names", default: [String]())
  fileprivate static let origin = DictionaryKey("origin", default: Point(x: 0, y: 0))
}

private struct Settings {
  @Persisted var volume: Double
  @Persisted var names: [String]

  init(_ dictionary: WorkspaceDictionary) {
    _volume = Persisted(.volume, in: dictionary)
    _names = Persisted(.names, in: dictionary)
  }
}

@Suite struct TypedKeyTests {
  @Test("A typed key reads its default while it has no value, and its value changes in place")
  func readsAndWrites() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(d[.volume] == 0.5)
    #expect(!d.contains("volume"))
    d[.volume] += 0.25
    #expect(d["volume", Double.self] == 0.75)
    d[.names].append("Ada")
    d[.names].append("Alan")
    #expect(d[.names] == ["Ada", "Alan"])
    d[.origin].x = 3
    #expect(d[.origin] == Point(x: 3, y: 0))
    d.removeValue(forKey: .volume)
    #expect(d[.volume] == 0.5)
    try d.synchronize()
    #expect(d.keys == ["names", "origin"])
  }

  @Test("A transaction reads the value that it has written for a typed key") func inTransaction() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary[.volume] = 1
      #expect(transaction.dictionary[.volume] == 1)
    }
    #expect(test.dictionary[.volume] == 1)
  }

  @Test("A property wrapper reads and writes the value of its key in the dictionary") func wrapper() throws {
    let test = try TestWorkspace()
    let settings = Settings(test.dictionary.namespace("settings"))
    #expect(settings.volume == 0.5)
    settings.volume = 0.75
    settings.names.append("Ada")
    #expect(settings.names == ["Ada"])
    #expect(test.dictionary.namespace("settings")[.volume] == 0.75)
    test.dictionary.namespace("settings")[.volume] = 1
    #expect(settings.volume == 1)
    #expect(!test.dictionary.contains("volume"))
  }

  @Test("A4: An observer of a typed key gets the key's default when there is no value") func observing() throws {
    let test = try TestWorkspace()
    let log = EventLog<Double>()
    let subscription = test.dictionary.subscribe(.volume) { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary[.volume] = 0.75 }
    try test.workspace.transactAndWait { $0.dictionary.removeValue(forKey: .volume) }
    try test.settle()
    #expect(log.events == [0.5, 0.75, 0.5])
    subscription.cancel()
  }
}
