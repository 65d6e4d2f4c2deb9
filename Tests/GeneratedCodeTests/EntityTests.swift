import DflatBuffers
import DflatEntities
import GoldenModels
import Testing

/// Generated entities, builders and requests as values.
@Suite struct EntityTests {
  typealias Thing = sqlite.Thing

  @Test("An object's identity is not part of its value") func identityIsNoPartOfAnObjectsValue() throws {
    let identity = EntityIdentity(rowid: 7, commitNumber: 9)
    let post = Post(title: "t", color: .blue, content: .textContent(TextContent(text: "x")))
    let stored = PostBuilder(from: post).build(identity: identity)
    #expect(post._rowid == -1 && post._changesTimestamp == -1)
    #expect(stored._rowid == 7 && stored._changesTimestamp == 9)
    #expect(stored == post && stored.hashValue == post.hashValue)
    #expect(PostBuilder(from: stored).build()._identity == .unsaved)
    let bytes = [UInt8](post.toData())
    let read = try bytes.withUnsafeBytes { bytes in
      try FlatBuffer.withUnverifiedRoot(in: bytes) { try Post($0, identity: identity) }
    }
    #expect(read == post && read._identity == identity)
    #expect(try Post(data: post.toData())._identity == .unsaved)
  }

  @Test("A new builder has the defaults of the schema") func aNewBuilderHasTheDefaults() throws {
    let monster = MyGame.Sample.MonsterBuilder().build()
    #expect(monster == MyGame.Sample.Monster(name: "", color: .blue))
    let thing = sqlite.ThingBuilder()
    #expect(thing.u8 == 200 && thing.i64 == .min && thing.u64 == .max && thing.real == 0.1)
    #expect(thing.low == -.infinity && thing.high == .infinity && thing.noneReal.isNaN)
    #expect(thing.maybe == nil && thing.maybeShade == nil && thing.flag && thing.shade == .light && thing.text == "t")
    #expect(thing.marks == [.A, .C] && thing.level == .low && thing.outer == nil)
    #expect(thing.values == sqlite.Required(id: 3, level: .high, outer: sqlite.Outer(), default: ""))
    #expect(thing.needed == .hard(sqlite.Hard(needed: .easy(""))))
    var other = thing
    other.noneReal = 0
    try expectRoundTrip(other.build())
  }

  @Test("A change request has the fields of its entity") func requestsHoldTheFields() {
    let request = PostChangeRequest(_values: PostBuilder())
    request.title = "t"
    request.content = .imageContent(ImageContent(images: ["a"]))
    #expect(request._values.title == "t" && request.title == "t")
    #expect(request._values.build() == Post(title: "t", content: .imageContent(ImageContent(images: ["a"]))))
    let thing = sqlite.ThingChangeRequest(_values: sqlite.ThingBuilder())
    thing.build = 3
    #expect(thing._values.build_ == 3)
  }

  @Test("The fields of a missing request read as defaults and ignore writes") func requestsMayBeMissing() {
    let request: PostChangeRequest? = PostChangeRequest(_values: PostBuilder())
    request.title = "t"
    request.tag = "x"
    #expect(request.title == "t" && request?._values.tag == "x" && request.color == .red)
    let none: PostChangeRequest? = nil
    none.title = "t"
    #expect(none.title == "" && none.tag == nil && none.color == .red)
    let thing: sqlite.ThingChangeRequest? = sqlite.ThingChangeRequest(_values: sqlite.ThingBuilder())
    thing.map = "m"
    thing.build = 2
    #expect(thing?._values.map == "m" && thing?._values.build_ == 2)
    #expect(thing.map { $0.u8 } == 200)
  }
}
