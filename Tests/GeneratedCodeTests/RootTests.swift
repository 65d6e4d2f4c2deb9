import DflatBuffers
import DflatEntities
import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

@Suite struct RootTests {
  typealias R = Golden.Roots

  static let entry = R.Entry(
    name: "n", kind: .normal, note: "note", detail: R.Detail(text: "d"), count: 7, tags: ["a", "b"])

  @Test("Roots are read back") func rootsAreReadBack() throws {
    try expectRoundTrip(Self.entry)
    try expectRoundTrip(R.Entry(name: "", kind: .special))
    try expectRoundTrip(Golden.EmptyRoot.Marker(id: 0))
  }

  @Test("The file identifier is written and checked") func theIdentifierIsWritten() throws {
    let data = Self.entry.toData()
    #expect(String(decoding: data[4..<8], as: UTF8.self) == "ENTR")
    var other = data
    other[4] = UInt8(ascii: "X")
    let error = #expect(throws: FlatBufferError.self) { try R.Entry(data: other) }
    #expect(error?.code == .wrongIdentifier)
  }

  @Test("A root without a primary key is a value with the file's identifier") func plainRootsAreValues() throws {
    typealias Settings = Golden.PlainRoot.Settings
    let inner = Settings(mark: [.last], fooBar: -1)
    let settings = Settings(fooBar: 1, other: 2, parent: Settings(parent: inner))
    try expectRoundTrip(settings)
    try expectRoundTrip(Settings())
    #expect(Settings().mark == [.first, .last] && Settings().nothing == .NONE && Settings().nobody == nil)
    let data = settings.toData()
    #expect(String(decoding: data[4..<8], as: UTF8.self) == "PLAI" && Settings.flatBuffersIdentifier == "PLAI")
    var other = data
    other[4] = UInt8(ascii: "X")
    let error = #expect(throws: FlatBufferError.self) { try Settings(data: other) }
    #expect(error?.code == .wrongIdentifier)
  }

  @Test("A root without a primary key is stored in a dictionary, and read after reopening the file")
  func plainRootsAreStored() throws {
    typealias Settings = Golden.PlainRoot.Settings
    let settings = Settings(mark: [.last], fooBar: 1, other: 2, parent: Settings(fooBar: -1))
    let test = try TestWorkspace()
    test.dictionary["settings"] = settings
    #expect(test.dictionary["settings", Settings.self] == settings)
    try test.dictionary.synchronize()
    #expect(try test.dictionary.value(forKey: "settings", as: Settings.self) == settings)
    #expect(try test.dictionary.storedValue(forKey: "settings")?.kind == .flatBuffers)
    test.workspace.shutdown()
    let reopened = try test.another()
    #expect(try reopened.dictionary.value(forKey: "settings", as: Settings.self) == settings)
    let updated = try reopened.dictionary.update("settings", default: Settings()) { $0.fooBar += 1 }
    #expect(updated.fooBar == 2)
    #expect(try reopened.dictionary.value(forKey: "settings", as: Settings.self)?.parent == settings.parent)
    #expect(try reopened.dictionary.value(forKey: "absent", as: Settings.self) == nil)
    #expect(test.errors.events.isEmpty && reopened.errors.events.isEmpty)
  }

  @Test("A member of a newer schema in a union without members reads as nil") func emptyUnionsSkipMembers() throws {
    var builder = FlatBufferBuilder()
    let text = builder.create("text")
    builder.startTable(slots: 9)
    builder.add(text, at: 8)
    builder.add(UInt8(1), at: 6, default: 0)
    let root = builder.endTable()
    try builder.finish(root, identifier: "PLAI")
    let data = builder.withFinishedBytes { Data($0) }
    #expect(try Golden.PlainRoot.Settings(data: data) == Golden.PlainRoot.Settings())
  }

  @Test("Objects that differ in any field are not equal and have different hashes")
  func equalityAndHashAreOfEveryField() {
    let entry = Self.entry
    #expect(entry == R.EntryBuilder(from: entry).build())
    #expect(entry.hashValue == R.EntryBuilder(from: entry).build().hashValue)
    let changes: [(inout R.EntryBuilder) -> Void] = [
      { $0.name = "other" }, { $0.kind = .special }, { $0.note = nil }, { $0.detail = nil }, { $0.count = 8 },
      { $0.tags = [] },
    ]
    var all: Set = [entry]
    var hashes: Set = [entry.hashValue]
    for change in changes {
      var builder = R.EntryBuilder(from: entry)
      change(&builder)
      #expect(builder.build() != entry)
      all.insert(builder.build())
      hashes.insert(builder.build().hashValue)
    }
    #expect(all.count == changes.count + 1)
    #expect(hashes.count == changes.count + 1)
  }

  @Test("Changing a builder doesn't change its original") func aBuilderLeavesTheOriginal() {
    var builder = R.EntryBuilder(from: Self.entry)
    builder.count = 100
    builder.tags.append("c")
    #expect(Self.entry.count == 7)
    #expect(builder.build().count == 100)
    #expect(builder.build().tags == ["a", "b", "c"])
  }

  @Test("Roots can be fields of other tables") func rootsAreFieldsOfOtherTables() throws {
    typealias F = Golden.RootAsField
    let child = F.Person(id: 2, name: "child")
    let parent = F.Person(id: 1, friend: F.Person(id: 3), children: [child, child])
    try expectRoundTrip(parent)
    try expectRoundTrip(F.Team(lead: parent, members: [child]))
  }

  @Test("Generated types are Sendable") func valuesAreSentBetweenTasks() async throws {
    let entry = Self.entry
    let read = try await Task.detached { try R.Entry(data: entry.toData()) }.value
    #expect(read == entry)
    func requireSendable(_ type: (some Sendable).Type) {}
    requireSendable(R.EntryBuilder.self)
    requireSendable(Content.self)
    requireSendable(Golden.Structs.Grid.self)
  }

  @Test("The README's post is read back") func theReadmesPostIsReadBack() throws {
    let post = Post(
      title: "first post", color: .green, content: .textContent(TextContent(text: "This is my very first post!")))
    try expectRoundTrip(post)
    try expectRoundTrip(Post(title: "t", tag: "x", priority: 3, content: .imageContent(ImageContent(images: ["a"]))))
    #expect(post.color == .green && post.priority == 0 && post.tag == nil)
  }

  @Test("The tutorial's monster is read back") func theTutorialsMonsterIsReadBack() throws {
    typealias S = MyGame.Sample
    let monster = S.Monster(
      name: "Orc", color: .red, pos: S.Vec3(x: 1, y: 2, z: 3), hp: 300, inventory: [0, 1, 2],
      bag: [.orb(S.Orb(name: "o", color: .green)), .weapon(S.Weapon(name: "Sword", damage: 3))],
      weapons: [S.Weapon(name: "Axe", damage: 5)], equipped: .weapon(S.Weapon(damage: 5)), colors: [.blue, .red],
      path: [S.Vec3(x: 4), S.Vec3(y: 5)], hpOld: 1, profile: S.Profile(url: "u"), type: true, truth: false)
    try expectRoundTrip(monster)
    #expect(S.Monster.flatBuffersSchemaVersion == "1.1")
    let plain = S.Monster(name: "n", color: .blue)
    #expect(plain.mana == 150 && plain.hp == 100 && plain.hpOld == 200 && plain.truth && !plain.type)
  }
}
