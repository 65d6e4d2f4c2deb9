import Testing

@testable import DflatKV
@testable import DflatSQLite

@Suite struct TypeTagTests {
  @Test("Every stored type has a number of its own, which never changes") func numbers() {
    let numbers = StoredValue.Kind.allCases.map { TypeTag($0).rawValue }
    #expect(numbers == Array(1...10))
    #expect(TypeTag.expiring.rawValue == 11)
    #expect(TypeTag.allCases.count == numbers.count + 1)
    // The SQL of the index is part of the format, too.
    #expect(ExpiryIndex.condition == "type = 11")
    #expect(ExpiryIndex.instant == "substr(value, 1, \(Expiration.byteCount))")
    #expect(SQL.store.text.contains("substr(value, \(Expiration.byteCount + 1), 1) <> x'0a'"))
    #expect(TypeTag.sealed.rawValue == 0x0a)
  }

  @Test("The conditions on types are those of the format's table") func conditions() {
    #expect(TypeTag.list(where: \.isNumber) == "(2, 3, 4, 5)")
    #expect(TypeTag.range(where: \.isNumber) == "BETWEEN 2 AND 5")
    #expect(
      TypeTag.fitsValue == """
        CASE WHEN type IN (1, 2, 3) THEN typeof(value) IN ('integer') \
        WHEN type IN (4, 5) THEN typeof(value) IN ('real', 'null') \
        WHEN type IN (6) THEN typeof(value) IN ('text') \
        WHEN type IN (7, 8, 9, 10, 11) THEN typeof(value) IN ('blob') ELSE 0 END
        """)
  }
}
