import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

private typealias Article = Golden.Search.Article

/// Searches of random texts by the index, in transactions and by live queries, compared with the evaluation of each
/// object.
@Suite struct SearchModelTests {
  /// One search in one of the fields, or in all of them.
  private struct Question: CustomStringConvertible {
    let search: String
    /// 0 for all fields, 1 for the title, 2 for the body.
    let place: Int
    /// 0 for the search alone, 1 for its negation, 2 and 3 for combinations with another condition.
    let form: Int

    var description: String { "\(search.debugDescription) in \(place), form \(form)" }

    private var match: SearchExpr<Article> {
      switch place {
      case 0: Article.matches(search)
      case 1: Article.title.matches(search)
      default: Article.body.matches(search)
      }
    }

    func query(_ query: Query<Article>) -> Query<Article> {
      switch form {
      case 0: query.where(match)
      case 1: query.where(!match)
      case 2: query.where(match && Article.stars > 2)
      case 3: query.where(match || Article.stars == 1)
      default: query.where(match).where(Article.title.matches("red OR fox"))
      }
    }

    /// Returns the matching articles, each evaluated by itself.
    func answer(_ articles: some Sequence<Article>) -> [Int64] {
      articles.filter { article in
        let found = match.evaluate(object: article)
        return switch form {
        case 0: found == true
        case 1: found == false
        case 2: found == true && article.stars > 2
        case 3: found == true || article.stars == 1
        default: found == true && Article.title.matches("red OR fox").evaluate(object: article) == true
        }
      }.map(\._rowid)
    }
  }

  private static func question(_ random: inout SeededSearches) -> Question {
    Question(search: random.search(), place: random.number(0...2), form: random.number(0...4))
  }

  private static func article(_ id: Int32, _ random: inout SeededSearches) -> Article {
    Article(
      id: id, title: random.words(upTo: 3), body: random.words(upTo: 8), tag: random.words(upTo: 1),
      stars: Int32(random.number(0...4)))
  }

  /// Expects that a query's aggregates are those of these objects.
  private func expectAggregates(of query: Query<Article>, over objects: [Article], _ comment: Comment) throws {
    let stars = objects.map(\.stars)
    let sum = stars.reduce(0) { $0 + Int($1) }
    #expect(try query.min(of: Article.stars) == stars.min(), comment)
    #expect(try query.max(of: Article.stars) == stars.max(), comment)
    #expect(try query.sum(of: Article.stars) == Int128(sum), comment)
    let average: Double? = stars.isEmpty ? nil : Double(sum) / Double(stars.count)
    #expect(try query.average(of: Article.stars) == average, comment)
    let titles = Set(objects.compactMap { $0.title.map { Array($0.utf8) } })
    #expect(try query.count(distinct: Article.title) == titles.count, comment)
    let counts: [[Int]] = try query.counts(by: Article.stars).map { [Int($0.value ?? -1), $0.count] }
    let expected: [[Int]] = Dictionary(grouping: stars, by: { $0 }).map { [Int($0.key), $0.value.count] }
    #expect(counts == expected.sorted { $0[0] < $1[0] }, comment)
  }

