import DflatKV
import TestSupport
import Testing

extension DictionaryKeys {
  fileprivate static let volume = DictionaryKey("volume", default: 0.5)
  fileprivate static let names = DictionaryKey("names", default: [String]())
  fileprivate static let nickname = DictionaryKey("nickname", of: String.self, namespace: "profile")
  fileprivate static let draft = DictionaryKey("draft", of: Note.self)
}

/// A class whose instances have the dictionary of their properties, except for one.
private final class Player: DictionaryOwner {
  let dictionary: WorkspaceDictionary
  @Persisted(.volume) var volume
  @Persisted(.names) var names
  @Persisted(.nickname) var nickname
  @Persisted(.draft) var draft
  @Persisted var shared: Double

  init(_ dictionary: WorkspaceDictionary, shared: WorkspaceDictionary) {
    self.dictionary = dictionary
    _shared = Persisted(.volume, in: shared)
  }
}

/// A class that several threads use. The compiler accepts wrapped properties in a `Sendable` class only if it is
/// unchecked, or isolated to a global actor.
private final class SharedPlayer: DictionaryOwner, @unchecked Sendable {  // its properties are those of a dictionary
  let dictionary: WorkspaceDictionary
  @Persisted(.volume) var volume

  init(_ dictionary: WorkspaceDictionary) { self.dictionary = dictionary }
}

/// A class without a dictionary of its own.
private class Base {
  @Persisted var volume: Double

  init(_ dictionary: WorkspaceDictionary) { _volume = Persisted(.volume, in: dictionary) }
}

private final class Derived: Base {
  func double() { volume *= 2 }
}

/// An owner that others inherit from.
private class Instrument: DictionaryOwner {
  let dictionary: WorkspaceDictionary
  @Persisted(.volume) var volume

  init(_ dictionary: WorkspaceDictionary) { self.dictionary = dictionary }
}

private final class NamedInstrument: Instrument {
  @Persisted(.names) var names
}

/// A class that is no owner, with a property that has no dictionary. Only its subclass is an owner.
private class Panel {
  @Persisted(.volume) var volume

  init() {}
}

private final class OwningPanel: Panel, DictionaryOwner {
  let dictionary: WorkspaceDictionary

  init(_ dictionary: WorkspaceDictionary) {
    self.dictionary = dictionary
    super.init()
  }
}

/// A type without a dictionary.
private struct Stray {
  @Persisted(.volume) var volume

  init() {}
}

private struct Settings: Sendable {
  @Persisted var volume: Double
  @Persisted var nickname: String?

  init(_ dictionary: WorkspaceDictionary) {
    _volume = Persisted(.volume, in: dictionary)
    _nickname = Persisted(.nickname, in: dictionary)
  }
}

/// A class that the compiler checks to be Sendable.
private final class Model: Sendable {
  let settings: Settings
  let names: Persisted<[String]>

  init(_ dictionary: WorkspaceDictionary) {
    settings = Settings(dictionary)
    names = Persisted(.names, in: dictionary)
  }
}

@MainActor private final class Screen: DictionaryOwner {
  nonisolated let dictionary: WorkspaceDictionary
  @Persisted(.volume) var volume

  init(_ dictionary: WorkspaceDictionary) { self.dictionary = dictionary }
}

/// Properties with `@Persisted`.
@Suite struct PersistedTests {
  struct Refusal: Error {}

  @Test("A property of a class is in the dictionary of its instance, or in its own") func owners() throws {
    let test = try TestWorkspace()
    let (first, second) = (test.dictionary.namespace("first"), test.dictionary.namespace("second"))
    let player = Player(first, shared: test.dictionary)
    let other = Player(second, shared: test.dictionary)
    player.volume += 0.25
    player.names.append("Ada")
    player.nickname = "Alan"
    player.draft = Note(title: "a")
    player.shared = 1
    #expect(first[.volume] == 0.75)
    #expect(first[.names] == ["Ada"])
    #expect(first[.draft]?.title == "a")
    #expect(test.dictionary[.volume] == 1)
    #expect(other.volume == 0.5 && other.names == [] && other.draft == nil)
    // The key has a namespace.
    #expect(other.nickname == "Alan")
    #expect(test.dictionary.namespace("profile")["nickname"] == "Alan")
    #expect(other.shared == 1)
    player.nickname = nil
    #expect(!test.dictionary.contains(.nickname))
  }

  @Test("A property of a class that is no owner, and one that it inherits, is in its own dictionary") func inherited()
    throws
  {
    let test = try TestWorkspace()
    let derived = Derived(test.dictionary)
    derived.double()
    #expect(test.dictionary[.volume] == 1)
    derived.$volume.reset()
    #expect(derived.volume == 0.5)
  }

