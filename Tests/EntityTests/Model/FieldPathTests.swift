import Testing

@testable import DflatEntities

@Suite struct FieldPathTests {
  @Test(
    "The known numbers of an enum are found among any gaps",
    arguments: [[], [0], [3, 1, 2], [5, 0, 9, 7, .max]] as [[UInt64]])
  func knownNumbers(numbers: [UInt64]) {
    let known = KnownScalars(numbers)
    for number in [0...10, (UInt64.max - 1)...UInt64.max].joined() {
      #expect(known.contains(number) == numbers.contains(number), "\(number)")
    }
  }

  @Test("Paths are equal if they have the same position, type and default, bit by bit")
  func equality() {
    let leaves: [FieldPath.Leaf] = [
      .scalar(4, .int32, default: .integer(0)), .scalar(6, .int32, default: .integer(0)),
      .scalar(4, .int64, default: .integer(0)), .scalar(4, .int32, default: .integer(1)),
      .scalar(4, .double, default: .real(0)), .scalar(6, .double, default: .real(0)),
      .scalar(4, .float, default: .real(0)), .scalar(4, .double, default: .real(-0.0)),
      .scalar(4, .double, default: .real(.nan)),
      .enumeration(4, .int8, default: .integer(0), known: [.integer(0)]),
      .enumeration(6, .int8, default: .integer(0), known: [.integer(0)]),
      .enumeration(4, .int16, default: .integer(0), known: [.integer(0)]),
      .enumeration(4, .int8, default: .integer(1), known: [.integer(0)]),
      .enumeration(4, .int8, default: .integer(0), known: [.integer(1)]),
      .string(4), .string(6), .string(4, default: ""), .string(4, default: "\u{e9}"),
      .string(4, default: "e\u{301}"), .kind(4, known: [1]), .kind(6, known: [1]),
      .kind(4, known: [2]), .unionString(4, kind: 1), .unionString(6, kind: 1), .unionString(4, kind: 2),
    ]
    for (place, leaf) in leaves.enumerated() {
      #expect(leaves.map { FieldPath($0) == FieldPath(leaf) } == leaves.indices.map { $0 == place }, "\(leaf)")
    }
    #expect(FieldPath([.table(4)], .string(6)) != FieldPath(.string(6)))
  }
}
