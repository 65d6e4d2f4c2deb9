import DflatKV
import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Queries that use indexes over several fields.
@Suite struct SeveralFieldsQueryTests {
  private typealias Entry = Item<V3Pairs>
  private typealias Strict = Item<V3UniquePairs>

  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }
  private var entries: Query<Entry> { workspace.query(for: Entry.self) }
  private let items = "evolving_item"

  /// Item `number` has the color `number % 4` and the rating `number / 4 % 10`, with null for 0 and NaN for 9.
  init() throws {
    test = try TestWorkspace { $0.fillsIndexes = false }
    try workspace.transactAndWait([Entry.self]) { txn in
      for number in 0..<400 {
        try txn.insert(
          Entry("\(1_000 + number)") {
            $0.color = Int8(number % 4)
            $0.count = Int32(number % 7)
            $0.rating = Self.rating(number)
            $0.code = number % 3 == 0 ? nil : "c\(number % 5)"
          })
      }
    }
  }

  private static func rating(_ number: Int) -> Double? {
    switch number / 4 % 10 {
    case 0: nil
    case 9: .nan
    case let rating: Double(rating)
    }
  }

  private func plan(_ query: Query<Entry>) throws -> [String] { try query.explain().sqlitePlans.flatMap { $0 } }

  /// Returns the numbers of the items that meet a condition.
  private func numbers(where isIncluded: (Int) -> Bool) -> [Int] { (0..<400).filter(isIncluded) }

  private func keys(_ query: Query<Entry>) throws -> [Int] {
    try query.fetch().compactMap { Int($0.fields.key) }.map { $0 - 1_000 }
  }

  @Test("Values of all fields of an index find the rows in their order")
  func equality() throws {
    let query = entries.where(Entry.count == 5 && Entry.code == "c4")
    let explanation = try query.explain()
    #expect(explanation.indexes == ["count, code"] && !explanation.isEvaluated && !explanation.isSorted)
    #expect(
      explanation.access == "the rows with one value of count, code; in the requested order; no predicate is evaluated")
    #expect(
      try plan(query) == [
        "SEARCH i USING COVERING INDEX index__\(items)__f6+f20 (f6=? AND f20=?)",
        "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ])
    let expected = numbers { $0 % 7 == 5 && $0 % 3 != 0 && $0 % 5 == 4 }
    #expect(try keys(query) == expected)
    #expect(try query.count() == expected.count)
    let none = entries.where(Entry.count == 5 && Entry.code == nil)
    #expect(try keys(none) == numbers { $0 % 7 == 5 && $0 % 3 == 0 })
    #expect(try none.explain().indexes == ["count, code"] && !none.explain().isEvaluated)
  }

  @Test("The first field of an index, and a range after equal fields, are looked up in it")
  func prefixes() throws {
    let first = entries.where(Entry.count.in([3, 5]))
    #expect(try first.explain().indexes == ["count, code"])
    #expect(try keys(first) == numbers { [3, 5].contains($0 % 7) })
    let range = entries.where(Entry.color == 2 && Entry.rating > 6)
    #expect(try range.explain().indexes == ["color, rating"] && !range.explain().isEvaluated)
    #expect(
      try plan(range).first
        == "SEARCH \(items)__f8+f16 USING COVERING INDEX index__\(items)__f8+f16 (f8=? AND f16>? AND f16<?)")
    #expect(try keys(range) == numbers { $0 % 4 == 2 && [7, 8].contains($0 / 4 % 10) })
    let combinations = entries.where(Entry.count.in([1, 4]) && Entry.code.in(["c1", "c2", "none"]))
    #expect(try combinations.explain().access.hasPrefix("6 searches by count, code;"))
    #expect(
      try keys(combinations) == numbers { [1, 4].contains($0 % 7) && $0 % 3 != 0 && [1, 2].contains($0 % 5) })
    // A gap ends the search, and the rest is evaluated.
    let gap = entries.where(Entry.kind.isNull && Entry.rating == 3)
    #expect(try gap.explain().indexes == ["content._type, count, rating"] && gap.explain().isEvaluated)
    #expect(try keys(gap) == numbers { $0 / 4 % 10 == 3 })
    // The second field alone has no index.
    #expect(try entries.where(Entry.code == "c1").explain().indexes == [])
  }

  @Test("Rows come in the order of a field if the fields before it have one value each", arguments: [1, 7, 35, 1_000])
  func orders(limit: Int) throws {
    let blue = numbers { $0 % 4 == 2 }
    func isBefore(_ left: Int, _ right: Int) -> Bool { (left / 4 % 10, left) < (right / 4 % 10, right) }
    let up = entries.where(Entry.color == 2).orderBy(Entry.rating.ascending).limit(limit)
    // Null comes first and NaN last, as the numbers 0 and 9 do.
    #expect(try keys(up) == Array(blue.sorted(by: isBefore).prefix(limit)))
    #expect(try !up.explain().isSorted && up.explain().stopsAtLimit && !up.explain().isEvaluated)
    #expect(try up.explain().access.hasPrefix("the rows with one value of color, by rating; "))
    #expect(
      try plan(up) == [
        "SEARCH i USING COVERING INDEX index__\(items)__f8+f16 (f8=?)", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ])
    let down = entries.where(Entry.color == 2).orderBy(Entry.rating.descending).limit(limit)
    let descending = blue.sorted { ($1 / 4 % 10, $0) < ($0 / 4 % 10, $1) }
    #expect(try keys(down) == Array(descending.prefix(limit)))
    let loads = try workspace.fetchWithinASnapshot { try down.loads { _ = try down.fetch() } }
    #expect(loads == min(limit, blue.count))
    #expect(try keys(down.offset(3)) == Array(descending.dropFirst(3).prefix(limit)))
    let range = entries.where(Entry.color == 2 && Entry.rating.between(2, and: 5))
    #expect(
      try range.orderBy(Entry.rating.descending).explain().access.hasPrefix(
        "the rows with one value of color, in a range of rating; "))
    #expect(
      try keys(range.orderBy(Entry.rating.descending).limit(limit))
        == Array(descending.filter { (2...5).contains($0 / 4 % 10) }.prefix(limit)))
    // The rest of the predicate is evaluated.
    let some = entries.where(Entry.color == 2 && Entry.count != 3).orderBy(Entry.rating.descending).limit(limit)
    #expect(try keys(some) == Array(descending.filter { $0 % 7 != 3 }.prefix(limit)))
    #expect(try some.explain().isEvaluated && !some.explain().isSorted)
  }

  @Test("Several orders are read from an index that has them; otherwise, rows that are equal in the first are sorted")
  func severalOrders() throws {
    let query = entries.where(Entry.color == 1).orderBy(Entry.rating.descending, Entry.key.descending).limit(12)
    let expected = numbers { $0 % 4 == 1 }.sorted { ($0 / 4 % 10, $0) > ($1 / 4 % 10, $1) }
    #expect(try keys(query) == Array(expected.prefix(12)))
    let explanation = try query.explain()
    #expect(explanation.indexes == ["color, rating"] && explanation.isSorted && explanation.stopsAtLimit)
    // In the index's order of two fields, without a condition.
    let two = entries.orderBy(Entry.count.ascending, Entry.code.ascending).limit(30)
    let sorted = (0..<400).sorted { left, right in
      let codes = [left, right].map { $0 % 3 == 0 ? -1 : $0 % 5 }
      return (left % 7, codes[0], left) < (right % 7, codes[1], right)
    }
    #expect(try keys(two) == Array(sorted.prefix(30)))
    #expect(try two.explain().indexes == ["count, code"] && !two.explain().isSorted)
    #expect(
      try plan(two) == [
        "SCAN i USING COVERING INDEX index__\(items)__f6+f20", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)",
      ])
    let down = entries.orderBy(Entry.count.descending, Entry.code.descending).limit(30)
    let descending = (0..<400).sorted { left, right in
      let codes = [left, right].map { $0 % 3 == 0 ? -1 : $0 % 5 }
      return (right % 7, codes[1], left) < (left % 7, codes[0], right)
    }
    #expect(try keys(down) == Array(descending.prefix(30)))
    #expect(try !down.explain().isSorted && down.explain().stopsAtLimit)
    let mixed = entries.orderBy(Entry.count.ascending, Entry.code.descending).limit(30)
    let directed = (0..<400).sorted { left, right in
      let codes = [left, right].map { $0 % 3 == 0 ? -1 : $0 % 5 }
      return (left % 7, codes[1], left) < (right % 7, codes[0], right)
    }
    #expect(try keys(mixed) == Array(directed.prefix(30)))
    #expect(try mixed.explain().isSorted && mixed.explain().stopsAtLimit)
    let all = entries.orderBy(Entry.count.ascending, Entry.code.ascending)
    #expect(try keys(all) == sorted && !all.explain().isSorted)
    // Without a limit, sorting takes less time than looking up each row.
    #expect(try entries.orderBy(Entry.count.ascending).explain().indexes == [])
  }

  @Test("Live queries and aggregates answer as fetches do")
  func liveQueries() throws {
    func best() -> FetchedResult<Entry> {
      workspace.fetch(for: Entry.self).where(
        Entry.color == 2 && Entry.rating < 9, limit: .limit(3), orderBy: [Entry.rating.descending])
    }
    let before = best()
    #expect(before.map(\.fields.rating) == [8, 8, 8])
    let log = EventLog<[String]>()
    let observed = workspace.subscribe(fetchedResult: before) { log.append($0.map(\.fields.key)) }
    defer { observed.cancel() }
    let first = try #require(before.first)
    try workspace.transactAndWait([Entry.self]) { txn in _ = try txn.update(first) { $0.color = 1 } }
    #expect(try log.wait(forCount: 1).last == best().map(\.fields.key))
    let blue = entries.where(Entry.color == 2 && Entry.rating < 9)
    #expect(try blue.max(of: Entry.rating) == 8)
    #expect(try blue.min(of: Entry.rating) == 1)
  }

  @Test("A unique index finds one row, which is preferred to all other accesses")
  func unique() throws {
    func plan(_ predicate: some Expr<Bool, Strict>, orderedBy orders: [QueryOrder] = [], limit: Int? = nil) throws
      -> QueryPlan
    {
      try QueryPlanner.plan(
        predicate._expression.node, orderedBy: orders, limit: limit, for: V3UniquePairs.entity,
        isComplete: { _ in true })
    }
    let two = try plan(Strict.count == 5 && Strict.code == "x" && Strict.rating == 3)
    guard case .equal(let index, let values) = two.rows else {
      Issue.record("\(two.rows)")
      return
    }
    #expect(values == [.integer(5), .text("x")] || values == [.real(3), .text("x")])
    #expect(index.isUnique && two.residual != nil)
    // One row is found before rows are read in order.
    let ordered = try plan(
      Strict.rating == 3 && Strict.code == "x" && Strict.count > 2, orderedBy: [Strict.count.ascending.order], limit: 1)
    if case .equal(let index, _) = ordered.rows { #expect(index.name == "rating, code") } else { Issue.record() }
  }

  @Test("The planner prefers conditions on more fields, and asks only for the indexes that it could use")
  func plans() throws {
    let first = EntityIndex("count", ItemPath.count)
    let both = EntityIndex([.init("count", ItemPath.count), .init("code", ItemPath.code)])
    let entity = EntityDescription("evolving_item", primaryKey: [.init("key", ItemPath.key)], indexes: [first, both])
    func plan(_ predicate: some Expr<Bool, Entry>, complete: [EntityIndex]) throws -> QueryPlan {
      try QueryPlanner.plan(predicate._expression.node, for: entity, isComplete: { complete.contains($0) })
    }
    func index(_ plan: QueryPlan) -> EntityIndex? {
      switch plan.rows {
      case .equal(let index, _): index
      case .found(let searches): if case .index(let index)? = searches.first?.source { index } else { nil }
      default: nil
      }
    }
    let pair = Entry.count == 5 && Entry.code == "c4"
    #expect(try index(plan(pair, complete: [first, both])) == both)
    #expect(try plan(pair, complete: [first, both]).residual == nil)
    let partial = try plan(pair, complete: [first])
    #expect(index(partial) == first && partial.wanted == [both] && partial.residual != nil)
    let alone = try plan(Entry.count == 5, complete: [first, both])
    #expect(index(alone) == first && alone.wanted == [])
    let borrowed = try plan(Entry.count == 5, complete: [both])
    #expect(index(borrowed) == both && borrowed.wanted == [first] && borrowed.residual == nil)
    #expect(try plan(Entry.code == "c4", complete: []).wanted == [])
  }

  @Test("Of accesses that cost as much, the planner takes the one with conditions on the most fields")
  func mostFields() throws {
    let pair = EntityIndex([.init("color", ItemPath.color(3)), .init("rating", ItemPath.rating)])
    let predicate = Entry.color == 2 && Entry.rating == 4 && Entry.count == 5 && Entry.code == "c4"
    let keys: [[EntityField]] = [[.init("key", ItemPath.key)], KeyedSchema.entity.primaryKey]
    let singles = [EntityIndex("count", ItemPath.count), EntityIndex("code", ItemPath.code)]
    for key in keys {
      for indexes in [[pair], [pair] + singles, singles + [pair]] {
        let entity = EntityDescription("evolving_item", primaryKey: key, indexes: indexes)
        let plan = try QueryPlanner.plan(predicate._expression.node, for: entity, isComplete: { _ in true })
        if case .equal(let index, let values) = plan.rows {
          #expect(index == pair && values == [.integer(2), .real(4)])
        } else {
          Issue.record("\(plan.rows)")
        }
      }
    }
  }

  @Test("The primary key has the order of its last field if the others have one value each", arguments: [1, 3, 100])
  func primaryKey(limit: Int) throws {
    typealias Keyed = Item<KeyedSchema>
    try workspace.transactAndWait([Keyed.self]) { txn in
      for number in 0..<60 { try txn.insert(Keyed("\(99 - number)") { $0.count = Int32(number % 4) }) }
    }
    let expected = (0..<60).filter { $0 % 4 == 3 }.map { "\(99 - $0)" }
    let up = workspace.query(for: Keyed.self).where(Keyed.count == 3).orderBy(Keyed.key.ascending).limit(limit)
    #expect(try up.fetch().map(\.fields.key) == Array(expected.reversed().prefix(limit)))
    #expect(try up.explain().indexes == ["count, key"] && !up.explain().isSorted && !up.explain().isEvaluated)
    let down = workspace.query(for: Keyed.self).where(Keyed.count == 3).orderBy(Keyed.key.descending).limit(limit)
    #expect(try down.fetch().map(\.fields.key) == Array(expected.prefix(limit)))
    let range = down.where(Keyed.count == 3 && Keyed.key < "80")
    #expect(try range.fetch().map(\.fields.key) == Array(expected.filter { $0 < "80" }.prefix(limit)))
  }
}

/// A schema with a primary key of two fields.
private enum KeyedSchema: ItemSchema {
  static let version = 3
  static let entity = EntityDescription(
    "keyed_item", primaryKey: [.init("count", ItemPath.count), .init("key", ItemPath.key)])
}
