import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Requests that can't be carried out say why, and leave the transaction as it was.
@Suite struct InvalidRequestTests {
  private let bench: EntityBench
  private let post: Post
  private var workspace: SQLiteWorkspace { bench.workspace }

  init() throws {
    bench = try EntityBench()
    post = try #require(try bench.workspace.insert(Post(title: "a")).first)
  }

  @Test func madeOutsideATransaction() throws {
    let requests = [
      PostChangeRequest.changeRequest(post), PostChangeRequest.upsertRequest(post),
      PostChangeRequest.deletionRequest(post),
    ]
    try workspace.transactAndWait([Post.self]) { txn throws in
      for request in requests {
        let error = try #require(throws: WorkspaceError.self) { try txn.submit(try #require(request)) }
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("outside a transaction"))
      }
      try txn.insert(Post(title: "b"))
    }
    #expect(try bench.stored(Post.self).map(\.title) == ["a", "b"])
  }

  @Test func submittedTwice() throws {
    let creation = PostChangeRequest.creationRequest(Post(title: "b"))
    try workspace.transactAndWait([Post.self]) { txn throws in
      try txn.submit(creation)
      let error = try #require(throws: WorkspaceError.self) { try txn.submit(creation) }
      #expect(error.code == .invalidRequest)
      #expect(error.message.contains("twice"))
      for request in [
        PostChangeRequest.changeRequest(post), PostChangeRequest.upsertRequest(post),
        PostChangeRequest.deletionRequest(post),
      ] {
        try txn.submit(try #require(request))
        #expect(try errorCode { try txn.submit(try #require(request)) } == .invalidRequest)
      }
    }
    #expect(try bench.stored(Post.self).map(\.title) == ["b"])
  }

  @Test func submittedInAnotherTransaction() throws {
    var kept: [PostChangeRequest] = []
    try workspace.transactAndWait([Post.self]) { _ in
      kept = [
        try #require(PostChangeRequest.changeRequest(post)), .upsertRequest(post),
        try #require(PostChangeRequest.deletionRequest(post)),
      ]
    }
    try workspace.transactAndWait([Post.self]) { txn throws in
      for request in kept { #expect(try errorCode { try txn.submit(request) } == .invalidRequest) }
    }
    #expect(try bench.stored(Post.self) == [post])
  }

  @Test func ofAnUndeclaredType() throws {
    try workspace.transactAndWait([Member.self]) { txn throws in
      #expect(try errorCode { try txn.submit(PostChangeRequest.creationRequest()) } == .undeclaredType)
      #expect(try errorCode { try txn.submit(try #require(PostChangeRequest.changeRequest(post))) } == .undeclaredType)
      #expect(try errorCode { try txn.submit(PostChangeRequest.upsertRequest(post)) } == .undeclaredType)
      #expect(
        try errorCode { try txn.submit(try #require(PostChangeRequest.deletionRequest(post))) } == .undeclaredType)
      #expect(try errorCode { try txn.insert(Post(title: "b")) } == .undeclaredType)
      #expect(try errorCode { try txn.update(post) { $0.priority = 1 } } == .undeclaredType)
      #expect(try errorCode { try txn.upsert(post) } == .undeclaredType)
      #expect(try errorCode { try txn.delete(post) } == .undeclaredType)
      try txn.insert(Member(number: 1))
    }
    #expect(try bench.stored(Post.self) == [post])
    #expect(try bench.stored(Member.self).count == 1)
  }

  @Test func afterAnAbortAndAfterTheEnd() throws {
    var escaped: TransactionContext?
    let code = try errorCode {
      try workspace.transactAndWait([Post.self]) { txn throws in
        escaped = txn
        let request = PostChangeRequest.changeRequest(post)
        try txn.insert(Post(title: "b"))
        txn.abort()
        #expect(try errorCode { try txn.submit(request) } == .aborted)
        #expect(txn.try(submit: PostChangeRequest.creationRequest()) == nil)
        #expect(try errorCode { try txn.insert(Post(title: "c")) } == .aborted)
        #expect(try errorCode { try txn.submit(try #require(PostChangeRequest.changeRequest(post))) } == .aborted)
      }
    }
    #expect(code == .aborted)
    let ended = try #require(escaped)
    #expect(try errorCode { try ended.insert(Post(title: "c")) } == .aborted)
    #expect(try bench.stored(Post.self) == [post])
    #expect(bench.reported.events.isEmpty)
  }

  @Test func aRequestThatWasRefusedMayBeCorrected() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      let request = PostChangeRequest.creationRequest(post)
      #expect(try errorCode { try txn.submit(request) } == .objectAlreadyExists)
      request.title = "b"
      try txn.submit(request)
    }
    #expect(try bench.stored(Post.self).map(\.title) == ["a", "b"])
  }

  @Test func tryReportsAndGivesNothing() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      #expect(txn.try(submit: PostChangeRequest.creationRequest(post)) == nil)
      #expect(txn.try(submit: PostChangeRequest.changeRequest(Post(title: "none"))) == nil)
      #expect(txn.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))?.object?.title == "b")
    }
    #expect(try bench.reported.wait(forCount: 2).map(\.code) == [.objectAlreadyExists, .objectNotFound])
    #expect(try bench.stored(Post.self).map(\.title) == ["a", "b"])
  }

  /// What a closure does inside another workspace's is that workspace's.
  @Test func insideAnotherWorkspacesTransaction() throws {
    let second = try EntityBench()
    try workspace.transactAndWait([Post.self]) { outer in
      try second.workspace.transactAndWait([Post.self]) { inner in
        #expect(PostChangeRequest.changeRequest(post) == nil)
        try inner.insert(Post(title: "inner"))
        try outer.insert(Post(title: "outer"))
        let misplaced = PostChangeRequest.upsertRequest(Post(title: "x"))
        #expect(try errorCode { try outer.submit(misplaced) } == .invalidRequest)
      }
    }
    #expect(try bench.stored(Post.self).map(\.title) == ["a", "outer"])
    #expect(try second.stored(Post.self).map(\.title) == ["inner"])
  }
}
