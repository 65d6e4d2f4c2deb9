import DflatBuffers
import DflatEntities
import GoldenModels
import Testing

@Suite struct EnumTests {
  @Test("Each enum value is read back") func everyValueIsReadBack() throws {
    typealias E = Golden.Enums
    for direction in E.Direction.allCases {
      try expectRoundTrip(E.EnumValues(direction: direction, directions: E.Direction.allCases))
    }
    try expectRoundTrip(E.EnumValues(grade: .goodEnough, wide: .zero, signed: .million, grades: [.A, .BB, .xMLParser]))
  }

  @Test("Enum values have the numbers of the schema") func numbersAreTheSchemas() {
    #expect(Golden.Enums.Direction.allCases.map(\.rawValue) == [0, 1, 5, -3])
    #expect(Golden.Enums.Grade.goodEnough.rawValue == 40_000)
    #expect(Golden.Enums.Wide.most.rawValue == .max)
    #expect(Golden.Enums.Signed.least.rawValue == .min)
  }

  @Test("The default of an enum is its value for zero, or else its first value")
  func theDefaultIsZeroOrTheFirstValue() {
    #expect(Golden.Enums.Direction.flatBufferDefault == .north)
    #expect(Golden.Enums.Grade.flatBufferDefault == .A)
    let absent = Golden.Enums.EnumValues()
    #expect(absent.direction == .north)
    #expect(absent.grade == .A)
    #expect(absent.wide == .most)
    #expect(absent.signed == .least)
  }

  @Test("Enum values are ordered by their numbers") func valuesAreInTheOrderOfTheirNumbers() {
    #expect(Golden.Enums.Direction.westWind < .north)
    #expect(Golden.Enums.Direction.allCases.sorted() == [.westWind, .north, .east, .south])
  }

  @Test("An unknown enum value is read as the field's default") func anUnknownNumberBecomesTheFieldsDefault() throws {
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

  @Test("An unknown enum value in a vector is read as the type's default")
  func anUnknownNumberInAVectorBecomesTheTypesDefault() throws {
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

  @Test("The defaults of bit flags are option sets") func defaultsAreSetsOfOptions() {
    let grant = B.Grant()
    #expect(grant.none == [])
    #expect(grant.single == .write)
    #expect(grant.several == [.read, .write])
    #expect(grant.maybe == nil)
    #expect(grant.big == .high)
    #expect(B.Permission.deleteAll.rawValue == 64)
    #expect(B.Big.high.rawValue == 1 << 63)
  }

  @Test("Option sets are read back") func setsAreReadBack() throws {
    try expectRoundTrip(
      B.Grant(none: [.read, .admin], single: [], several: .deleteAll, maybe: [], list: [[], .read, [.read, .write]]))
    try expectRoundTrip(B.Mask(permission: [.read, .deleteAll], big: [.low, .high]))
  }

  @Test("Unknown bits of an option set are kept") func unknownBitsAreKept() throws {
    let grant = B.Grant(single: B.Permission(rawValue: 0b0001_0010), list: [B.Permission(rawValue: 0b0001_0000)])
    try expectRoundTrip(grant)
    #expect(try B.Grant(data: grant.toData()).single.contains(.write))
  }
}
