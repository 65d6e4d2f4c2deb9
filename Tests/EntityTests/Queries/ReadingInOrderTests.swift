import DflatKV
import DflatSQLite
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Limited queries that read an index or the primary key in the requested order, and stop at the limit.
@Suite struct ReadingInOrderTests {
  private typealias Monster = MyGame.Sample.Monster

  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }
  private var posts: Query<Post> { workspace.query(for: Post.self) }
  private static let count = 3_000

  /// Each priority from 0 to 5 has 500 posts. Titles sort like the numbers of the posts.
  init() throws {
    test = try TestWorkspace()
    try workspace.transactAndWait([Post.self]) { txn in
      for number in 0..<Self.count {
        try txn.insert(
          Post(
            title: "\(10_000 + number)", color: number % 3 == 0 ? .red : .blue, tag: number == 2_900 ? "rare" : nil,
            priority: Int32(number % 6)))
      }
    }
  }

  /// Returns the number of rows that a query loads one by one.
  private func loads<Element: Atom>(_ query: Query<Element>) throws -> Int {
    try workspace.core.withView { connection, _ -> Int in
      let load = try connection.statement(Element._entity.sql.load)
      let before = load.runs
      _ = try query.query.rows.visit(on: connection, storage: EntityStore.lazyStorage(of: workspace.core)) { _, _ in }
      return load.runs - before
    } ?? -1
  }

  @Test("A descending read of many rows with the same value loads no more than it returns")
  func descending() throws {
    let query = posts.orderBy(Post.priority.descending).limit(3)
    #expect(try query.fetch().map(\.title) == ["10005", "10011", "10017"])
    #expect(try loads(query) == 3)
    #expect(try query.explain().stopsAtLimit && !query.explain().isSorted)
    let page = posts.orderBy(Post.priority.descending).offset(499).limit(2)
    #expect(try page.fetch().map(\.title) == ["12999", "10004"])
    let range = posts.where(Post.priority < 3 && Post.priority >= 1).orderBy(Post.priority.descending)
    #expect(try range.limit(1).fetch().map(\.title) == ["10002"])
    #expect(try range.fetch().map(\.priority) == Array(repeating: 2, count: 500) + Array(repeating: 1, count: 500))
  }

  @Test("Of several orders, the first is read from its index, and only rows that are equal in it are sorted")
  func ties() throws {
    let query = posts.orderBy(Post.priority.descending, Post.title.descending).limit(2)
    let explanation = try query.explain()
    #expect(explanation.indexes == ["priority"] && explanation.isSorted && explanation.stopsAtLimit)
    #expect(
      explanation.access
        == "all rows by priority; in the first requested order, and sorted in memory by the others; "
        + "no predicate is evaluated")
    #expect(try query.fetch().map(\.title) == ["12999", "12993"])
    // The 500 with the highest priority, and the one that shows that there are no more.
    #expect(try loads(query) == 501)
    let page = posts.orderBy(Post.priority.descending, Post.title.descending).offset(499).limit(3)
    #expect(try page.fetch().map(\.title) == ["10005", "12998", "12992"])
    #expect(
      try posts.orderBy(Post.priority.ascending, Post.title.descending).limit(1).fetch().map(\.title) == ["12994"])
    let unlimited = try posts.orderBy(Post.priority.descending, Post.title.descending).explain()
    #expect(unlimited.indexes == [] && !unlimited.stopsAtLimit)
  }

  @Test("A damaged row among equal ones leaves its place to the next one", arguments: [16, 17, 20, 500])
  func damage(limit: Int) throws {
    // The sort key of the row can be read, but not its tag, which isn't UTF-8.
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(5))
    var payload = try #require(
      try connection.prepare("SELECT payload FROM post WHERE rowid = 2901").firstRow { row in
        row.withBytes(at: 0) { Array($0) }
      })
    let tag = try #require(payload.indices.first { payload[$0...].starts(with: "rare".utf8) })
    payload[tag] = 0xFF
    do {
      let update = try connection.prepare("UPDATE post SET payload = ?1 WHERE rowid = 2901")
      try payload.withUnsafeBytes { try update.bind(blob: $0, at: 1) }
      try update.run()
    }
    connection.close()
    let query = posts.where(Post.priority.between(2...2)).orderBy(Post.priority.ascending, Post.title.descending)
    #expect(try query.limit(limit).explain().stopsAtLimit)
    let titles = stride(from: 2_996, through: 2, by: -6).filter { $0 != 2_900 }.map { "\(10_000 + $0)" }
    #expect(try query.limit(limit).fetch().map(\.title) == Array(titles.prefix(limit)))
    #expect(try query.limit(limit).offset(10).fetch().map(\.title) == Array(titles.dropFirst(10).prefix(limit)))
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.undecodable])
  }

  @Test("A search that finds many rows gives way to reading in order, and one that finds few doesn't")
  func manyMatches() throws {
    let many = posts.where(Post.priority >= 1).orderBy(Post.title.ascending).limit(1)
    #expect(try many.explain().indexes == ["title"] && many.explain().isEvaluated)
    #expect(try many.fetch().map(\.title) == ["10001"])
    let few = posts.where(Post.priority >= 5).orderBy(Post.title.ascending).limit(1)
    #expect(try few.explain().indexes == ["priority"] && few.explain().isSorted)
    #expect(try few.fetch().map(\.title) == ["10005"])
    let all = posts.where(Post.priority >= 1).orderBy(Post.title.ascending)
    #expect(try all.explain().indexes == ["priority"] && all.explain().isSorted)
    let late = posts.where(Post.priority >= 1 && Post.tag == "rare").orderBy(Post.title.ascending).limit(1)
    #expect(try late.fetch().map(\.title) == ["12900"])
  }

  @Test("The planner weighs what a search finds against the limit")
  func plans() throws {
    let predicate = (Post.priority >= 1)._expression.node
    func plan(limit: Int?, finding count: Int) throws -> QueryPlan {
      try QueryPlanner.plan(predicate, orderedBy: [Post.title.ascending.order], limit: limit, for: Post._entity) { _ in
        true
      } count: { _, most in
        #expect(most > 0)
        return min(count, most)
      }
    }
    func isInOrder(_ plan: QueryPlan) -> Bool { if case .ordered(.key, _, _) = plan.rows { true } else { false } }
    #expect(try isInOrder(plan(limit: 1, finding: 1_000)) && !isInOrder(plan(limit: 1, finding: 500)))
    #expect(try isInOrder(plan(limit: 100, finding: 10_000)) && !isInOrder(plan(limit: 100, finding: 5_000)))
    #expect(try !isInOrder(plan(limit: nil, finding: .max)) && isInOrder(plan(limit: 0, finding: 1)))
    #expect(try !isInOrder(plan(limit: .max, finding: 1_000_000)))
  }

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

  @Test("The first field of a longer primary key is read in order")
  func compositeKeys() throws {
    try workspace.transactAndWait([Monster.self]) { txn in
      for (number, name) in ["b", "a", "b", "c", "a"].enumerated() {
        try txn.insert(Monster(name: name, color: number < 2 || number == 3 ? .red : .green, hp: Int16(number)))
      }
    }
    let monsters = workspace.query(for: Monster.self)
    for limit in [1, 3, 9] {
      let up = monsters.orderBy(Monster.name.ascending).limit(limit)
      #expect(try up.fetch().map(\.hp) == Array([1, 4, 0, 2, 3].prefix(limit)))
      #expect(try up.explain().indexes == ["name, color"] && up.explain().stopsAtLimit)
      let down = monsters.orderBy(Monster.name.descending).limit(limit)
      #expect(try down.fetch().map(\.hp) == Array([3, 0, 2, 1, 4].prefix(limit)))
      let both = monsters.orderBy(Monster.name.ascending, Monster.hp.descending).limit(limit)
      #expect(try both.fetch().map(\.hp) == Array([4, 1, 2, 0, 3].prefix(limit)))
    }
    #expect(try loads(monsters.orderBy(Monster.name.descending).limit(1)) == 1)
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
