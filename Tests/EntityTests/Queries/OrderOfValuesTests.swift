import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// The order of rows that a query reads from an index: values of enums, equal values, and rows without a value.
@Suite struct OrderOfValuesTests {
  @Test("Rows come in the order of an enum, with numbers that the schema doesn't know as its default")
  func enums() throws {
    var generator = SeededGenerator(seed: 7)
    let file = try QueryModelTests.file(&generator)
    let workspace = try file.open(.complete)
    defer { workspace.shutdown() }
    let samples = workspace.query(for: Sample.self)
    let level = samples.orderBy(Sample.level.descending).limit(20)
    #expect(try level.explain().indexes == ["level"] && !level.explain().isSorted)
    #expect(
      try level.explain().access == "5 values of level in order; in the requested order; no predicate is evaluated")
    func check<T: DflatFriendlyValue>(_ field: FieldExpr<T, Sample>, _ get: (Sample) -> T?) throws {
      let ascending = file.samples.enumerated().sorted { left, right in
        let values = (get(left.element), get(right.element))
        guard let first = values.0 else { return values.1 == nil ? left.offset < right.offset : true }
        guard let second = values.1 else { return false }
        return first == second ? left.offset < right.offset : first < second
      }
      let descending = file.samples.enumerated().sorted { left, right in
        let values = (get(left.element), get(right.element))
        guard let first = values.0 else { return values.1 == nil && left.offset < right.offset }
        guard let second = values.1 else { return true }
        return first == second ? left.offset < right.offset : second < first
      }
      for limit in [1, 30, 200] {
        #expect(
          try samples.orderBy(field.ascending).limit(limit).fetch().map(\.id)
            == ascending.prefix(limit).map(\.element.id))
        #expect(
          try samples.orderBy(field.descending).limit(limit).fetch().map(\.id)
            == descending.prefix(limit).map(\.element.id))
      }
    }
    try check(Sample.level) { $0.level }
    try check(Sample.optionalLevel) { $0.optionalLevel }
    try check(Sample.wide) { $0.wide }
    let range = samples.where(Sample.level > .middle).orderBy(Sample.level.ascending)
    #expect(try !range.explain().isSorted && !range.explain().isEvaluated)
    #expect(try range.fetch().map(\.level) == file.samples.map(\.level).filter { $0 > .middle }.sorted())
    let two = samples.where(Sample.level.in([.top, .middle])).orderBy(Sample.level.descending)
    #expect(
      try two.fetch().map(\.level) == file.samples.map(\.level).filter { $0 != .low && $0 != .high }.sorted(by: >))
  }

  @Test("Rows with the same value come by rowid before and after the values that are looked up one by one")
  func tiesAfterTheLookups() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Post.self]) { txn in
      for number in 0..<300 { try txn.insert(Post(title: "\(number)", priority: Int32(number % 100))) }
    }
    let query = test.workspace.query(for: Post.self).orderBy(Post.priority.descending)
    let expected = (0..<100).reversed().flatMap { [$0, $0 + 100, $0 + 200] }.map { "\($0)" }
    #expect(try query.fetch().map(\.title) == expected)
    for limit in [190, 191, 192, 193, 194, 195, 299] {
      #expect(try query.limit(limit).fetch().map(\.title) == Array(expected.prefix(limit)))
      #expect(try query.offset(limit).limit(4).fetch().map(\.title) == Array(expected.dropFirst(limit).prefix(4)))
    }
  }

  @Test("A descending read of a unique index looks up the rows without a value separately")
  func uniqueWithNull() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Sample.self]) { txn in
      for number in 0..<200 { try txn.insert(Sample(id: "\(number)", code: number % 40 == 7 ? "\(number)" : nil)) }
    }
    let query = test.workspace.query(for: Sample.self).orderBy(Sample.code.descending)
    let expected =
      ["87", "7", "47", "167", "127"] + (0..<200).filter { $0 % 40 != 7 }.map { "\($0)" }
    for limit in [1, 5, 6, 200] {
      #expect(try query.limit(limit).fetch().map(\.id) == Array(expected.prefix(limit)))
    }
    #expect(try query.explain().statements[0].contains("IS NOT NULL"))
  }

  @Test("Null comes last in a descending read, after any number of values", arguments: [0, 10, 63, 64, 65, 200])
  func descendingWithNull(values: Int) throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Sample.self]) { txn in
      for number in 0..<(values + 3) {
        let value: Double? = number < values ? (number == 5 ? Double.nan : Double(number)) : nil
        try txn.insert(Sample(id: "\(number)", optionalReal: value))
      }
    }
    let samples = test.workspace.query(for: Sample.self)
    var expected = values > 5 ? ["5"] : []
    expected += (0..<values).reversed().filter { $0 != 5 }.map { "\($0)" }
    expected += (values..<(values + 3)).map { "\($0)" }
    #expect(try samples.orderBy(Sample.optionalReal.descending).fetch().map(\.id) == expected)
    for limit in [1, 64, 65, 66] {
      let found = try samples.orderBy(Sample.optionalReal.descending).limit(limit).fetch()
      #expect(found.map(\.id) == Array(expected.prefix(limit)))
    }
    let numbers = samples.where(Sample.optionalReal >= 0).orderBy(Sample.optionalReal.descending)
    #expect(try numbers.fetch().map(\.id) == Array(expected.dropFirst().prefix(max(values - 1, 0))))
  }
}
