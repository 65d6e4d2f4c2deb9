@testable import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

/// The rule for two requests for one object in one transaction (`EntityChangeRequest`).
@Suite struct TwoRequestsTests {
  private let test: TestWorkspace
  private let post: Post
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    post = try #require(try test.workspace.insert(Post(title: "a", tag: "t")).first)
  }

  @Test("Changes of one object that are made one after the other combine")
  func oneAfterTheOtherTheyCombine() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      try txn.update(post) { $0.priority = 1 }
      try txn.update(post) { $0.tag = "u" }
    }
    #expect(try test.stored(Post.self) == [Post(title: "a", tag: "u", priority: 1)])
  }

  @Test("The first of two requests for one version outdates the second")
  func sideBySideTheFirstWins() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      let first = try #require(PostChangeRequest.changeRequest(post))
      let second = try #require(PostChangeRequest.changeRequest(post))
      first.priority = 1
      second.priority = 2
      second.tag = nil
      try txn.submit(first)
      let error = try #require(throws: WorkspaceError.self) { try txn.submit(second) }
      #expect(error.code == .outdatedRequest)
    }
    #expect(try test.stored(Post.self) == [Post(title: "a", tag: "t", priority: 1)])
  }

  @Test("A request that changes nothing doesn't outdate another one")
  func aChangeOfNothingOutdatesNothing() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      let first = try #require(PostChangeRequest.changeRequest(post))
      let second = try #require(PostChangeRequest.changeRequest(post))
      second.priority = 2
      try txn.submit(first)
      try txn.submit(second)
    }
    #expect(try test.stored(Post.self).first?.priority == 2)
  }

  @Test("A change of one object doesn't outdate a request for another object")
  func changesOfOthersOutdateNothing() throws {
    let other = try #require(try workspace.insert(Post(title: "b")).first)
    try workspace.transactAndWait([Post.self]) { txn throws in
      let first = try #require(PostChangeRequest.changeRequest(post))
      let second = try #require(PostChangeRequest.changeRequest(other))
      first.priority = 1
      second.priority = 2
      try txn.submit(second)
      try txn.submit(first)
    }
    #expect(try test.stored(Post.self).map(\.priority) == [1, 2])
  }

  @Test("An upsert replaces an earlier change of its object")
  func anUpsertReplacesWhatAChangeLeft() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      let upsert = PostChangeRequest.upsertRequest(post)
      let change = try #require(PostChangeRequest.changeRequest(post))
      change.priority = 5
      try txn.submit(change)
      upsert.color = .blue
      try txn.submit(upsert)
    }
    #expect(try test.stored(Post.self) == [Post(title: "a", color: .blue, tag: "t")])
  }

  @Test("Requests for a deleted object fail, also if its key is inserted again")
  func whatWasDeletedIsNotFound() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      let change = try #require(PostChangeRequest.changeRequest(post))
      change.priority = 1
      let deletion = try #require(PostChangeRequest.deletionRequest(post))
      try txn.delete(post)
      // A different object with the same key.
      try txn.insert(Post(title: "a"))
      #expect(try errorCode { try txn.submit(change) } == .objectNotFound)
      #expect(try errorCode { try txn.submit(deletion) } == .objectNotFound)
    }
    #expect(try test.stored(Post.self) == [Post(title: "a")])
  }

  @Test("A deletion request deletes its object after a change of its key")
  func aDeletionTakesWhatTheObjectHasBecome() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      let deletion = PostChangeRequest.deletionRequest(post)
      try txn.update(post) { $0.title = "b" }
      try txn.submit(deletion)
    }
    #expect(try test.stored(Post.self).isEmpty)
  }

  /// The transaction has more changes than are kept one by one, so the stored bytes decide.
  @Test("Requests are outdated by earlier changes in large transactions, too")
  func theRuleHoldsInLargeTransactions() throws {
    let count = RowChangeTracker.maximumRows + 10
    try workspace.transactAndWait([Post.self]) { txn throws in
      let outdated = try #require(PostChangeRequest.changeRequest(post))
      try txn.update(post) { $0.priority = 1 }
      let current = try #require(PostChangeRequest.changeRequest(post))
      current.tag = nil
      for number in 0..<count { try txn.insert(Post(title: "\(number)")) }
      #expect(try errorCode { try txn.submit(outdated) } == .outdatedRequest)
      try txn.submit(current)
      let gone = try #require(PostChangeRequest.changeRequest(post))
      try txn.delete(post)
      #expect(try errorCode { try txn.submit(gone) } == .objectNotFound)
    }
    #expect(try test.stored(Post.self).count == count)
  }
}
