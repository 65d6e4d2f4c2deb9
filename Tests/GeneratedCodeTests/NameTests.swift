import DflatBuffers
import DflatEntities
import GoldenModels
import Testing

/// Schemas with names that Swift or the generated code already uses.
@Suite struct NameTests {
  typealias N = Golden.Names
  typealias S = Golden.Shadows
  typealias O = Golden.Odd.__

  @Test("Keywords of Swift can be fields and enum values") func keywordsAreFieldsAndCases() throws {
    try expectRoundTrip(N.Swifty(class: "c", init: "i", default: "d", false: [1], self_: "s", any: "a"))
    for keyword in N.keywordCase.allCases {
      try expectRoundTrip(N.generated(table: "t", keyword: keyword, fourthKeyword: keyword, required: "r"))
    }
  }

  @Test("Names that generated code uses can be fields") func namesOfGeneratedCodeAreFields() throws {
    let value = N.generated(
      table: "t", builder: "b", data: [1], description: "d", debugDescription: "e", hash: "h",
      hashValue_: 1,
      hasher: 2, lhs: 3, rhs: 4, object: "o", build: "u", to: "to", member: .`init`("i"),
      members: [.self_("s"), .myType(N.myType(myField: 1))], membersKinds: [9], required: "r")
    try expectRoundTrip(value)
    var builder = N.generatedBuilder(from: value)
    builder.build_ = "v"
    #expect(builder.build().build == "v")
    #expect(value.keyword == N.keywordCase.none)
    #expect(value.options == [N.optionNames.self_, N.optionNames.none])
  }

  @Test("An array can have the name of a property's former value") func arrayIsNamedOldValue() throws {
    var value = N.myStruct(oldValue: [1, 2])
    value.oldValue = [3]
    #expect(value.oldValue == [3, 0])
    try expectRoundTrip(value)
  }

  @Test("Names can consist of underscores only") func underscoresAloneAreNames() throws {
    try expectRoundTrip(O.note(__: "u", ___: .___, marks: [.__, .___], point: O.point(__: 1, ___: [2, 3])))
    #expect(O.note().___ == O.__.a)
    #expect(O.__.allCases.map(\.rawValue) == [0, 1, 2, 3])
  }

  @Test("A root can have keywords as fields, and a field with the name of an accessor")
  func rootsHaveKeywordsAndNamesThatGetParts() throws {
    var builder = O.keywordsBuilder(
      from: O.keywords(init: "i", `inout`: 1, class: [2], body: O.note(__: "n").toData().map { $0 }))
    builder.bodyNestedRoot = 4
    let value = builder.build()
    try expectRoundTrip(value)
    #expect(value.bodyNestedRoot == 4)
    #expect(try value.bodyNestedRoot_() == O.note(__: "n"))
  }

  @Test("Fields can have the names that others get in queries and in builders")
  func namesOfRenamedFieldsAreNames() throws {
    typealias K = O.keywords
    var builder = O.keywordsBuilder(from: K(init: "i", `inout`: 1, entity: 1, _entity: 2, _entity__: 3))
    (builder.build_, builder.build__) = (4, 5)
    (builder.flatBufferLayout, builder.flatBufferLayout__) = (6, 7)
    let value = builder.build()
    try expectRoundTrip(value)
    #expect([value.entity, value._entity, value._entity__, value.build, value.build__] == [1, 2, 3, 4, 5])
    #expect([value.flatBufferLayout, value.flatBufferLayout__] == [6, 7])
    let names = [K._entity_, K._entity__, K.flatBufferLayout_, K.flatBufferLayout__].map(\.name)
    #expect(names == ["f24", "f26", "f32", "f34"])
  }

  @Test("Types can have the names of Swift's types") func typesHideSwifts() throws {
    try expectRoundTrip(S.Root(id: "r", value: .text("t"), flag: true))
    try expectRoundTrip(S.Indirect(value: S.Indirect()))
    try expectRoundTrip(S.StructLayout(value: S.UInt8(value: 3), list: [1]))
    try expectRoundTrip(S.Type_(type: S.Type_(), text: S.String(value: "x")))
    #expect(S.Int32().real == -.infinity)
  }

  @Test("Namespaces can have the names of types") func namespacesMayHaveTypesNames() throws {
    typealias P = Golden.Spaces
    try expectRoundTrip(P.Second(inner: P.Inner.Third(name: "n"), nested: P.Second.Deep(value: 1)))
    try expectRoundTrip(P.Same.Same(value: 1, golden: P.Same.Golden(value: 2, other: P.Same.Same())))
    try expectRoundTrip(GoldenGlobal(first: P.First(third: P.Inner.Third(first: P.First()))))
    try expectRoundTrip(golden_lower.`default`.Type_.Item(value: 1))
  }

  @Test("Namespaces and types can have the names of modules that generated code uses")
  func namesOfModulesAreNames() throws {
    try expectRoundTrip(
      Swift_.Tests.Numbers(
        list: [1], swift: Swift_.DflatBuffers_(text: "t"), own: DflatEntities_.Swift_(value: 2)))
  }

  @Test("Fields can have the names of types") func propertiesMayHaveTypesNames() throws {
    let inside = part(part: part(hue: .red), spot: spot(hue: .hue, hues: .hues), hues: hues.none)
    try expectRoundTrip(
      hidden(
        id: 1, hidden: hidden(id: 2), part: inside, nested: [UInt8](inside.toData()),
        pieces: [.part(inside), .spot(spot())]))
    try expectRoundTrip(spots(spot: spot(hue: .hue), list: [spot(hues: .hues)]))
    try expectRoundTrip(golden_hidden.Outer(goldenHidden: golden_hidden.Inner(inner: golden_hidden.Inner())))
    #expect(part().hue == .hue)
    #expect(try hidden(id: 1, nested: [UInt8](inside.toData())).nestedNestedRoot() == inside)
  }
}
