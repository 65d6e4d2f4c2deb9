import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Effects and results of each kind of request.
@Suite struct RequestTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  private func stored() throws -> [Post] { try test.stored(Post.self) }

  // MARK: Creations

  @Test("A creation stores its object and returns it with its row and commit number")
  func aCreationIsStored() throws {
    let outcome = try workspace.transactAndWait([Post.self]) { txn throws in
      let request = PostChangeRequest.creationRequest()
      request.title = "first"
      request.priority = 3
      return try txn.submit(request)
    }
    guard case .inserted(let post) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(post == Post(title: "first", priority: 3))
    #expect(post._rowid == 1)
    #expect(post._changesTimestamp == 1)
    #expect(try stored() == [post])
  }

  @Test("A creation request starts with the defaults of its fields")
  func aCreationHasTheDefaults() throws {
    #expect(PostChangeRequest.creationRequest()._values.build() == Post(title: ""))
    #expect(MyGame.Sample.MonsterChangeRequest.creationRequest().mana == 150)
  }

  @Test("A creation request can be made outside a transaction and ignores its object's row")
  func aCreationMayBeMadeAnywhereAndIgnoresTheRow() throws {
    let first = try #require(try workspace.insert(Post(title: "a")).first)
    let request = PostChangeRequest.creationRequest(first)
    request.title = "b"
    let outcome = try workspace.transactAndWait([Post.self]) { try $0.submit(request) }
    #expect(outcome.object?._rowid == 2)
    #expect(try stored().map(\.title) == ["a", "b"])
  }

  // MARK: Changes

  @Test("An object keeps its row while requests insert, change and delete it")
  func theWholeLifeOfAnObject() throws {
    let first = try workspace.transactAndWait([Post.self]) { try $0.insert(Post(title: "a", priority: 1)) }
    let second = try workspace.transactAndWait([Post.self]) { txn throws in
      let request = try #require(PostChangeRequest.changeRequest(first))
      request.priority = 2
      guard case .updated(let post) = try txn.submit(request) else { throw Refusal() }
      return post
    }
    #expect(second.priority == 2)
    #expect(second._rowid == first._rowid)
    #expect(second._changesTimestamp == 2)
    #expect(try stored() == [second])
    let deleted = try workspace.transactAndWait([Post.self]) { txn throws in
      guard case .deleted(let rowid) = try txn.submit(PostChangeRequest.deletionRequest(second)) else {
        throw Refusal()
      }
      return rowid
    }
    #expect(deleted == first._rowid)
    #expect(try stored().isEmpty)
  }

  @Test("A change request starts with the currently stored values")
  func aChangeIsPresetWithWhatIsStoredNow() throws {
    let old = try #require(try workspace.insert(Post(title: "a", tag: "t", priority: 1)).first)
    try workspace.transactAndWait([Post.self]) { _ = try $0.update(old) { $0.priority = 2 } }
    try workspace.transactAndWait([Post.self]) { txn throws in
      let request = try #require(PostChangeRequest.changeRequest(old))
      #expect(request.priority == 2)
      #expect(request.tag == "t")
      request.priority = 5
      try txn.submit(request)
      // The transaction's own submissions count.
      #expect(try #require(PostChangeRequest.changeRequest(old)).priority == 5)
    }
  }

  @Test("Requests for an object that was never stored apply to the one with its key")
  func anObjectThatWasNeverStoredIsFoundByItsKey() throws {
    try workspace.insert(Post(title: "a", priority: 1), Post(title: "b", priority: 2))
    try workspace.transactAndWait([Post.self]) { txn throws in
      let request = try #require(PostChangeRequest.changeRequest(Post(title: "b", priority: 9)))
      #expect(request.priority == 2)
      request.tag = "found"
      try txn.submit(request)
      try txn.delete(Post(title: "a"))
    }
    #expect(try stored() == [Post(title: "b", tag: "found", priority: 2)])
  }

  @Test("A change or deletion of an object whose row is gone isn't looked up by its key")
  func aRowThatIsGoneIsNotLookedForByItsKey() throws {
    let old = try #require(try workspace.insert(Post(title: "a")).first)
    try workspace.transactAndWait([Post.self]) { txn throws in
      try txn.delete(old)
      try txn.insert(Post(title: "a", tag: "another"))
    }
    try workspace.transactAndWait([Post.self]) { txn throws in
      #expect(PostChangeRequest.changeRequest(old) == nil)
      #expect(PostChangeRequest.deletionRequest(old) == nil)
    }
    #expect(try stored().map(\._rowid) == [2])
  }

  @Test("A change or deletion of an object that isn't stored has no request")
  func thereIsNoRequestForWhatIsNotThere() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      // The file doesn't even have the table.
      #expect(PostChangeRequest.changeRequest(Post(title: "a")) == nil)
      #expect(PostChangeRequest.deletionRequest(Post(title: "a")) == nil)
      #expect(try errorCode { try txn.submit(PostChangeRequest.changeRequest(Post(title: "a"))) } == .objectNotFound)
    }
    try workspace.insert(Post(title: "b"))
    try workspace.transactAndWait([Post.self]) { txn throws in
      #expect(PostChangeRequest.changeRequest(Post(title: "a")) == nil)
      #expect(try errorCode { try txn.update(Post(title: "a")) { $0.priority = 1 } } == .objectNotFound)
      #expect(try errorCode { try txn.delete(Post(title: "a")) } == .objectNotFound)
    }
  }

  @Test("A request that changes nothing returns the stored object and makes no commit")
  func aChangeOfNothingIsNoWrite() throws {
    let post = try #require(try workspace.insert(Post(title: "a", tag: "t")).first)
    let commits = workspace.published
    let outcome = try workspace.transactAndWait([Post.self]) { try $0.submit(PostChangeRequest.changeRequest(post)) }
    guard case .identity(let same) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(same == post)
    #expect(same._changesTimestamp == Int64(commits))
    try workspace.transactAndWait([Post.self]) { _ = try $0.upsert(Post(title: "a", tag: "t")) }
    #expect(workspace.published == commits)
  }

  @Test("An object is found by its row and its new key after a change of its primary key")
  func thePrimaryKeyMayChange() throws {
    let post = try #require(try workspace.insert(Post(title: "a"), Post(title: "c")).first)
    try workspace.transactAndWait([Post.self]) { _ = try $0.update(post) { $0.title = "b" } }
    #expect(try stored().map(\.title) == ["b", "c"])
    try workspace.transactAndWait([Post.self]) { txn throws in
      #expect(PostChangeRequest.changeRequest(Post(title: "a")) == nil)
      #expect(PostChangeRequest.changeRequest(Post(title: "b")) != nil)
      #expect(try #require(PostChangeRequest.changeRequest(post)).title == "b")
    }
  }

  // MARK: Upserts

  @Test("An upsert inserts an object or replaces the one with its key")
  func anUpsertInsertsOrReplaces() throws {
    let outcomes = try workspace.transactAndWait([Post.self]) { txn throws in
      try [Post(title: "a", tag: "1"), Post(title: "a", priority: 2)].map {
        try txn.submit(PostChangeRequest.upsertRequest($0))
      }
    }
    guard case .inserted(let first) = outcomes[0], case .updated(let second) = outcomes[1] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(first._rowid == second._rowid)
    #expect(second.tag == nil)
    #expect(try stored() == [Post(title: "a", priority: 2)])
  }

  @Test("An upsert chooses between insert and update when it is submitted")
  func anUpsertDecidesWhenItIsSubmitted() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      let first = PostChangeRequest.upsertRequest(Post(title: "a", priority: 1))
      let second = PostChangeRequest.upsertRequest(Post(title: "a", priority: 2))
      guard case .inserted = try txn.submit(first), case .updated = try txn.submit(second) else { throw Refusal() }
      try txn.delete(Post(title: "a"))
      guard case .inserted = try txn.submit(PostChangeRequest.upsertRequest(Post(title: "a"))) else { throw Refusal() }
    }
    #expect(try stored() == [Post(title: "a")])
  }

  @Test("An upsert of a stored object replaces its row, also after a change of its key")
  func anUpsertOfAStoredObjectFollowsItsRow() throws {
    let post = try #require(try workspace.insert(Post(title: "a")).first)
    try workspace.transactAndWait([Post.self]) { _ = try $0.update(post) { $0.title = "b" } }
    try workspace.transactAndWait([Post.self]) { _ = try $0.upsert(post) }
    #expect(try stored() == [post])
  }

  /// The object was deleted, and its key was inserted again.
  @Test("An upsert of an object whose row is gone replaces the object with its key")
  func anUpsertOfAnOutdatedObjectFindsItsKey() throws {
    let old = try #require(try workspace.insert(Post(title: "a")).first)
    try workspace.transactAndWait([Post.self]) { txn throws in
      try txn.delete(old)
      try txn.insert(Post(title: "a", tag: "again"))
    }
    let now = try workspace.transactAndWait([Post.self]) { try $0.upsert(old) }
    #expect(now._rowid == 2)
    #expect(try stored() == [old])
  }

  // MARK: Rows

  @Test("Rowids of deleted objects are never used again, in any workspace")
  func rowsAreNeverUsedAgain() throws {
    let posts = try workspace.insert(Post(title: "a"), Post(title: "b"))
    #expect(posts.map(\._rowid) == [1, 2])
    try workspace.transactAndWait([Post.self]) { txn in for post in posts { try txn.delete(post) } }
    #expect(try workspace.insert(Post(title: "c")).first?._rowid == 3)
    let other = try TestWorkspace.open(test.path)
    try other.transactAndWait([Post.self]) { try $0.delete(Post(title: "c")) }
    #expect(try other.insert(Post(title: "d")).first?._rowid == 4)
    #expect(try workspace.insert(Post(title: "e")).first?._rowid == 5)
  }

  @Test("An undone insertion's rowid goes to an object of another workspace, for which its object isn't mistaken")
  func rowidsOfUndoneInsertions() throws {
    try workspace.insert(Post(title: "a"))
    var ghost: Post?
    #expect(throws: Refusal.self) {
      try workspace.transactAndWait([Post.self]) { txn throws in
        ghost = try txn.insert(Post(title: "ghost"))
        throw Refusal()
      }
    }
    let undone = try #require(ghost)
    #expect(undone._rowid == 2)
    #expect(try TestWorkspace.open(test.path).insert(Post(title: "b")).first?._rowid == 2)
    try workspace.transactAndWait([Post.self]) { _ in
      #expect(PostChangeRequest.changeRequest(undone) == nil)
      #expect(PostChangeRequest.deletionRequest(undone) == nil)
    }
    #expect(try workspace.insert(Post(title: "c")).first?._rowid == 3)
    #expect(try stored().map(\.title) == ["a", "b", "c"])
  }

  @Test("Keys of several fields and with unusual texts identify their objects")
  func keysOfSeveralFieldsAndOddTexts() throws {
    typealias Monster = MyGame.Sample.Monster
    let monsters = [
      Monster(name: "a", color: .red), Monster(name: "a", color: .blue), Monster(name: "a\u{0}b", color: .red),
      Monster(name: "a\u{0}c", color: .red), Monster(name: "e\u{301}", color: .red),
      Monster(name: "\u{e9}", color: .red), Monster(name: "", color: .red),
    ]
    try workspace.transactAndWait([Monster.self]) { txn in for monster in monsters { try txn.insert(monster) } }
    #expect(try test.stored(Monster.self).count == monsters.count)
    try workspace.transactAndWait([Monster.self]) { txn throws in
      for (index, monster) in monsters.enumerated() {
        #expect(try txn.update(monster) { $0.hp = 7 }._rowid == Int64(index) + 1)
      }
    }
    #expect(try test.stored(Monster.self).allSatisfy { $0.hp == 7 })
  }
}
