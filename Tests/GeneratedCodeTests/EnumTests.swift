import DflatBuffers
import DflatCore
import GoldenModels
import Testing

@Suite struct EnumTests {
  @Test func everyValueIsReadBack() throws {
    typealias E = Golden.Enums
    for direction in E.Direction.allCases {
      try expectRoundTrip(E.EnumValues(direction: direction, directions: E.Direction.allCases))
    }
    try expectRoundTrip(E.EnumValues(grade: .goodEnough, wide: .zero, signed: .million, grades: [.A, .BB, .xMLParser]))
  }

  @Test func numbersAreTheSchemas() {
    #expect(Golden.Enums.Direction.allCases.map(\.rawValue) == [0, 1, 5, -3])
    #expect(Golden.Enums.Grade.goodEnough.rawValue == 40_000)
    #expect(Golden.Enums.Wide.most.rawValue == .max)
    #expect(Golden.Enums.Signed.least.rawValue == .min)
  }

  @Test func theDefaultIsZeroOrTheFirstValue() {
    #expect(Golden.Enums.Direction.flatBufferDefault == .north)
    #expect(Golden.Enums.Grade.flatBufferDefault == .A)
    let absent = Golden.Enums.EnumValues()
    #expect(absent.direction == .north)
    #expect(absent.grade == .A)
    #expect(absent.wide == .most)
    #expect(absent.signed == .least)
  }

  @Test func valuesAreInTheOrderOfTheirNumbers() {
    #expect(Golden.Enums.Direction.westWind < .north)
    #expect(Golden.Enums.Direction.allCases.sorted() == [.westWind, .north, .east, .south])
  }

  @Test func anUnknownNumberBecomesTheFieldsDefault() throws {
    let data = try buffer(slots: 6) { builder in
      builder.add(Int8(77), at: 4, default: 0)
      builder.add(UInt16(9), at: 6, default: 0)
      builder.add(UInt64(7), at: 8, default: 0)
    }
    let read = try Golden.Enums.EnumValues(data: data)
    #expect(read.direction == .north)
    #expect(read.grade == .A)
    #expect(read.wide == .most)
  }

  @Test func anUnknownNumberInAVectorBecomesTheTypesDefault() throws {
    var builder = FlatBufferBuilder()
    let directions = builder.create(vector: [Int8(1), 77, 5])
    builder.startTable(slots: 6)
    builder.add(directions, at: 12)
    let read = try Golden.Enums.EnumValues(data: finished(builder.endTable(), &builder))
    #expect(read.directions == [.east, .north, .south])
  }
}

@Suite struct OptionSetTests {
  typealias B = Golden.BitFlags

  @Test func defaultsAreSetsOfOptions() {
    let grant = B.Grant()
    #expect(grant.none == [])
    #expect(grant.single == .write)
    #expect(grant.several == [.read, .write])
    #expect(grant.maybe == nil)
    #expect(grant.big == .high)
    #expect(B.Permission.deleteAll.rawValue == 64)
    #expect(B.Big.high.rawValue == 1 << 63)
  }

  @Test func setsAreReadBack() throws {
    try expectRoundTrip(
      B.Grant(none: [.read, .admin], single: [], several: .deleteAll, maybe: [], list: [[], .read, [.read, .write]]))
    try expectRoundTrip(B.Mask(permission: [.read, .deleteAll], big: [.low, .high]))
  }

  @Test func unknownBitsAreKept() throws {
    let grant = B.Grant(single: B.Permission(rawValue: 0b0001_0010), list: [B.Permission(rawValue: 0b0001_0000)])
    try expectRoundTrip(grant)
    #expect(try B.Grant(data: grant.toData()).single.contains(.write))
  }
}
