import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Calls that change many objects.
@Suite struct BulkTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace { $0.fillsIndexes = false } }

  private func insert(_ count: Int) throws {
    try workspace.transactAndWait([Post.self]) { txn in
      for number in 0..<count { try txn.insert(Post(title: "post \(number)", tag: "t", priority: Int32(number % 100))) }
    }
  }

  private func stored() throws -> [Post] { try EntityFileCheck(Post.self, in: test.path).objects() }

  @Test("A bulk deletion deletes and counts the matching objects, those of its transaction included")
  func deletion() throws {
    try insert(300)
    let count = try workspace.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "of this transaction", priority: 99))
      let count = try txn.deleteAll(Post.self, where: Post.priority >= 90)
      #expect(try txn.query(for: Post.self).count() == 270)
      return count
    }
    #expect(count == 31)
    #expect(try stored().map(\.priority).max() == 89)
    #expect(try stored().count == 270)
  }

  @Test("A bulk deletion without a predicate deletes all objects, and their rowids are not reused")
  func deletionOfAll() throws {
    try insert(50)
    #expect(try workspace.transactAndWait([Post.self]) { try $0.deleteAll(Post.self) } == 50)
    #expect(try stored().isEmpty)
    let before = workspace.commitNumber
    #expect(try workspace.transactAndWait([Post.self]) { try $0.deleteAll(Post.self) } == 0)
    #expect(workspace.commitNumber == before)
    let next = try workspace.transactAndWait([Post.self]) { try $0.insert(Post(title: "next")) }
    #expect(next._rowid == 51)
  }

  @Test("Bulk changes of a type without a table change and commit nothing")
  func nothing() throws {
    let counts = try workspace.transactAndWait([Post.self]) { txn in
      [
        try txn.deleteAll(Post.self), try txn.deleteAll(Post.self, where: Post.priority > 1),
        try txn.updateAll(Post.self) { $0.priority = 1 },
        try txn.updateAll(Post.self, where: Post.priority > 1) { $0.priority = 1 },
      ]
    }
    #expect(counts == [0, 0, 0, 0])
    #expect(workspace.commitNumber == 0)
  }

  @Test("A bulk update changes each object that matched at its start once, in insertion order")
  func update() throws {
    try insert(300)
    var seen: [String] = []
    let count = try workspace.transactAndWait([Post.self]) { txn in
      try txn.updateAll(Post.self, where: Post.priority > 97) { post in
        seen.append(post.title)
        post.priority += 1
        post.title += "!"
      }
    }
    #expect(count == 6)
    #expect(seen == ["post 98", "post 99", "post 198", "post 199", "post 298", "post 299"])
    let changed = try stored().filter { $0.title.hasSuffix("!") }
    #expect(changed.map(\.priority) == [99, 100, 99, 100, 99, 100])
    #expect(changed.map(\._rowid) == [99, 100, 199, 200, 299, 300])
    #expect(try workspace.query(for: Post.self).where(Post.priority == 100).count() == 3)
  }

  @Test("A bulk update counts the objects that it leaves unchanged, but doesn't write them")
  func identity() throws {
    try insert(10)
    let before = workspace.commitNumber
    #expect(try workspace.transactAndWait([Post.self]) { try $0.updateAll(Post.self) { $0.tag = "t" } } == 10)
    #expect(workspace.commitNumber == before)
  }

  @Test("A bulk update that fails for one object changes none, and its transaction goes on")
  func conflict() throws {
    try insert(100)
    try workspace.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "before", priority: 1))
      let error = #expect(throws: WorkspaceError.self) {
        try txn.updateAll(Post.self, where: Post.priority < 50) { post in
          post.priority = 1_000
          if post.title == "post 30" { post.title = "post 99" }
        }
      }
      #expect(error?.code == .objectAlreadyExists)
      #expect(error?.field == "title")
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { post in
          post.priority = 2_000
          try txn.insert(Post(title: "for \(post.title)"))
          if post.title == "post 7" { throw Refusal() }
        }
      }
      #expect(try txn.query(for: Post.self).where(Post.priority >= 1_000).count() == 0)
      #expect(try txn.query(for: Post.self).count() == 101)
      try txn.insert(Post(title: "after", priority: 2))
    }
    #expect(try stored().map(\.priority) == (0..<100).map { Int32($0) } + [1, 2])
  }

  @Test("A failed bulk update also undoes the table that its closure created")
  func undoneTable() throws {
    try insert(3)
    try workspace.transactAndWait([Post.self, Item<V2>.self]) { txn in
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { _ in
          try txn.insert(Item<V2>("first"))
          throw Refusal()
        }
      }
      #expect(try txn.query(for: Item<V2>.self).count() == 0)
      try txn.insert(Item<V2>("second") { $0.serial = 3 })
    }
    try expectRightAnswers(V2.self, from: workspace)
    #expect(try workspace.query(for: Item<V2>.self).fetch().map(\.fields.key) == ["second"])
  }

  @Test("A change request is outdated after a bulk change of its object, also after an undone one")
  func requests() throws {
    try insert(3)
    let post = try #require(try workspace.query(for: Post.self).first())
    try workspace.transactAndWait([Post.self]) { txn in
      let early = try #require(PostChangeRequest.changeRequest(post))
      early.tag = "early"
      try txn.updateAll(Post.self) { $0.priority += 1 }
      let error = #expect(throws: WorkspaceError.self) { try txn.submit(early) }
      #expect(error?.code == .outdatedRequest)
      var within: PostChangeRequest?
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { values in
          if values.title == "post 0" { return values.priority = 50 }
          within = PostChangeRequest.changeRequest(post)
          throw Refusal()
        }
      }
      let undone = try #require(within)
      undone.tag = "undone"
      let second = #expect(throws: WorkspaceError.self) { try txn.submit(undone) }
      #expect(second?.code == .outdatedRequest)
    }
    #expect(try stored().map(\.priority) == [1, 2, 3])
    #expect(try stored().map(\.tag) == ["t", "t", "t"])
  }

  @Test("Bulk changes fail on abort, for undeclared types and after the end of their transaction")
  func misuse() throws {
    try insert(3)
    var escaped: TransactionContext?
    #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait([Post.self]) { txn in
        escaped = txn
        try txn.updateAll(Post.self) { post in
          post.priority = 9
          txn.abort()
        }
      }
    }
    #expect(throws: WorkspaceError.self) { try escaped?.deleteAll(Post.self) }
    let error = #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait([Item<V1>.self]) { try $0.deleteAll(Post.self) }
    }
    #expect(error?.code == .undeclaredType)
    #expect(try stored().map(\.priority) == [0, 1, 2])
  }

  @Test("Bulk changes keep a partially filled index consistent")
  func partialIndex() throws {
    var random = SeededGenerator(seed: 30)
    let items = (0..<40).map { Item<V1>.random("item \($0)", using: &random) }
    try workspace.transactAndWait([Item<V1>.self]) { txn in for item in items { try txn.insert(item) } }
    var filler = try IndexFill(of: V2.self, "rating", rowsInStep: 15)
    for round in 0..<4 {
      try expectStep(&filler, on: workspace, .more)
      try workspace.transactAndWait([Item<V2>.self]) { txn in
        try txn.updateAll(Item<V2>.self, where: Item<V2>.count == Int32(round)) { $0.rating = 3 }
        try txn.deleteAll(Item<V2>.self, where: Item<V2>.count == Int32(round + 6))
      }
      try expectRightAnswers(V2.self, from: workspace)
    }
    try workspace.transactAndWait([Item<V1>.self]) { _ = try $0.deleteAll(Item<V1>.self) }
    try expectRightAnswers(V2.self, from: workspace)
  }

  @Test("Bulk changes accept predicates with many identifiers", arguments: [10_000, 100_000])
  func identifiers(_ count: Int) throws {
    try insert(3_000)
    // The titles of a third of the objects, and many that no object has.
    let titles = (0..<count).map { "post \($0 * 3)" }
    let marked = try workspace.transactAndWait([Post.self]) { txn in
      try txn.updateAll(Post.self, where: Post.title.in(titles)) { $0.tag = "read" }
    }
    #expect(marked == 1_000)
    #expect(try workspace.query(for: Post.self).where(Post.tag == "read").count() == 1_000)
    let rest = try workspace.transactAndWait([Post.self]) {
      try $0.deleteAll(Post.self, where: Post.title.notIn(titles))
    }
    #expect(rest == 2_000)
    #expect(try stored().map(\.tag) == Array(repeating: "read", count: 1_000))
    let more = (0..<count).map { Int32($0) }
    #expect(
      try workspace.transactAndWait([Post.self]) { try $0.deleteAll(Post.self, where: Post.priority.in(more)) } == 1_000
    )
  }
}
