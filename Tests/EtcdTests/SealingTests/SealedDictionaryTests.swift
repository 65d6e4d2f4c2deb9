import DflatKV
import DflatSealing
import Foundation
import Testing

extension DictionaryKeys {
  fileprivate static let token = DictionaryKey("token", namespace: "secrets", default: "none")
  fileprivate static let profile = DictionaryKey(
    "profile", default: Profile(name: "nobody"), migrating: [.from(String.self) { Profile(name: $0) }])
}

/// A dictionary with a key does all that others do.
@Suite(.timeLimit(.minutes(15))) struct SealedDictionaryTests {
  private let file: SealedFile
  private let secrets: WorkspaceDictionary

  init() throws {
    file = try SealedFile()
    secrets = file.secrets
  }

  @Test(
    "Values of all types are read as they were written, from the overlay, the cache and the file", arguments: [0, 1, 2])
  func allTypes(place: Int) throws {
    secrets["bool"] = true
    secrets["int"] = -7
    secrets["uint"] = UInt64.max
    secrets["float"] = Float.pi
    secrets["double"] = -0.0
    secrets["nan"] = Double.nan
    secrets["string"] = "é\u{0}ß"
    secrets["empty"] = ""
    secrets["data"] = Data([0, 1, 2])
    secrets["list"] = ["a", "b"]
    secrets["profile"] = Profile(name: "Ada", age: 36)
    secrets["note"] = Note("hello")
    secrets["stored"] = StoredValue.flatBuffers(Data([4, 0, 0, 0]), schemaVersion: "2")
    if place > 0 { try secrets.synchronize() }
    let other = place == 2 ? try file.another() : nil
    defer { other?.shutdown() }
    let read = other?.dictionary.namespace("secrets", sealedWith: file.key) ?? secrets
    #expect(read["bool", Bool.self] == true)
    #expect(read["int", Int8.self] == -7)
    #expect(read["int", Double.self] == -7)
    #expect(read["uint", UInt64.self] == .max)
    #expect(read["float", Float.self] == .pi)
    #expect(read["double", Double.self]?.sign == .minus)
    #expect(read["nan", Double.self]?.isNaN == true)
    #expect(read["string", String.self] == "é\u{0}ß")
    #expect(read["empty", default: "x"] == "")
    #expect(read["data", Data.self] == Data([0, 1, 2]))
    #expect(read["list", [String].self] == ["a", "b"])
    #expect(read["profile", Profile.self] == Profile(name: "Ada", age: 36))
    #expect(read["note", Note.self] == Note("hello"))
    #expect(try read.storedValue(forKey: "stored") == .flatBuffers(Data([4, 0, 0, 0]), schemaVersion: "2"))
    #expect(read["absent", default: 5] == 5)
    #expect(read.contains("int") && !read.contains("absent"))
    #expect(read.count == 13 && read.keys(withPrefix: "b") == ["bool"])
    #expect(try read.entries(withPrefix: "int").map(\.value) == [.int(-7)])
    #expect(read.code(of: "string", Int.self) == .typeMismatch)
    if place > 0 { #expect(try read.commitNumber(forKey: "int") == 1) }
    // Every row is an envelope.
    let bare = (other ?? file.workspace).dictionary.namespace("secrets")
    #expect(try bare.entries().allSatisfy { $0.value.kind == .sealed })
    #expect(try file.workspace.checkIntegrity() == [])
  }

  @Test("A dictionary without the key sees envelopes, and neither reads nor replaces their values") func withoutKey()
    throws
  {
    secrets["token"] = "t"
    secrets["note"] = Note("n")
    for isCommitted in [false, true] {
      if isCommitted { try secrets.synchronize() }
      #expect(file.bare.code(of: "token", String.self) == .sealed)
      #expect(file.bare.code(of: "token", Profile.self) == .sealed)
      #expect(throws: WorkspaceError.self) { try file.bare.value(forKey: "note", as: Note.self) }
      #expect(file.bare["token", String.self] == nil)
      #expect(file.bare["token", default: "x"] == "x")
      // A migration doesn't get the envelope either.
      let key = DictionaryKey("token", default: 0, migrating: [.fromStoredValue { _ in 1 }])
      #expect(file.bare[key] == 0)
    }
    #expect(file.takeCodes().allSatisfy { $0 == .sealed })
    file.bare["token"] = "other"
    #expect(file.bare.failure() == .sealed)
    #expect(throws: WorkspaceError.self) { try file.bare.update("token", default: "") { $0 += "x" } }
    #expect(throws: WorkspaceError.self) {
      try file.workspace.transactAndWait { $0.dictionary.namespace("secrets")["token"] = "other" }
    }
    #expect(secrets["token", String.self] == "t")
    #expect(try file.bare.replacedValues().isEmpty)
    // Removing needs no key. What a read of this workspace couldn't read is kept.
    file.bare.removeValue(forKey: "token")
    try file.bare.synchronize()
    #expect(!secrets.contains("token"))
    #expect(try secrets.replacedValues().map(\.value) == [.string("t")])
    #expect(try file.bare.replacedValues().allSatisfy { $0.value?.kind == .sealed })
    let id = try #require(try secrets.replacedValues().first?.id)
    #expect(try secrets.restoreReplacedValue(id))
    #expect(secrets["token", String.self] == "t")
  }

  @Test("A value that isn't sealed is refused by a dictionary with a key, in reads and writes") func notSealed() throws
  {
    file.bare["plain"] = 1
    #expect(secrets.code(of: "plain", Int.self) == .notSealed)
    try file.bare.synchronize()
    #expect(secrets["plain", Int.self] == nil)
    #expect(secrets.code(of: "plain", Int.self) == .notSealed)
    #expect(throws: WorkspaceError.self) { try secrets.entries() }
    secrets["plain"] = 2
    #expect(secrets.failure() == .notSealed)
    #expect(file.bare["plain", Int.self] == 1)
    // An envelope isn't sealed again.
    secrets["twice"] = 1
    try secrets.synchronize()
    secrets["twice"] = StoredValue.sealed(try file.envelope("twice"))
    #expect(secrets.failure() == .unencodable)
    file.bare["none"] = StoredValue.sealed(Data([1, 2, 3]))
    #expect(file.bare.failure() == .unencodable)
  }

  @Test("Atomic changes, typed keys, migrations, defaults and properties work") func operations() throws {
    #expect(try secrets.update("n", default: 1) { $0 += 1 } == 2)
    #expect(try secrets.compareAndSet("n", expected: 2, new: 3))
    #expect(try !secrets.compareAndSet("n", expected: 2, new: 4))
    #expect(try secrets.compareAndSet("n", expected: 3, new: Int?.none))
    #expect(!secrets.contains("n"))
    // The key's namespace is this one, so the value is sealed.
    secrets[.token] = "t"
    #expect(try secrets.update(.token) { $0 += "!" } == "t!")
    #expect(secrets[.token] == "t!" && file.bare.code(of: "token", String.self) == .sealed)
    #expect(file.workspace.dictionary[.token] == "none")
    // The key remembers its namespace now.
    #expect(secrets[.token] == "t!" && secrets.contains(.token))
    secrets["profile"] = "Ada"
    #expect(secrets[.profile] == Profile(name: "Ada"))
    secrets[.profile].age = 36
    #expect(secrets[.profile] == Profile(name: "Ada", age: 36))
    struct Settings { @Persisted var profile: Profile }
    let settings = Settings(profile: Persisted(.profile, in: secrets))
    settings.profile.tags.append("x")
    #expect(secrets[.profile].tags == ["x"])
    #expect(try secrets.update("note", default: Note("a")) { $0.title = "b" } == Note("b"))
    // A field that is added later has its value in the default.
    struct Old: Codable, Equatable, Sendable { var name = "Bob" }
    secrets["old"] = Old()
    #expect(secrets["old", default: Profile(name: "", age: 9)] == Profile(name: "Bob", age: 9))
    secrets.reset(.profile)
    #expect(secrets[.profile] == Profile(name: "nobody"))
    try secrets.synchronize()
    secrets.removeAll(withPrefix: "o")
    secrets.removeAll()
    try secrets.synchronize()
    #expect(secrets.keys.isEmpty)
  }

  @Test("Transactions, snapshots and observed closures read sealed values, and an abort leaves none")
  func transactions()
    async throws
  {
    secrets["a"] = 1
    try secrets.synchronize()
    try file.workspace.transactAndWait { transaction in
      let inside = transaction.dictionary.namespace("secrets", sealedWith: file.key)
      inside["a"] = 2
      #expect(inside["a", Int.self] == 2)
      let entries = try inside.entries()
      #expect(entries.map(\.value) == [.int(2)])
      inside["b"] = Note("x")
      #expect(inside["b", Note.self] == Note("x"))
    }
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try file.workspace.transactAndWait { _ in
        secrets["a"] = 3
        #expect(secrets["a", Int.self] == 3)
        throw Failure()
      }
    }
    #expect(secrets["a", Int.self] == 2)
    try file.workspace.fetchWithinASnapshot {
      let other = try file.another()
      defer { other.shutdown() }
      other.dictionary.namespace("secrets", sealedWith: file.key)["a"] = 9
      try other.dictionary.synchronize()
      #expect(secrets["a", Int.self] == 2)
    }
    let key = file.key
    let sums = file.workspace.observe { reader in
      reader.dictionary.namespace("secrets", sealedWith: key)["a", default: 0] + 1
    }
    var received: [Int] = []
    for try await sum in sums.values() {
      received.append(sum)
      if sum == 101 { break }
      secrets["a"] = 100
    }
    #expect(received.first == 10 || received.first == 3)
  }

  @Test("Observers receive opened values, and one that the key doesn't open as absent") func observers() async throws {
    let values = Received<SubscribedDictionaryValue<Int>>()
    let changes = Received<StoredValue?>()
    let envelopes = Received<StoredValue?>()
    let late = Received<SubscribedDictionaryValue<Int>>()
    secrets["n"] = 1
    try secrets.synchronize()
    let subscriptions = [
      secrets.subscribe("n", of: Int.self) { values.append($0) },
      secrets.subscribe(withPrefix: "") { changes.append($0.value) },
      file.bare.subscribe("n") { envelopes.append($0.value) },
      file.workspace.dictionary.namespace("secrets", sealedWith: .random()).subscribe("n", of: Int.self) {
        late.append($0)
      },
    ]
    secrets["n"] = 2
    try secrets.synchronize()
    // Another process's commit arrives through the change log.
    let other = try file.another()
    defer { other.shutdown() }
    other.dictionary.namespace("secrets", sealedWith: file.key)["n"] = 3
    try other.dictionary.synchronize()
    try file.workspace.transactAndWait { _ in }
    secrets.removeValue(forKey: "n")
    try secrets.synchronize()
    try await file.workspace.settle()
    #expect(values.all == [.initial(1), .updated(2), .updated(3), .deleted])
    #expect(changes.all == [.int(2), .int(3), nil])
    #expect(envelopes.all.map { $0?.kind } == [.sealed, .sealed, .sealed, nil])
    #expect(late.all == [.initial(nil), .deleted, .deleted, .deleted])
    #expect(file.takeCodes() == [.wrongSealKey, .wrongSealKey, .wrongSealKey])
    withExtendedLifetime(subscriptions) {}
  }

  @Test("Writing an equal value changes nothing, and a value of another type keeps the old one aside")
  func equalValues()
    throws
  {
    func commitNumber() throws -> UInt64? { try secrets.commitNumber(forKey: "p") }
    secrets["p"] = Profile(name: "Ada")
    try secrets.synchronize()
    let envelope = try file.envelope("p")
    for isCached in [true, false] {
      let other = try file.another()
      defer { other.shutdown() }
      let dictionary = isCached ? secrets : other.dictionary.namespace("secrets", sealedWith: file.key)
      dictionary["p"] = Profile(name: "Ada")
      try dictionary.synchronize()
      try dictionary.update("p", default: Profile()) { $0.name = "Ada" }
      try file.workspace.transactAndWait { _ in
        secrets["p"] = 5
        secrets["p"] = Profile(name: "Ada")
      }
      #expect(try commitNumber() == 1)
      #expect(try file.envelope("p") == envelope)
    }
    secrets["p"] = "text"
    try secrets.synchronize()
    #expect(try secrets.replacedValues().count == 1)
    #expect(try commitNumber() == 2)
    let id = try #require(try secrets.replacedValues().first?.id)
    try secrets.restoreReplacedValue(id)
    #expect(secrets["p", Profile.self] == Profile(name: "Ada"))
  }

  @Test("The root and namespaces with any name are sealed independently of each other") func names() throws {
    let names = ["", "a", "a\u{0}b", "é", "e\u{301}", String(repeating: "n", count: 3_000)]
    for (index, name) in names.enumerated() {
      file.workspace.dictionary.namespace(name, sealedWith: file.key)["k"] = index
    }
    try file.workspace.dictionary.synchronize()
    for (index, name) in names.enumerated() {
      let dictionary = file.workspace.dictionary.namespace(name, sealedWith: file.key)
      #expect(dictionary["k", Int.self] == index)
      #expect(dictionary.namespace(name)["k", Int.self] == nil)
    }
  }

  @Test("A key needs 32 bytes, and its texts show nothing of it") func keys() throws {
    for count in [0, 16, 31, 33, 64] {
      #expect(throws: WorkspaceError.self) { try SealKey(bytes: [UInt8](repeating: 7, count: count)) }
    }
    let key = try SealKey(bytes: [UInt8](repeating: 7, count: 32))
    #expect("\(key)" == "SealKey" && String(reflecting: key) == "SealKey")
    var text = ""
    dump(key, to: &text)
    #expect(!text.contains("7"))
    // The same bytes are the same key.
    file.workspace.dictionary.namespace("x", sealedWith: key)["k"] = 1
    let again = try SealKey(key.symmetricKey)
    #expect(file.workspace.dictionary.namespace("x", sealedWith: again)["k", Int.self] == 1)
  }
}