  @Test("Every way to search finds the same objects", arguments: [1, 2, 3] as [UInt64])
  func everyWay(seed: UInt64) throws {
    var random = SeededSearches(seed: seed)
    let test = try TestWorkspace()
    let workspace = test.workspace
    let other = try TestWorkspace.open(test.path) { $0.fillsIndexes = false }
    defer { other.shutdown() }
    var next: Int32 = 0
    for round in 0..<12 {
      try workspace.transactAndWait([Article.self]) { txn in
        for _ in 0..<8 {
          next += 1
          try txn.insert(Self.article(next, &random))
          let id = Int32(random.number(1...Int(next)))
          let found = try txn.query(for: Article.self).where(Article.id == id).first()
          switch (random.number(0...3), found) {
          case (0, let found?): try txn.delete(found)
          case (1, let found?): _ = try txn.update(found) { $0.body = random.words(upTo: 4) }
          default: break
          }
        }
      }
      try other.core.checkForCommits()
      let all = try workspace.query(for: Article.self).fetch()
      for number in 0..<15 {
        let question = Self.question(&random)
        let expected = question.answer(all)
        let objects = all.filter { expected.contains($0._rowid) }
        for reader in [workspace, other] {
          let query = question.query(reader.query(for: Article.self))
          #expect(try query.fetch().map(\._rowid) == expected, "round \(round): \(question)")
          #expect(try query.count() == expected.count, "round \(round): \(question)")
          #expect(try query.exists() == !expected.isEmpty, "round \(round): \(question)")
          if number % 3 == 0 { try expectAggregates(of: query, over: objects, "round \(round): \(question)") }
        }
        try workspace.transactAndWait([Article.self]) { txn in
          let found = try question.query(txn.query(for: Article.self)).fetch()
          #expect(found.map(\._rowid) == expected, "round \(round), in a transaction: \(question)")
          if number % 5 == 0 {
            try expectAggregates(
              of: question.query(txn.query(for: Article.self)), over: objects,
              "round \(round), in a transaction: \(question)")
          }
        }
      }
    }
    #expect(
      try workspace.query(for: Article.self).where(Article.matches("fox")).explain().indexes == ["title, body, tag"])
    #expect(try workspace.checkIntegrity([Article.self]) == [])
    #expect(test.errors.events.isEmpty)
  }

  @Test("Live queries equal fresh fetches after commits, by relevance, too", arguments: [4, 5] as [UInt64])
  func live(seed: UInt64) throws {
    var random = SeededSearches(seed: seed)
    let test = try TestWorkspace()
    let workspace = test.workspace
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    var watches: [(query: Query<Article>, log: EventLog<[Int64]>, last: [Int64], subscription: WorkspaceSubscription)] =
      []
    for number in 0..<20 {
      let question = Self.question(&random)
      var query = question.query(workspace.query(for: Article.self))
      if number % 4 == 0 {
        query = workspace.query(for: Article.self).where(Article.matches("fox OR red")).orderBy(.relevance)
      }
      if number % 8 == 0 { query = query.offset(1).limit(3) }
      let result = try query.fetch()
      let log = EventLog<[Int64]>()
      watches.append(
        (query, log, result.map(\._rowid), workspace.subscribe(fetchedResult: result) { log.append($0.map(\._rowid)) }))
    }
    for step in 0..<25 {
      let author = step % 3 == 2 ? other : workspace
      try author.transactAndWait([Article.self]) { txn in
        for _ in 0..<random.number(1...4) {
          let id = Int32(random.number(1...30))
          let found = try txn.query(for: Article.self).where(Article.id == id).first()
          switch (random.number(0...2), found) {
          case (0, let found?): try txn.delete(found)
          case (_, let found?): _ = try txn.update(found) { $0.title = random.words(upTo: 3) }
          default: try txn.insert(Self.article(id, &random))
          }
        }
      }
      try workspace.core.checkForCommits()
      try workspace.settle()
      for (query, log, first, _) in watches {
        #expect((log.events.last ?? first) == (try query.fetch().map(\._rowid)), "step \(step)")
      }
    }
  }

  @Test("An observed closure over a search gives its new result after each commit that changes it")
  func observed() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    let found = EventLog<[Int32]>()
    let ranked = EventLog<[Int32]>()
    let subscriptions: [WorkspaceSubscription] = [
      workspace.observe { reader -> [Int32] in
        try reader.query(for: Article.self).where(Article.matches("fox")).fetch().map(\.id)
      }.subscribe { found.append($0) },
      workspace.observe { reader -> [Int32] in
        try reader.query(for: Article.self).where(Article.matches("fox")).orderBy(.relevance).fetch().map(\.id)
      }.subscribe { ranked.append($0) },
    ]
    func commit(in author: SQLiteWorkspace, _ body: (TransactionContext) throws -> Void) throws {
      try author.transactAndWait([Article.self], body)
      try workspace.core.checkForCommits()
      try workspace.settle()
    }
    // The word is in few of the objects, so that its frequency in each of them counts.
    try commit(in: workspace) { txn in
      for id in 10..<20 { try txn.insert(Article(id: Int32(id), body: "hen hen hen hen")) }
    }
    try commit(in: workspace) { txn in
      try txn.insert(Article(id: 1, body: "fox hen hen hen"))
      try txn.insert(Article(id: 2, body: "fox fox hen hen"))
    }
    #expect(found.events == [[], [1, 2]])
    #expect(ranked.events == [[], [2, 1]])
    // The order changes, but not the matches.
    try commit(in: workspace) { txn in _ = try txn.update(Article(id: 1)) { $0.body = "fox fox fox hen" } }
    #expect(found.events == [[], [1, 2]])
    #expect(ranked.events == [[], [2, 1], [1, 2]])
    try commit(in: other) { txn in _ = try txn.update(Article(id: 2)) { $0.body = "hen hen hen hen" } }
    try commit(in: other) { txn in _ = try txn.update(Article(id: 15)) { $0.title = "fox fox fox fox" } }
    try commit(in: workspace) { txn in try txn.delete(Article(id: 1)) }
    #expect(found.events == [[], [1, 2], [1], [15, 1], [15]])
    #expect(ranked.events.map { $0.sorted() } == [[], [1, 2], [1, 2], [1], [1, 15], [15]])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("Searches mean what the documented language says", arguments: [7, 8, 9] as [UInt64])
  func language(seed: UInt64) throws {
    var random = SeededSearches(seed: seed)
    let test = try TestWorkspace()
    let workspace = test.workspace
    // The words of each object's title and body.
    var documents: [[[String]]] = []
    try workspace.transactAndWait([Article.self]) { txn in
      for id in 1...40 {
        let fields = [5, 9].map { most in
          (0..<random.number(0...most)).map { _ in PlainSearch.words[random.number(0...(PlainSearch.words.count - 1))] }
        }
        let texts = fields.map { words in
          words.map { word in
            (random.number(0...1) == 0 ? word : word.uppercased())
              + PlainSearch.separators[random.number(0...(PlainSearch.separators.count - 1))]
          }.joined()
        }
        documents.append(fields)
        try txn.insert(Article(id: Int32(id), title: texts[0], body: texts[1]))
      }
    }
    let all = try workspace.query(for: Article.self).fetch()
    for _ in 0..<60 {
      let search = PlainSearch(&random)
      let inAll = documents.indices.filter { search.matches(documents[$0]) }.map { Int32($0 + 1) }
      let inTitle = documents.indices.filter { search.matches([documents[$0][0]]) }.map { Int32($0 + 1) }
      for (match, expected) in [
        (Article.matches(search.text), inAll), (Article.title.matches(search.text), inTitle),
      ] {
        let query = workspace.query(for: Article.self).where(match)
        #expect(try query.fetch().map(\.id) == expected, "\(search.text)")
        #expect(all.filter { match.evaluate(object: $0) == true }.map(\.id) == expected, "\(search.text)")
      }
    }
  }

  @Test("The order by relevance is that of the index, with it or without it, alone or after another order")
  func relevance() throws {
    var random = SeededSearches(seed: 6)
    let test = try TestWorkspace { $0.fillsIndexes = false }
    let workspace = test.workspace
    // These objects are older than the index, which has to be filled.
    try workspace.transactAndWait([Article.self]) { txn in
      for id in 1...80 { try txn.insert(Self.article(Int32(id), &random)) }
    }
    try test.execute("DELETE FROM dflat_index WHERE path LIKE 'search%'")
    let scanning = try TestWorkspace.open(test.path) { $0.fillsIndexes = false }
    defer { scanning.shutdown() }
    let searches = ["fox", "red OR fox", "wolf -red", "\"red fox\"", "re*"]
    func answers(_ workspace: SQLiteWorkspace) throws -> [[Int64]] {
      try searches.flatMap { search -> [[Int64]] in
        let all = workspace.query(for: Article.self).where(Article.matches(search))
        let title = workspace.query(for: Article.self).where(Article.title.matches(search) && Article.stars > 0)
        return try [
          all.orderBy(.relevance), all.orderBy(.relevance).limit(3).offset(1),
          all.orderBy(Article.stars.descending, .relevance), all.orderBy(.relevance, Article.stars.ascending),
          title.orderBy(.relevance), title.orderBy(.relevance).limit(2),
        ].map { try $0.fetch().map(\._rowid) }
      }
    }
    let scanned = try answers(scanning)
    let filling = try TestWorkspace.open(test.path)
    defer { filling.shutdown() }
    _ = try answers(filling)
    try waitUntilFilled(filling)
    let query = filling.query(for: Article.self).where(Article.matches("fox")).orderBy(.relevance)
    #expect(try query.explain().statements.first?.contains("ORDER BY bm25(") == true)
    #expect(try query.explain().isSorted == false)
    #expect(try answers(filling) == scanned)
    #expect(scanned[0].count > 3 && scanned[0] != scanned[0].sorted())
  }

  @Test("An order by relevance without a search that must match is an error")
  func nothingToRank() throws {
    let test = try TestWorkspace()
    try test.workspace.insert(Article(id: 1, title: "fox"))
    let all = test.workspace.query(for: Article.self).orderBy(.relevance)
    #expect(try errorCode { _ = try all.fetch() } == .invalidRequest)
    #expect(try errorCode { _ = try all.where(!Article.matches("fox")).explain() } == .invalidRequest)
    #expect(
      try errorCode { _ = try all.where(Article.matches("fox") || Article.stars == 1).first() } == .invalidRequest)
    #expect(try all.where(Article.matches("fox")).count() == 1)
    // Queries that don't throw report it.
    #expect(test.workspace.fetch(for: Article.self).all(orderBy: [.relevance]).isEmpty)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.invalidRequest])
  }

  @Test(
    "Texts of all kinds",
    arguments: [
      ("cafe", "Café", true), ("CAFÉ", "cafe\u{301}", true), ("e\u{301}te*", "Étés", true), ("日本", "日本 語", true),
      ("日", "日本", false), ("日*", "日本", true), ("🎉", "🎉", false), ("fox 🎉", "a fox", true), ("b", "a\u{0}b", true),
      ("a", "", false), ("\u{0}", "a", false), ("ﬁn", "fin", false), ("don't", "don't", true), ("it\"s", "it s", true),
    ])
  func texts(_ search: String, _ text: String, _ isFound: Bool) throws {
    let test = try TestWorkspace()
    try test.workspace.insert(Article(id: 1, body: text))
    let query = test.workspace.query(for: Article.self).where(Article.body.matches(search))
    #expect(try query.explain().indexes == ["title, body, tag"])
    #expect(try query.exists() == isFound)
    #expect(Article.body.matches(search).evaluate(object: Article(id: 2, body: text)) == isFound)
    #expect(Article.body.matches(search).evaluate(object: Article(id: 2)) == nil)
  }

  @Test("A long text is searched to its end")
  func long() throws {
    let test = try TestWorkspace()
    let text = String(repeating: "lorem ipsum ", count: 90_000) + "end"
    try test.workspace.insert(Article(id: 1, body: text))
    let query = test.workspace.query(for: Article.self).where(Article.matches("lorem end"))
    #expect(try query.count() == 1)
    #expect(Article.matches("lorem end").evaluate(object: Article(id: 2, body: text)) == true)
    #expect(
      try Article.body.snippet(of: Article(id: 1, body: text), matching: "end", start: "[", end: "]", words: 2)
        == "…ipsum [end]")
  }

  @Test("Snippets and highlights mark what a search looks for")
  func snippets() throws {
    let article = Article(id: 1, title: "The Quick Brown Fox", body: "a\u{0}b <c>")
    func title(_ search: String) throws -> String? {
      try Article.title.highlighted(in: article, matching: search, start: "[", end: "]")
    }
    #expect(try title("fox quick") == "The [Quick] Brown [Fox]")
    #expect(try title("\"quick brown\" wolf") == "The [Quick Brown] Fox")
    #expect(try title("bro* -fox") == "The Quick [Brown] Fox")
    #expect(try title("wolf") == nil)
    #expect(try title("\"") == nil)
    #expect(try Article.tag.highlighted(in: article, matching: "fox", start: "[", end: "]") == nil)
    #expect(try Article.body.highlighted(in: article, matching: "b c", start: "<", end: ">") == "a <b> <<c>>")
    for words in [.min, 0, 1, 64, .max] as [Int] {
      let found = try Article.title.snippet(of: article, matching: "fox", start: "[", end: "]", words: words)
      #expect(found?.contains("[Fox]") == true)
    }
  }
}
