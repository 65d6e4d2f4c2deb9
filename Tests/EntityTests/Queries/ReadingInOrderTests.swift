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

  /// Makes a post's tag invalid UTF-8. Its sort keys can still be read.
  private func damageTag(_ tag: String, of title: String) throws {
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(5))
    defer { connection.close() }
    let find = try connection.prepare("SELECT payload FROM post WHERE __pk0 = '\(title)'")
    var payload = try #require(try find.firstRow { row in row.withBytes(at: 0) { Array($0) } })
    let place = try #require(payload.indices.first { payload[$0...].starts(with: tag.utf8) })
    payload[place] = 0xFF
    let update = try connection.prepare("UPDATE post SET payload = ?1 WHERE __pk0 = '\(title)'")
    try payload.withUnsafeBytes { try update.bind(blob: $0, at: 1) }
    try update.run()
  }

  @Test("Damaged rows among equal ones make a page read these again, and no others")
  func damageAmongTies() throws {
    let query = posts.where(Post.priority <= 2).orderBy(Post.priority.descending, Post.title.descending)
    let titles = stride(from: 2_996, through: 2, by: -6).map { "\(10_000 + $0)" }
    try workspace.transactAndWait([Post.self]) { txn in
      for title in titles.prefix(5) { _ = try txn.update(Post(title: title)) { $0.tag = "damaged" } }
    }
    for title in titles.prefix(5) { try damageTag("damaged", of: title) }
    #expect(try query.limit(2).fetch().map(\.title) == Array(titles.dropFirst(5).prefix(2)))
    // An offset skips damaged rows, too.
    #expect(try query.limit(2).offset(1).fetch().map(\.title) == Array(titles.dropFirst(5).prefix(2)))
    // Of the 500 rows of the first priority, 2, 4 and 8 are kept. The next priority's first row shows that there are no
    // more.
    try workspace.fetchWithinASnapshot {
      let count = try posts.loads { () throws in #expect(try query.limit(2).fetch().count == 2) }
      #expect(count == 3 * 501)
    }
    let others = stride(from: 2_995, through: 1, by: -6).map { "\(10_000 + $0)" }
    let all = Array(titles.dropFirst(5)) + others
    #expect(try query.limit(600).fetch().map(\.title) == Array(all.prefix(600)))
    #expect(try test.errors.wait(forCount: 5).map(\.code) == Array(repeating: .undecodable, count: 5))
  }

  @Test("A damaged row among equal ones leaves its place to the next one", arguments: [16, 17, 20, 500])
  func damage(limit: Int) throws {
    try damageTag("rare", of: "12900")
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
    #expect(try many.explain().indexes == ["title", "priority"] && many.explain().isEvaluated)
    #expect(
      try many.explain().access
        == "all rows by title; in the requested order; the predicate is evaluated on the bytes; "
        + "if the first 220 rows are not enough: search by priority, sorted in memory")
    #expect(try many.fetch().map(\.title) == ["10001"])
    // 500 rows are few if 100 are wanted: in order, these are expected within 600.
    let few = posts.where(Post.priority >= 5).orderBy(Post.title.ascending).limit(100)
    #expect(try few.explain().indexes == ["priority"] && few.explain().isSorted)
    #expect(try few.fetch().map(\.title) == (0..<100).map { "\(10_005 + 6 * $0)" })
    let all = posts.where(Post.priority >= 1).orderBy(Post.title.ascending)
    #expect(try all.explain().indexes == ["priority"] && all.explain().isSorted)
    // The index doesn't show how many rows have the tag.
    let late = posts.where(Post.priority >= 1 && Post.tag == "rare").orderBy(Post.title.ascending).limit(1)
    #expect(try late.explain().indexes == ["priority"] && late.explain().isSorted)
    #expect(try late.fetch().map(\.title) == ["12900"])
  }

  @Test("The planner weighs what a search finds against the limit")
  func plans() throws {
    let predicate = (Post.priority >= 1)._expression.node
    func plan(limit: Int?, finding count: Int, of size: Int = 500_000) throws -> QueryPlan {
      try QueryPlanner.plan(predicate, orderedBy: [Post.title.ascending.order], limit: limit, for: Post._entity) { _ in
        true
      } count: { _, most in
        #expect(most > 0)
        return min(count, most)
      } size: {
        size
      }
    }
    func isInOrder(_ plan: QueryPlan) -> Bool {
      if case .ordered(let search, _, _) = plan.rows { search.source == .key } else { false }
    }
    #expect(try isInOrder(plan(limit: 1, finding: 1_000)) && !isInOrder(plan(limit: 1, finding: 500)))
    #expect(try isInOrder(plan(limit: 100, finding: 10_000)) && !isInOrder(plan(limit: 100, finding: 5_000)))
    #expect(try !isInOrder(plan(limit: nil, finding: .max)) && isInOrder(plan(limit: 0, finding: 1)))
    #expect(try !isInOrder(plan(limit: .max, finding: 1_000_000)))
    #expect(try plan(limit: 1, finding: 1_000).fallback?.candidates == 4 * 708)
    // The size of the table counts. That of a damaged file may be any number.
    #expect(try isInOrder(plan(limit: 1, finding: 11, of: 100)) && !isInOrder(plan(limit: 1, finding: 10, of: 100)))
    #expect(try isInOrder(plan(limit: 1, finding: 2, of: .min)) && !isInOrder(plan(limit: .max, finding: 1, of: .max)))
  }

  @Test("The planner doesn't read the values of an enum in order if many rows have unknown numbers")
  func unknownNumbers() throws {
    let predicate = (Sample.number >= 1)._expression.node
    func plan(unknown: Int) throws -> QueryPlan {
      try QueryPlanner.plan(
        predicate, orderedBy: [Sample.level.ascending.order], limit: 1, for: Sample._entity
      ) { _ in
        true
      } count: { search, most in
        if case .index(let index) = search.source, index.field.name == "level" { return min(unknown, most) }
        return min(1_000, most)
      } size: {
        100
      }
    }
    func isInOrder(_ plan: QueryPlan) -> Bool { if case .grouped = plan.rows { true } else { false } }
    #expect(try isInOrder(plan(unknown: 0)) && !isInOrder(plan(unknown: 100)))
  }

  @Test("If all matches are at the end of the order, a query reads a few times as many rows as match")
  func farMatches() throws {
    // In ascending order of the titles, these come last, and those of priority 200 in descending order.
    try workspace.transactAndWait([Post.self]) { txn in
      for number in 0..<100 {
        try txn.insert(Post(title: "\(90_000 + number)", priority: 100))
        try txn.insert(Post(title: "0\(1_000 + number)", priority: 200))
      }
    }
    let last = posts.where(Post.priority.between(100...100)).orderBy(Post.title.ascending)
    #expect(try last.limit(1).hasFallback)
    #expect(try last.limit(1).fetch().map(\.title) == ["90000"])
    #expect(try last.offset(3).limit(1).fetch().map(\.title) == ["90003"])
    let first = posts.where(Post.priority >= 200).orderBy(Post.title.descending)
    #expect(try first.limit(1).hasFallback)
    #expect(try first.limit(1).fetch().map(\.title) == ["01099"])
    // 57 are many among 3,200. The reading in order is given up after 4 * 57, and then the 100 matches are read.
    let count = try loads(first.limit(1))
    #expect(count > 4 * 57 && count <= 4 * 57 + 1 + 100)
  }

  @Test("A query continues where the reading in order was given up, without damaged rows", arguments: [0, 5, 15, 40])
  func continuing(offset: Int) throws {
    try workspace.transactAndWait([Post.self]) { txn in
      for number in 0..<30 {
        try txn.insert(Post(title: "\(90_000 + number)", tag: number == 19 ? "bad!" : nil, priority: 100))
      }
      for number in 0..<70 {
        try txn.insert(Post(title: "0\(1_000 + number)", tag: number == 35 ? "bad?" : nil, priority: 100))
      }
    }
    try damageTag("bad!", of: "90019")
    try damageTag("bad?", of: "01035")
    let all = (0..<30).reversed().map { "\(90_000 + $0)" } + (0..<70).reversed().map { "0\(1_000 + $0)" }
    let expected = all.dropFirst(offset).filter { $0 != "90019" && $0 != "01035" }
    let query = posts.where(Post.priority >= 100).orderBy(Post.title.descending).offset(offset)
    for limit in [1, 10, 29, 30, 31, 50, 54] {
      let page = query.limit(limit).assumingSize(1)
      #expect(try page.hasFallback)
      #expect(try page.fetch().map(\.title) == Array(expected.prefix(limit)))
      // Selecting the titles doesn't read the damaged parts.
      let titles: [String?] = try page.select(Post.title)
      #expect(titles.compactMap { $0 } == Array(all.dropFirst(offset).prefix(limit)))
    }
  }

  @Test(
    "Reading in order against cheaper accesses gives the same results as plain Swift",
    arguments: [1, 2, 3] as [UInt64])
  func againstAccesses(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try QueryModelTests.file(&generator)
    let workspace = try file.open(.complete)
    defer { workspace.shutdown() }
    var reached = 0
    for _ in 0..<300 {
      let query = ModelQuery(
        RandomSamples.pick(SampleFields.all, &generator).predicate(&generator),
        [RandomSamples.pick(SampleFields.all, &generator).order(&generator)],
        limit: RandomSamples.pick([1, 2, 5, 10], &generator), offset: RandomSamples.pick([0, 0, 1, 3], &generator))
      let expected = query.result(file.samples).map(\._rowid)
      for live in [query.query(in: workspace), query.query(in: workspace).assumingSize(1)] {
        if try live.hasFallback { reached += 1 }
        let found = try live.fetch().map(\._rowid)
        guard found != expected else { continue }
        Issue.record("\(query.text), seed \(seed): \(found) instead of \(expected)\n\(try live.explain())")
        return
      }
    }
    #expect(reached > 20)
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
    let all = monsters.orderBy(Monster.name.ascending)
    #expect(try all.fetch().map(\.hp) == [1, 4, 0, 2, 3])
    #expect(try all.explain().indexes == [] && all.explain().isSorted)
  }

  @Test("A value of the wrong type in an index changes neither the rows nor the order of a descending read")
  func wrongTypes() throws {
    // Each comes earlier in the descending order than the one before.
    for (rowid, value) in [(7, "1.5"), (6, "'text'"), (1, "x'01'")] {
      let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(5))
      try connection.execute("UPDATE post__f10 SET f10 = \(value) WHERE rowid = \(rowid)")
      let expected = try Self.rowids(connection, "SELECT rowid FROM post__f10 ORDER BY f10 DESC, rowid")
      connection.close()
      #expect(expected.count == Self.count)
      // Readers keep their views until the next commit.
      try test.workspace.transactAndWait { $0.dictionary["edit"] = value }
      let query = posts.orderBy(Post.priority.descending)
      #expect(try query.fetch().map(\._rowid) == expected)
      #expect(try query.limit(20).fetch().map(\._rowid) == Array(expected.prefix(20)))
    }
  }

  @Test("Text in an index that isn't UTF-8 changes neither the rows nor the order of a descending read")
  func invalidText() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Sample.self]) { txn in
      for number in 0..<30 {
        try txn.insert(Sample(id: "\(number)", text: number % 5 == 0 ? nil : "t\(number % 7)"))
      }
    }
    let index = quoted("\(Sample._entity.table)__f28")
    // A number after all texts, a text after some of them, and one before all others.
    for (rowid, value) in [(4, "7"), (3, "CAST(x'7433FF' AS TEXT)"), (2, "CAST(x'FF' AS TEXT)")] {
      let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(5))
      try connection.execute("UPDATE \(index) SET f28 = \(value) WHERE rowid = \(rowid)")
      let expected = try Self.rowids(connection, "SELECT rowid FROM \(index) ORDER BY f28 DESC, rowid")
      connection.close()
      // Readers keep their views until the next commit.
      try test.workspace.transactAndWait { $0.dictionary["edit"] = value }
      let query = test.workspace.query(for: Sample.self).orderBy(Sample.text.descending)
      #expect(try query.fetch().map(\._rowid) == expected)
      #expect(try query.limit(10).fetch().map(\._rowid) == Array(expected.prefix(10)))
    }
  }

  private static func rowids(_ connection: Connection, _ text: String) throws -> [Int64] {
    var rowids: [Int64] = []
    try connection.prepare(text).forEachRow { rowids.append($0.int64(at: 0)) }
    return rowids
  }
}
