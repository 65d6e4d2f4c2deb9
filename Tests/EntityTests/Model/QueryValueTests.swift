import DflatEntities
import Testing

@Suite struct QueryValueTests {
  @Test("Text is compared by its bytes, not by Unicode's equivalence")
  func text() {
    #expect(QueryValue.text("caf\u{e9}") != .text("cafe\u{301}"))
    #expect(QueryValue.text("caf\u{e9}") == .text("caf\u{e9}"))
    let both: Set<QueryValue> = [.text("\u{e9}"), .text("e\u{301}")]
    #expect(both.count == 2)
  }

  @Test("Numbers compare as in Swift, and different kinds of numbers are unequal")
  func numbersCompareAsInSwift() {
    #expect(QueryValue.real(0) == .real(-0.0))
    #expect(QueryValue.real(.nan) != .real(.nan))
    #expect(QueryValue.unsigned(1) != .integer(1))
  }
}
