import DflatKV
import TestSupport
import Testing

/// Scalar values in queries.
@Suite struct ScalarValueTests {
  private func expectRoundTrip<T: DflatFriendlyValue>(
    _ values: T..., as type: QueryValueType, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(T._queryValueType == type, sourceLocation: sourceLocation)
    for value in values { #expect(T(_queryValue: value._queryValue) == value, sourceLocation: sourceLocation) }
    #expect(T(_queryValue: .null) == nil, sourceLocation: sourceLocation)
  }

  @Test("A value of each scalar type comes back from its query value") func roundTrips() {
    expectRoundTrip(true, false, as: .bool)
    expectRoundTrip(Int8.min, .max, as: .int8)
    expectRoundTrip(UInt8.min, .max, as: .uint8)
    expectRoundTrip(Int16.min, .max, as: .int16)
    expectRoundTrip(UInt16.min, .max, as: .uint16)
    expectRoundTrip(Int32.min, .max, as: .int32)
    expectRoundTrip(UInt32.min, .max, as: .uint32)
    expectRoundTrip(Int64.min, .max, as: .int64)
    expectRoundTrip(UInt64.min, .max, as: .uint64)
    expectRoundTrip(Float(0.1), -.infinity, .leastNonzeroMagnitude, as: .float)
    expectRoundTrip(0.1, -.infinity, Double.leastNonzeroMagnitude, as: .double)
    expectRoundTrip("", "e\u{301}", as: .string)
  }

  @Test("A number outside an integer type's range is not a value of the type") func otherNumbers() {
    #expect(UInt32(_queryValue: .integer(-1)) == nil)
    #expect(Int8(_queryValue: .integer(128)) == nil)
    #expect(UInt64(_queryValue: .real(1)) == nil)
    #expect(Double(_queryValue: .integer(1)) == nil)
    #expect(Float(_queryValue: .text("1")) == nil)
  }

  @Test("A constant can stand on either side of a condition", arguments: [true, false])
  func constants(constant: Bool) throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Member.self]) { transaction in
      for number in 1...4 { _ = try transaction.insert(Member(number: .init(number), balance: .init(number))) }
    }
    let query = test.workspace.query(for: Member.self)
    let condition = Member.balance > 2
    #expect(try query.where(constant && condition).count() == (constant ? 2 : 0))
    #expect(try query.where(condition && constant).count() == (constant ? 2 : 0))
    #expect(try query.where(constant || condition).count() == (constant ? 4 : 2))
    #expect(try query.where(condition || constant).count() == (constant ? 4 : 2))
  }
}
