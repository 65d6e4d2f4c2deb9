import DflatBuffers
import DflatEntities
import GoldenModels
import Testing

@Suite struct UnionTests {
  typealias U = Golden.Unions

  static let members: [U.`Any`] = [
    .text(U.Text(text: "a")), .url(U.URL(url: "b")), .tCPPort(U.TCPPort(port: 80)), .renamed(U.Text(text: "c")),
    .lowerCase(U.Text()), .http(U.URL(url: "d")), .point(U.Point(x: 1, y: 2)), .corner(U.Point(x: 3)), .name("e"),
    .raw(""),
  ]

  @Test("Each union member is read back", arguments: members)
  func everyMemberIsReadBack(member: U.`Any`) throws {
    try expectRoundTrip(U.Holder(any: member, many: [member, member], needed: .text(U.Text())))
    try expectRoundTrip(U.Choice(any: member, numbered: .port(U.TCPPort(port: 1))))
  }

  @Test("Union members in a vector are read back in order") func membersOfAVectorAreReadBackInOrder() throws {
    try expectRoundTrip(U.Holder(many: Self.members, needed: .port(U.TCPPort())))
    try expectRoundTrip(U.Choice(some: [.text(U.Text(text: "a")), .port(U.TCPPort(port: 2))]))
  }

  @Test("Different union members of the same type are not equal") func membersOfOneTypeAreNotEqual() {
    #expect(U.`Any`.text(U.Text()) != .renamed(U.Text()))
    #expect(U.`Any`.name("a") != .raw("a"))
    #expect(Set(Self.members).count == Self.members.count)
  }

  @Test("Union members have the kinds of the schema") func kindsAreTheSchemas() {
    #expect(Self.members.map(\.flatBufferKind) == Array(1...10))
    #expect(U.Numbered.text(U.Text()).flatBufferKind == 3)
    #expect(U.Numbered.port(U.TCPPort()).flatBufferKind == 9)
  }

  @Test("An absent union is read as nil") func absenceIsNil() throws {
    #expect(try U.Choice(data: U.Choice().toData()).any == nil)
  }

  @Test("A union of an unknown kind is read as absent") func anUnknownKindIsAbsent() throws {
    var builder = FlatBufferBuilder()
    let member = builder.create("from the future")
    builder.startTable(slots: 6)
    builder.add(member, at: 6)
    builder.add(UInt8(200), at: 4, default: 0)
    let read = try U.Choice(data: finished(builder.endTable(), &builder))
    #expect(read == U.Choice())
  }

  @Test("Union members of unknown kinds in a vector are skipped") func unknownKindsOfAVectorAreSkipped() throws {
    var builder = FlatBufferBuilder()
    let text = U.Numbered.text(U.Text(text: "known"))
    let members = [builder.create(text), builder.create("unknown"), builder.create(text)]
    let kinds = builder.create(vector: [UInt8(3), 77, 3])
    let values = builder.create(offsets: members)
    builder.startTable(slots: 6)
    builder.add(values, at: 14)
    builder.add(kinds, at: 12)
    let read = try U.Choice(data: finished(builder.endTable(), &builder))
    #expect(read.some == [text, text])
  }

  @Test("An unknown kind of a required union is an error") func anUnknownKindWhereOneIsRequiredIsAnError() throws {
    var builder = FlatBufferBuilder()
    let member = builder.create("from the future")
    builder.startTable(slots: 6)
    builder.add(member, at: 14)
    builder.add(UInt8(200), at: 12, default: 0)
    let data = try finished(builder.endTable(), &builder)
    let error = #expect(throws: FlatBufferError.self) { try U.Holder(data: data) }
    #expect(error?.table == "Golden.Unions.Holder")
    #expect(error?.field == "needed")
  }
}