  @Test("Properties of an owner's subclass, and of a base class whose subclass is an owner, are in its dictionary")
  func subclasses() throws {
    let test = try TestWorkspace()
    let (first, second) = (test.dictionary.namespace("first"), test.dictionary.namespace("second"))
    let instrument = NamedInstrument(first)
    instrument.volume += 0.25
    instrument.names.append("Ada")
    #expect(first[.volume] == 0.75)
    #expect(first[.names] == ["Ada"])
    instrument.$names.reset()
    #expect(!first.contains(.names))
    let panel: Panel = OwningPanel(second)
    panel.volume = 1
    #expect(second[.volume] == 1)
    panel.$volume.reset()
    #expect(panel.volume == 0.5)
    #expect(!second.contains(.volume))
  }

  @Test("A property without a dictionary traps whenever it is used") func withoutDictionary() async {
    await #expect(processExitsWith: .failure) { _ = Stray().volume }
    await #expect(processExitsWith: .failure) {
      let stray = Stray()
      stray.volume = 1
    }
    await #expect(processExitsWith: .failure) { _ = Stray().$volume.stream }
    await #expect(processExitsWith: .failure) { Stray().$volume.reset() }
  }

  @Test("A property of a class that is no owner, and a constant, trap whenever they are used") func withoutOwner() async
  {
    await #expect(processExitsWith: .failure) { _ = Panel().volume }
    await #expect(processExitsWith: .failure) { Panel().volume = 1 }
    await #expect(processExitsWith: .failure) { _ = Panel().$volume.stream }
    await #expect(processExitsWith: .failure) { Panel().$volume.reset() }
    // A constant doesn't know in which instance it is.
    await #expect(processExitsWith: .failure) {
      let volume: Persisted<Double> = Persisted(.volume)
      _ = volume.wrappedValue
    }
  }

  @Test("Constants of a Sendable class write to the dictionary") func sendableClass() throws {
    let test = try TestWorkspace()
    let model = Model(test.dictionary)
    try BackgroundThread {
      model.settings.volume = 0.75
      model.settings.nickname = "Ada"
      model.names.wrappedValue.append("Alan")
    }.join()
    #expect(test.dictionary[.volume] == 0.75)
    #expect(test.dictionary[.nickname] == "Ada")
    #expect(test.dictionary[.names] == ["Alan"])
    model.settings.$nickname.reset()
    model.names.reset()
    #expect(test.dictionary[.nickname] == nil)
    #expect(test.dictionary[.names] == [])
  }

  @Test("Threads may use the properties of one instance at the same time") func threads() throws {
    let test = try TestWorkspace()
    let player = SharedPlayer(test.dictionary)
    let threads = (1...4).map { number in
      BackgroundThread {
        for _ in 0..<100 {
          player.volume = Double(number)
          if !(1...4).contains(player.volume) { throw Refusal() }
        }
      }
    }
    for thread in threads { try thread.join() }
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect((1...4).contains(fresh.dictionary[.volume]))
  }

  @Test("A property of a class that is isolated to the main actor") func mainActor() async throws {
    let test = try TestWorkspace()
    let dictionary = test.dictionary
    await MainActor.run {
      let screen = Screen(dictionary)
      screen.volume += 0.25
      #expect(screen.volume == 0.75)
      screen.$volume.reset()
      #expect(screen.volume == 0.5)
    }
  }

  @Test("A1: A property's accesses are part of the transaction whose closure makes them") func inTransaction() throws {
    let test = try TestWorkspace()
    let player = Player(test.dictionary, shared: test.dictionary.namespace("shared"))
    player.names = ["Ada"]
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait { txn in
        player.volume = 1
        player.$names.reset()
        player.shared = 2
        #expect(txn.dictionary[.volume] == 1)
        #expect(player.names == [])
        throw Refusal()
      }
    }
    #expect(player.volume == 0.5)
    #expect(player.names == ["Ada"])
    #expect(player.shared == 0.5)
  }

  @Test("A4: A property's stream gives its value, then each committed change", .timeLimit(.minutes(15)))
  func stream() async throws {
    let test = try TestWorkspace()
    let settings = Settings(test.dictionary)
    let (volumes, names) = (settings.$volume.stream, settings.$nickname.stream)
    try await test.workspace.transact { _ in
      settings.volume = 1
      settings.nickname = "Ada"
    }
    try await test.workspace.transact { _ in settings.$volume.reset() }
    await test.workspace.shutdown()
    var found: [Double] = []
    for await volume in volumes { found.append(volume) }
    #expect(found == [0.5, 1, 0.5])
    var foundNames: [String?] = []
    for await name in names { foundNames.append(name) }
    #expect(foundNames == [nil, "Ada"])
  }
}
