import DflatKV
import Foundation
import TestSupport
import Testing

extension DictionaryKeys {
  fileprivate static let draft = DictionaryKey("draft", default: Note(title: "untitled"))
  fileprivate static let both = DictionaryKey("both", default: Both(number: 0))
}

private struct Settings {
  @Persisted var draft: Note

  init(_ dictionary: WorkspaceDictionary) { _draft = Persisted(.draft, in: dictionary) }
}

@Suite struct FlatBuffersValueTests {
  private let note = Note(title: "Fähre", stars: 5, tags: ["a", "", "日本"])

  @Test("Subscripts read, write, change and remove FlatBuffers values") func subscripts() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    d["note"] = note
    d["origin"] = Vec3(x: 1)
    let found: Note? = d["note"]
    #expect(found == note)
    #expect(d["note", Note.self] == note)
    #expect(d["none", Note.self] == nil)
    #expect(d["none", default: Note(title: "default")].title == "default")
    #expect(!d.contains("none"))
    #expect(d["origin", default: Vec3()] == Vec3(x: 1))
    d["origin", default: Vec3()].y += 2
    d["origin", Vec3.self]?.z = 3
    #expect(d["origin"] == Vec3(x: 1, y: 2, z: 3))
    let value = d["note"]
    #expect(value?.kind == .flatBuffers)
    d["note", Note.self] = nil
    #expect(d["note", Note.self] == nil && !d.contains("note"))
    d["origin"] = nil
    #expect(!d.contains("origin"))
    try d.synchronize()
    #expect(test.errors.events.isEmpty)
  }

  @Test("FlatBuffers values are read from their namespaces after a restart") func restart() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = note
    test.dictionary.namespace("space")["k"] = Vec3(x: 1, y: -0.5, z: .infinity)
    test.dictionary.namespace("space")["version"] = FirstVersion(number: 7)
    try test.dictionary.synchronize()
    test.workspace.shutdown()
    let fresh = try test.another()
    #expect(try fresh.dictionary.value(forKey: "k", as: Note.self) == note)
    let space = fresh.dictionary.namespace("space")
    #expect(space["k"] == Vec3(x: 1, y: -0.5, z: .infinity))
    #expect(space["version"] == FirstVersion(number: 7))
    #expect(try space.storedValue(forKey: "version")?.kind == .flatBuffers)
    guard case .flatBuffers(let bytes, "1")? = try space.storedValue(forKey: "version") else {
      Issue.record("The stored value is no FlatBuffer of version 1")
      return
    }
    #expect(try FirstVersion(data: bytes) == FirstVersion(number: 7))
    #expect(fresh.errors.events.isEmpty)
  }

  @Test("A typed or an untyped write of a FlatBuffers value stores the value's own bytes") func bytes() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = note
    #expect(try test.dictionary.storedValue(forKey: "k") == .flatBuffers(note.toData(), schemaVersion: nil))
    test.dictionary["foreign"] = StoredValue.flatBuffers(note.toData(), schemaVersion: nil)
    #expect(test.dictionary["foreign"] == note)
    let stored = StoredValue.flatBuffers(note.toData(), schemaVersion: nil)
    #expect(try test.dictionary.entries().map(\.value) == [stored, stored])
  }

  @Test("Blocking updates and compare-and-sets change FlatBuffers values") func atomic() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(try d.update("origin", default: Vec3()) { $0.x += 1 } == Vec3(x: 1))
    #expect(try d.compareAndSet("origin", expected: Vec3(x: 2), new: Vec3()) == false)
    #expect(try d.compareAndSet("origin", expected: Vec3(x: 1), new: Vec3(y: 1)))
    #expect(try d.compareAndSet("none", expected: nil, new: note))
    #expect(try d.compareAndSet("none", expected: nil, new: note) == false)
    let fresh = try test.another()
    #expect(fresh.dictionary["origin"] == Vec3(y: 1))
    #expect(fresh.dictionary["none"] == note)
    #expect(try d.compareAndSet("none", expected: note, new: nil))
    #expect(!d.contains("none"))
  }

  @Test("Asynchronous updates and compare-and-sets change FlatBuffers values") func atomicAsync() async throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(try await d.update("origin", default: Vec3()) { $0.x += 1 } == Vec3(x: 1))
    #expect(try await d.compareAndSet("origin", expected: nil, new: Vec3()) == false)
    #expect(try await d.compareAndSet("origin", expected: Vec3(x: 1), new: Vec3(z: 1)))
    let fresh = try test.another()
    #expect(fresh.dictionary["origin"] == Vec3(z: 1))
  }

  @Test("A transaction reads its own FlatBuffers values and commits all of them or none") func transactions() throws {
    struct Refusal: Error {}
    let test = try TestWorkspace()
    let other = Note(title: "other")
    test.dictionary["k"] = note
    try test.workspace.transactAndWait { transaction in
      #expect(transaction.dictionary["k"] == note)
      transaction.dictionary["k"] = other
      transaction.dictionary["origin"] = Vec3(x: 1)
      #expect(transaction.dictionary["k"] == other)
      #expect(transaction.dictionary["origin", default: Vec3()] == Vec3(x: 1))
    }
    #expect(test.dictionary["k"] == other)
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["k"] = Note(title: "gone")
        transaction.dictionary["origin", Vec3.self] = nil
        throw Refusal()
      }
    }
    #expect(test.dictionary["k"] == other)
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == other)
    #expect(fresh.dictionary["origin"] == Vec3(x: 1))
  }

  @Test("A6: A snapshot keeps its FlatBuffers value") func snapshots() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = note
    try test.dictionary.synchronize()
    test.workspace.fetchWithinASnapshot {
      #expect(test.dictionary["k"] == note)
      try? BackgroundThread { try test.workspace.transactAndWait { $0.dictionary["k"] = Note(title: "newer") } }.join()
      #expect(test.dictionary["k"] == note)
    }
    #expect(test.dictionary["k"] == Note(title: "newer"))
  }

  @Test("Typed keys and property wrappers read, write and observe FlatBuffers values") func typedKeys() throws {
    let test = try TestWorkspace()
    #expect(test.dictionary[.draft].title == "untitled")
    test.dictionary[.draft] = note
    #expect(test.dictionary["draft"] == note)
    let settings = Settings(test.dictionary.namespace("settings"))
    settings.draft = note
    #expect(settings.draft == note)
    try test.dictionary.synchronize()
    let log = EventLog<String?>()
    let subscription = test.dictionary.namespace("settings").subscribe(.draft) { log.append($0.title) }
    try test.workspace.transactAndWait { $0.dictionary.namespace("settings").removeValue(forKey: .draft) }
    try test.settle()
    #expect(log.events == [note.title, "untitled"])
    #expect(settings.draft.title == "untitled")
    subscription.cancel()
  }

  @Test("A key may hold values of several kinds, one after the other") func mixedKinds() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    for isSynced in [false, true] {
      d["k"] = 1
      if isSynced { try d.synchronize() }
      d["k"] = note
      #expect(d["k"] == note)
      #expect(throws: WorkspaceError.self) { try d.value(forKey: "k", as: Int.self) }
      #expect(throws: WorkspaceError.self) { try d.value(forKey: "k", as: Point.self) }
      if isSynced { try d.synchronize() }
      d["k"] = Point(x: 1, y: 1)
      #expect(d["k"] == Point(x: 1, y: 1))
      #expect(throws: WorkspaceError.self) { try d.value(forKey: "k", as: Note.self) }
      if isSynced { try d.synchronize() }
      d["k"] = Vec3(x: 1)
      #expect(d["k"] == Vec3(x: 1))
    }
    try d.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == Vec3(x: 1))
  }

  @Test("A type that is Codable too is stored as a FlatBuffer, in generic code as well") func both() throws {
    func write<T: DictionaryCodable>(_ value: T, _ key: String, to dictionary: WorkspaceDictionary) -> T? {
      dictionary[key] = value
      return dictionary[key, T.self]
    }
    let test = try TestWorkspace()
    let d = test.dictionary
    d["k"] = Both(number: 1)
    #expect(d["k"] == Both(number: 1))
    #expect(write(Both(number: 2), "generic", to: d) == Both(number: 2))
    #expect(try d.update("k", default: Both(number: 0)) { $0.number += 1 } == Both(number: 2))
    #expect(try d.compareAndSet("k", expected: Both(number: 2), new: Both(number: 3)))
    d[.both].number += 1
    try d.synchronize()
    for key in ["k", "generic", "both"] { #expect(try d.storedValue(forKey: key)?.kind == .flatBuffers, "\(key)") }
    let fresh = try test.another()
    #expect(fresh.dictionary["generic"] == Both(number: 2))
    #expect(write(Both(number: 2), "generic", to: fresh.dictionary) == Both(number: 2))
  }

  @Test("A table with NaN is written and replaced, and the NaN keeps its sign and payload") func notANumber() throws {
    let test = try TestWorkspace()
    let first = Double(nan: 0x123, signaling: false)
    let second = -Double(nan: 0x456, signaling: false)
    func stored(in test: TestWorkspace) -> UInt64? { test.dictionary["k", Amount.self]?.amount.bitPattern }
    for amount in [first, second] {
      for _ in 0..<2 { test.dictionary["k"] = Amount(amount) }
      #expect(stored(in: test) == amount.bitPattern)
      try test.dictionary.synchronize()
      test.dictionary["k"] = Amount(amount)
      try test.dictionary.synchronize()
      #expect(stored(in: test) == amount.bitPattern)
      #expect(stored(in: try test.another()) == amount.bitPattern)
    }
    test.dictionary["k"] = Amount(1)
    try test.dictionary.synchronize()
    #expect(stored(in: test) == 1.0.bitPattern)
    #expect(stored(in: try test.another()) == 1.0.bitPattern)
  }
}
