import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Requests that can't be carried out. They throw an error and leave the transaction unchanged.
@Suite struct InvalidRequestTests {
  private let test: TestWorkspace
  private let post: Post
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    post = try #require(try test.workspace.insert(Post(title: "a")).first)
  }

  @Test("A request made outside a transaction is refused, unless it is a creation")
  func madeOutsideATransaction() throws {
    let requests = [
      PostChangeRequest.changeRequest(post), PostChangeRequest.upsertRequest(post),
      PostChangeRequest.deletionRequest(post),
    ]
    try workspace.transactAndWait([Post.self]) { txn throws in
      for request in requests {
        let error = try #require(throws: WorkspaceError.self) { try txn.submit(try #require(request)) }
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("outside a transaction"))
        // The refusal doesn't take the write token.
        #expect(txn.currentGroup == nil)
      }
      try txn.insert(Post(title: "b"))
    }
    #expect(try test.stored(Post.self).map(\.title) == ["a", "b"])
  }

  @Test("A request that was submitted is refused the second time")
  func submittedTwice() throws {
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
    #expect(try test.stored(Post.self).map(\.title) == ["b"])
  }

  @Test("A request made in one transaction is refused in another one")
  func submittedInAnotherTransaction() throws {
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
    #expect(try test.stored(Post.self) == [post])
  }

  @Test("Every request for an undeclared type is refused")
  func ofAnUndeclaredType() throws {
    try workspace.transactAndWait([Member.self]) { txn throws in
      #expect(try errorCode { try txn.submit(PostChangeRequest.creationRequest()) } == .undeclaredType)
      #expect(try errorCode { try txn.submit(try #require(PostChangeRequest.changeRequest(post))) } == .undeclaredType)
      #expect(try errorCode { try txn.submit(PostChangeRequest.upsertRequest(post)) } == .undeclaredType)
      #expect(
        try errorCode { try txn.submit(try #require(PostChangeRequest.deletionRequest(post))) } == .undeclaredType)
      let ofNone = try #require(PostChangeRequest.deletionRequest(Post(title: "none")))
      #expect(try errorCode { try txn.submit(ofNone) } == .undeclaredType)
      #expect(try errorCode { try txn.insert(Post(title: "b")) } == .undeclaredType)
      #expect(try errorCode { try txn.update(post) { _ in Issue.record("It was changed.") } } == .undeclaredType)
      #expect(try errorCode { try txn.upsert(post) } == .undeclaredType)
      #expect(try errorCode { try txn.delete(post) } == .undeclaredType)
      try txn.insert(Member(number: 1))
    }
    #expect(try test.stored(Post.self) == [post])
    #expect(try test.stored(Member.self).count == 1)
  }

  @Test("Requests after an abort or after the end of the transaction throw that it is aborted")
  func afterAnAbortAndAfterTheEnd() throws {
    var escaped: TransactionContext?
    let code = try errorCode {
      try workspace.transactAndWait([Post.self]) { txn throws in
        escaped = txn
        let request = PostChangeRequest.changeRequest(post)
        let submitted = PostChangeRequest.creationRequest(Post(title: "b"))
        try txn.submit(submitted)
        txn.abort()
        #expect(try errorCode { try txn.submit(submitted) } == .aborted)
        #expect(try errorCode { try txn.submit(request) } == .aborted)
        #expect(txn.try(submit: PostChangeRequest.creationRequest()) == nil)
        #expect(try errorCode { try txn.insert(Post(title: "c")) } == .aborted)
        #expect(try errorCode { try txn.submit(try #require(PostChangeRequest.changeRequest(post))) } == .aborted)
        #expect(try errorCode { try txn.submit(nil as PostChangeRequest?) } == .aborted)
        // Undeclared types get the same error.
        #expect(try errorCode { try txn.insert(Member(number: 1)) } == .aborted)
        #expect(try errorCode { try txn.update(Member(number: 1)) { $0.card = 1 } } == .aborted)
        #expect(try errorCode { try txn.upsert(Member(number: 1)) } == .aborted)
        #expect(try errorCode { try txn.delete(Member(number: 1)) } == .aborted)
        #expect(try errorCode { try txn.deleteAll(Member.self) } == .aborted)
        #expect(try errorCode { try txn.updateAll(Member.self) { $0.card = 1 } } == .aborted)
      }
    }
    #expect(code == .aborted)
    let ended = try #require(escaped)
    #expect(try errorCode { try ended.insert(Post(title: "c")) } == .aborted)
    #expect(try test.stored(Post.self) == [post])
    #expect(test.errors.events.isEmpty)
  }

  @Test("A refused request can be corrected and submitted again")
  func aRequestThatWasRefusedMayBeCorrected() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      let request = PostChangeRequest.creationRequest(post)
      #expect(try errorCode { try txn.submit(request) } == .objectAlreadyExists)
      request.title = "b"
      try txn.submit(request)
    }
    #expect(try test.stored(Post.self).map(\.title) == ["a", "b"])
  }

  @Test("A1: A request that try(submit:) refuses ends every form of transaction with its error")
  func tryFailsTheTransaction() async throws {
    let workspace = workspace
    let post = post
    let refused: [(code: WorkspaceError.Code, submit: @Sendable (TransactionContext) -> Void)] = [
      (.objectAlreadyExists, { #expect($0.try(submit: PostChangeRequest.creationRequest(post)) == nil) }),
      (.objectNotFound, { #expect($0.try(submit: PostChangeRequest.changeRequest(Post(title: "none"))) == nil) }),
      (.undeclaredType, { #expect($0.try(submit: MemberChangeRequest.creationRequest(Member(number: 1))) == nil) }),
    ]
    for (code, submit) in refused {
      let body: @Sendable (TransactionContext) -> Void = { txn in
        txn.dictionary["key"] = 1
        #expect(txn.try(submit: PostChangeRequest.creationRequest(Post(title: "b")))?.object?.title == "b")
        submit(txn)
        #expect(txn.try(submit: PostChangeRequest.creationRequest(Post(title: "c"))) == nil)
      }
      #expect(try errorCode { try workspace.transactAndWait([Post.self], body) } == code)
      let thrown = await #expect(throws: WorkspaceError.self) { try await workspace.transact([Post.self], body) }
      #expect(thrown?.code == code)
      #expect(await !workspace.performChanges([Post.self]) { body($0) })
      let ended = EventLog<Bool>()
      workspace.performChanges([Post.self]) {
        body($0)
      } completionHandler: {
        ended.append($0)
      }
      #expect(try ended.wait(forCount: 1) == [false])
    }
    // Only the errors of the forms that report just false reach the error handler.
    #expect(try test.errors.wait(forCount: 6).map(\.code) == refused.flatMap { [$0.code, $0.code] })
    #expect(workspace.dictionary["key", Int.self] == nil)
    #expect(try test.stored(Post.self) == [post])
  }

  @Test("A transaction is committed after its closure has caught an error of submit")
  func caughtErrors() throws {
    try workspace.transactAndWait([Post.self]) { txn throws in
      #expect(try errorCode { try txn.submit(PostChangeRequest.creationRequest(post)) } == .objectAlreadyExists)
      #expect(try errorCode { try txn.submit(PostChangeRequest.changeRequest(Post(title: "none"))) } == .objectNotFound)
      try txn.insert(Post(title: "b"))
    }
    #expect(try test.stored(Post.self).map(\.title) == ["a", "b"])
    #expect(test.errors.events.isEmpty)
  }

  @Test("Requests made in a nested transaction of another workspace belong to that workspace")
  func insideAnotherWorkspacesTransaction() throws {
    let second = try TestWorkspace()
    try workspace.transactAndWait([Post.self]) { outer in
      try second.workspace.transactAndWait([Post.self]) { inner in
        #expect(PostChangeRequest.changeRequest(post) == nil)
        try inner.insert(Post(title: "inner"))
        try outer.insert(Post(title: "outer"))
        let misplaced = PostChangeRequest.upsertRequest(Post(title: "x"))
        #expect(try errorCode { try outer.submit(misplaced) } == .invalidRequest)
      }
    }
    #expect(try test.stored(Post.self).map(\.title) == ["a", "outer"])
    #expect(try second.stored(Post.self).map(\.title) == ["inner"])
  }
}
