import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// The full-text indexes in the file: which programs create, fill, maintain and use them.
@Suite struct SearchIndexTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  private func found<S: PageSchema>(_ search: String, by schema: S.Type) throws -> [String] {
    try workspace.query(for: Page<S>.self).where(Page<S>.title.matches(search)).fetch().map(\.fields.key)
  }

  private func indexes<S: PageSchema>(_ schema: S.Type) throws -> [String] {
    try workspace.query(for: Page<S>.self).where(Page<S>.title.matches("fox")).explain().indexes
  }

  private func entries() throws -> [String] {
    try workspace.fetchWithinASnapshot {
      try workspace.core.withCurrentView { connection, _ in
        try IndexCatalog.entries(of: TitleOnly.entity, on: connection).map { "\($0.path) \($0.isComplete)" }
      } ?? []
    }
  }

  @Test("A new table has its index at once; an older one gets it in the background")
  func creation() throws {
    try workspace.insert(Page<TitleOnly>("a", "red fox"))
    #expect(try entries() == ["search__f6 true"])
    #expect(try indexes(TitleOnly.self) == ["title"])
    // The other schema's index is another one.
    #expect(try indexes(TitleAndBody.self) == [])
    try waitUntilFilled(workspace)
    #expect(try entries() == ["search__f6 true", "search__f6___f8 true"])
    #expect(try indexes(TitleAndBody.self) == ["title, body"])
    #expect(try found("fox", by: TitleAndBody.self) == ["a"])
    #expect(try workspace.checkIntegrity([Page<TitleOnly>.self]) == [])
  }

  @Test("Programs with other schemas, or without searchable fields, maintain every index")
  func otherPrograms() throws {
    try workspace.insert(Page<TitleOnly>("a", "red fox", "body"))
    _ = try indexes(TitleAndBody.self)
    try waitUntilFilled(workspace)
    try workspace.insert(Page<Unsearched>("b", "grey wolf", "with a fox"), Page<Unsearched>("c", "fox"))
    try workspace.transactAndWait([Page<Unsearched>.self]) { txn in
      _ = try txn.update(Page<Unsearched>("a")) { $0.fields.title = "grey wolf" }
      try txn.delete(Page<Unsearched>("c"))
    }
    for _ in 0..<2 {
      #expect(try found("wolf", by: TitleOnly.self) == ["a", "b"])
      #expect(try found("wolf", by: TitleAndBody.self) == ["a", "b"])
      #expect(try found("fox", by: TitleOnly.self) == [])
      // A program without the attribute searches the objects.
      #expect(try found("wolf", by: Unsearched.self) == ["a", "b"])
      #expect(try indexes(Unsearched.self) == [])
      #expect(try workspace.checkIntegrity([]) == [])
      try workspace.compact()
    }
    #expect(
      try workspace.query(for: Page<TitleAndBody>.self).where(Page<TitleAndBody>.matches("wolf fox")).fetch().count == 1
    )
    #expect(try workspace.removeUnusedIndexes(of: Page<TitleOnly>.self) == ["search__f6___f8"])
    #expect(try workspace.removeUnusedIndexes(of: Page<Unsearched>.self) == ["search__f6"])
    #expect(try RawDatabase(test.path).text("SELECT name FROM sqlite_master WHERE name LIKE '%search%'") == nil)
    #expect(try found("wolf", by: TitleOnly.self) == ["a", "b"])
  }

  @Test("Rolled back writes leave no trace in the index, nor in other members of the group")
  func rollback() throws {
    try workspace.insert(Page<TitleOnly>("a", "red fox"))
    #expect(throws: Refusal.self) {
      try workspace.transactAndWait([Page<TitleOnly>.self]) { txn in
        try txn.insert(Page<TitleOnly>("b", "red wolf"))
        _ = try txn.update(Page<TitleOnly>("a")) { $0.fields.title = "grey" }
        #expect(
          try txn.query(for: Page<TitleOnly>.self).where(Page<TitleOnly>.title.matches("red")).fetch().map(\.fields.key)
            == ["b"])
        throw Refusal()
      }
    }
    #expect(try found("red", by: TitleOnly.self) == ["a"])
    try workspace.transactAndWait([Page<TitleOnly>.self]) { txn in
      try txn.insert(Page<TitleOnly>("c", "red hen"))
      // A part that is undone by itself.
      #expect(throws: Refusal.self) {
        try txn.updateAll(Page<TitleOnly>.self) { page in
          page.fields.title = "gone"
          if page.fields.key == "c" { throw Refusal() }
        }
      }
    }
    #expect(try found("red", by: TitleOnly.self) == ["a", "c"])
    #expect(try found("gone", by: TitleOnly.self) == [])
    #expect(try workspace.checkIntegrity([Page<TitleOnly>.self]) == [])
  }

  @Test("Bulk changes select by searches, and maintain the index")
  func bulk() throws {
    try workspace.transactAndWait([Page<TitleOnly>.self]) { txn in
      for number in 0..<40 { try txn.insert(Page<TitleOnly>("\(number)", number % 4 == 0 ? "spam" : "ham")) }
      let matching = Page<TitleOnly>.title.matches("spam")
      #expect(try txn.updateAll(Page<TitleOnly>.self, where: matching) { $0.fields.title = "junk" } == 10)
      #expect(try txn.deleteAll(Page<TitleOnly>.self, where: Page<TitleOnly>.title.matches("junk")) == 10)
    }
    #expect(try found("ham", by: TitleOnly.self).count == 30)
    #expect(try found("junk OR spam", by: TitleOnly.self) == [])
    let deleted = try workspace.transactAndWait([Page<TitleOnly>.self]) { try $0.deleteAll(Page<TitleOnly>.self) }
    #expect(deleted == 30)
    #expect(try found("ham", by: TitleOnly.self) == [])
    #expect(try workspace.checkIntegrity([Page<TitleOnly>.self]) == [])
  }

  @Test("An unfinished index is maintained and not used, and a step that is undone is repeated")
  func unfinished() throws {
    let test = try TestWorkspace { $0.fillsIndexes = false }
    let workspace = test.workspace
    try workspace.transactAndWait([Page<Unsearched>.self]) { txn in
      for number in 0..<30 { try txn.insert(Page<Unsearched>("\(number)", "fox \(number)")) }
    }
    let search = try #require(TitleOnly.entity.search)
    var fill = SearchFill(search, of: TitleOnly.entity, rowsInStep: 10)
    let query = workspace.query(for: Page<TitleOnly>.self).where(Page<TitleOnly>.title.matches("fox"))
    for (number, isUndone) in [false, true, false, true, false, false].enumerated() {
      #expect(try query.explain().incompleteIndexes == ["title"])
      #expect(try query.count() == 30 + number)
      try? workspace.transactAndWait { txn in
        let outcome = try fill.step(in: try txn.joinedGroup())
        #expect(outcome == .more)
        if isUndone { throw Refusal() }
      }
      // A write between two steps, before and after the rows that were filled.
      try workspace.transactAndWait([Page<Unsearched>.self]) { txn in
        try txn.insert(Page<Unsearched>("more \(number)", "fox"))
        _ = try txn.update(Page<Unsearched>("2\(number)")) { $0.fields.title = "red fox" }
      }
      #expect(try workspace.checkIntegrity([]) == [])
    }
    #expect(try query.explain().indexes == ["title"])
    #expect(try query.count() == 36)
    #expect(try workspace.query(for: Page<TitleOnly>.self).where(Page<TitleOnly>.title.matches("red")).count() == 6)
    let outcome = try workspace.transactAndWait { try fill.step(in: try $0.joinedGroup()) }
    #expect(outcome == .done)
  }

  @Test("A program that can't read an index's definition changes no rows of the type")
  func newerDefinition() throws {
    try workspace.insert(Page<TitleOnly>("a", "red fox"))
    // The definition of a full-text index, as older programs read it.
    try RawDatabase.execute("UPDATE dflat_index SET definition = 'future:' || definition", on: test.path)
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    #expect(try errorCode { try other.insert(Page<TitleOnly>("b", "fox")) } == .newerFormat)
    #expect(try other.query(for: Page<TitleOnly>.self).where(Page<TitleOnly>.title.matches("fox")).count() == 1)
    #expect(FieldPath(definition: try #require(TitleOnly.entity.search).definition) == nil)
  }

  @Test("A field may have the name 'matches'")
  func fieldNamedMatches() throws {
    try workspace.insert(Page<TitleOnly>("a", "red fox"), Page<TitleOnly>("b", "fox"))
    let all = workspace.query(for: Page<TitleOnly>.self)
    #expect(try all.where(Page<TitleOnly>.matches("fox")).count() == 2)
    #expect(try all.where(Page<TitleOnly>.matches == "fox").count() == 1)
    #expect(try all.where(Page<TitleOnly>.matches.matches("red")).count() == 1)
  }

  @Test("A search of all fields reads every object until the index is complete, and finds the same with it")
  func scan() throws {
    typealias Found = Page<TitleAndBody>
    let test = try TestWorkspace { $0.fillsIndexes = false }
    let workspace = test.workspace
    try workspace.insert(
      Page<Unsearched>("a", "red fox"), Page<Unsearched>("b", "red", "fox"), Page<Unsearched>("c", nil, "fox"),
      Page<Unsearched>("d"), Page<Unsearched>("e", "grey wolf", "not red"))
    func answers(_ workspace: SQLiteWorkspace) throws -> [[String]] {
      try [
        Found.matches("red fox"), Found.matches("red -fox"), Found.matches("fox OR wolf"), Found.matches("\"red fox\""),
        Found.matches("wo* re*"), Found.matches("-red"),
      ].map { try workspace.query(for: Found.self).where($0).fetch().map(\.fields.key) }
    }
    let expected = [["a", "b"], ["e"], ["a", "b", "c", "e"], ["a"], ["e"], []]
    let query = workspace.query(for: Found.self).where(Found.matches("fox"))
    #expect(try answers(workspace) == expected)
    #expect(try query.explain().incompleteIndexes == ["title, body"] && query.explain().isEvaluated)
    // Neither a search nor its negation finds an object without a text.
    #expect(try workspace.query(for: Found.self).where(!Found.matches("fox")).fetch().map(\.fields.key) == ["e"])
    let filling = try TestWorkspace.open(test.path)
    defer { filling.shutdown() }
    _ = try answers(filling)
    try waitUntilFilled(filling)
    #expect(try answers(filling) == expected && answers(workspace) == expected)
    let complete = filling.query(for: Found.self).where(Found.matches("fox"))
    #expect(try !complete.explain().isEvaluated)
    #expect(try filling.query(for: Found.self).where(!Found.matches("fox")).fetch().map(\.fields.key) == ["e"])
  }

  @Test("Explanations name the index, and bind the search")
  func explanation() throws {
    try workspace.insert(Page<TitleOnly>("a", "red fox"))
    let query = workspace.query(for: Page<TitleOnly>.self).where(Page<TitleOnly>.title.matches("fox'\";--"))
    let explanation = try query.explain()
    #expect(explanation.access.hasPrefix("search by title; "))
    #expect(!explanation.isEvaluated)
    #expect(
      explanation.statements.first == "SELECT rowid FROM \"page__search__f6\" WHERE \"page__search__f6\" MATCH ?1")
    #expect(explanation.sqlitePlans.first?.first?.contains("VIRTUAL TABLE") == true)
    #expect(try query.where(Page<TitleOnly>.body == nil).explain().isEvaluated)
    #expect(try query.count() == 1)
  }

  // MARK: Without FTS5

  @Test("Without FTS5, searches and writes of a type with an index are refused, and everything else works")
  func unavailable() throws {
    typealias Found = Page<TitleOnly>
    try workspace.insert(Found("a", "red fox"))
    let without = try test.another { $0.fillsIndexes = false }
    try SearchEvaluator.$isHidden.withValue(true) { () throws in
      let all = without.workspace.query(for: Found.self)
      let search = all.where(Found.title.matches("fox"))
      #expect(try errorCode { _ = try search.fetch() } == .searchUnavailable)
      #expect(try errorCode { _ = try search.count() } == .searchUnavailable)
      #expect(try errorCode { _ = try search.orderBy(.relevance).first() } == .searchUnavailable)
      #expect(try errorCode { _ = try all.where(!Found.title.matches("fox")).exists() } == .searchUnavailable)
      #expect(try errorCode { _ = try search.explain() } == .searchUnavailable)
      let unsearched = without.workspace.query(for: Page<Unsearched>.self).where(Page<Unsearched>.body.matches("fox"))
      #expect(try errorCode { _ = try unsearched.fetch() } == .searchUnavailable)
      // A refusal leaves the transaction usable.
      try without.workspace.transactAndWait([Found.self, Page<Unsearched>.self, Post.self]) { txn in
        #expect(try errorCode { try txn.insert(Found("b", "fox")) } == .searchUnavailable)
        #expect(try errorCode { _ = try txn.update(Found("a")) { $0.fields.body = "x" } } == .searchUnavailable)
        #expect(try errorCode { try txn.delete(Page<Unsearched>("a")) } == .searchUnavailable)
        try txn.insert(Post(title: "post", priority: 1))
        txn.dictionary["key"] = 1
      }
      #expect(try all.where(Found.key == "a").fetch().map(\.fields.title) == ["red fox"])
      #expect(try all.where(Found.title.contains("fox")).count() == 1)
      #expect(try without.workspace.query(for: Post.self).where(Post.title == "post").count() == 1)
      #expect(without.dictionary["key"] == 1)
      #expect(try without.workspace.checkIntegrity([Found.self]) == [])
    }
    #expect(try found("fox", by: TitleOnly.self) == ["a"])
    #expect(try workspace.checkIntegrity([Found.self]) == [])
  }

  @Test("Without FTS5, a type's table is created without its index, which another program adds")
  func createdWithoutModule() throws {
    try SearchEvaluator.$isHidden.withValue(true) { () throws in
      let without = try test.another { $0.fillsIndexes = false }
      try without.workspace.insert(Page<TitleOnly>("a", "red fox"))
      try without.workspace.transactAndWait([Page<TitleOnly>.self]) { txn in
        _ = try txn.update(Page<TitleOnly>("a")) { $0.fields.title = "grey fox" }
      }
    }
    try workspace.core.checkForCommits()
    #expect(try entries() == [])
    #expect(try found("grey", by: TitleOnly.self) == ["a"])
    try waitUntilFilled(workspace)
    #expect(try entries() == ["search__f6 true"])
    #expect(try found("grey", by: TitleOnly.self) == ["a"])
    #expect(try workspace.checkIntegrity([Page<TitleOnly>.self]) == [])
  }
}
