import DflatBuffers
import DflatCore
import GoldenModels
import Testing

@Suite struct UnionTests {
  typealias U = Golden.Unions

  static let members: [U.`Any`] = [
    .text(U.Text(text: "a")), .url(U.URL(url: "b")), .tCPPort(U.TCPPort(port: 80)), .renamed(U.Text(text: "c")),
    .lowerCase(U.Text()), .http(U.URL(url: "d")), .point(U.Point(x: 1, y: 2)), .corner(U.Point(x: 3)), .name("e"),
    .raw(""),
  ]

  @Test(arguments: members) func everyMemberIsReadBack(member: U.`Any`) throws {
    try expectRoundTrip(U.Holder(any: member, many: [member, member], needed: .text(U.Text())))
    try expectRoundTrip(U.Choice(any: member, numbered: .port(U.TCPPort(port: 1))))
  }

  @Test func membersOfAVectorAreReadBackInOrder() throws {
    try expectRoundTrip(U.Holder(many: Self.members, needed: .port(U.TCPPort())))
    try expectRoundTrip(U.Choice(some: [.text(U.Text(text: "a")), .port(U.TCPPort(port: 2))]))
  }

  @Test func membersOfOneTypeAreNotEqual() {
    #expect(U.`Any`.text(U.Text()) != .renamed(U.Text()))
    #expect(U.`Any`.name("a") != .raw("a"))
    #expect(Set(Self.members).count == Self.members.count)
  }

  @Test func kindsAreTheSchemas() {
    #expect(Self.members.map(\.flatBufferKind) == Array(1...10))
    #expect(U.Numbered.text(U.Text()).flatBufferKind == 3)
    #expect(U.Numbered.port(U.TCPPort()).flatBufferKind == 9)
  }

  @Test func absenceIsNil() throws {
    #expect(try U.Choice(data: U.Choice().toData()).any == nil)
  }

  @Test func anUnknownKindIsAbsent() throws {
    var builder = FlatBufferBuilder()
    let member = builder.create("from the future")
    builder.startTable(slots: 6)
    builder.add(member, at: 6)
    builder.add(UInt8(200), at: 4, default: 0)
    let read = try U.Choice(data: finished(builder.endTable(), &builder))
    #expect(read == U.Choice())
  }

  @Test func unknownKindsOfAVectorAreSkipped() throws {
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

  @Test func anUnknownKindWhereOneIsRequiredIsAnError() throws {
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
