import DflatKV
import GoldenModels
import TestSupport
import Testing

/// What each kind of request does, and what is told of it.
@Suite struct RequestTests {
  private let bench: EntityBench
  private var workspace: SQLiteWorkspace { bench.workspace }

  init() throws { bench = try EntityBench() }

  private func stored() throws -> [Post] { try EntityFileCheck(Post.self, in: bench.path).objects() }

  @Test func aCreationIsStored() throws {
    let outcome = try workspace.transactAndWait([Post.self]) { txn in
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

  @Test func theWholeLifeOfAnObject() throws {
    let first = try workspace.transactAndWait([Post.self]) { try $0.insert(Post(title: "a", priority: 1)) }
    let second = try workspace.transactAndWait([Post.self]) { txn in
      let request = try #require(PostChangeRequest.changeRequest(first))
      request.priority = 2
      guard case .updated(let post) = try txn.submit(request) else { throw Refusal() }
      return post
    }
    #expect(second.priority == 2)
    #expect(second._rowid == first._rowid)
    #expect(second._changesTimestamp == 2)
    #expect(try stored() == [second])
    let deleted = try workspace.transactAndWait([Post.self]) { txn in
      guard case .deleted(let rowid) = try txn.submit(PostChangeRequest.deletionRequest(second)) else {
        throw Refusal()
      }
      return rowid
    }
    #expect(deleted == first._rowid)
    #expect(try stored().isEmpty)
  }
}

struct Refusal: Error {}
