import DflatCombine
import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

/// Examples of the README that this design follows, as they are printed there apart from misspellings.
@Suite struct SeedReadmeTests {
  private let directory: TemporaryDirectory
  private let filePath: String

  init() throws {
    directory = try TemporaryDirectory("seed")
    filePath = directory.file()
  }

  @Test("An object is created, read, updated and deleted as in the original README")
  func createReadUpdateDelete() throws {
    let dflat = SQLiteWorkspace(filePath: filePath, fileProtectionLevel: .noProtection)
    let outcomes = EventLog<Bool>()
    let created = EventLog<Post>()

    dflat.performChanges(
      [Post.self],
      changesHandler: { (txnContext) in
        let creationRequest = PostChangeRequest.creationRequest()
        creationRequest.title = "first post"
        creationRequest.color = .red
        creationRequest.content = .textContent(TextContent(text: "This is my very first post!"))
        guard let inserted = try? txnContext.submit(creationRequest) else { return }
        if case let .inserted(post) = inserted {
          created.append(post)
        }
      }
    ) { succeed in
      outcomes.append(succeed)
    }
    #expect(try outcomes.wait(forCount: 1) == [true])
    #expect(created.events.map(\.title) == ["first post"])

    let posts = dflat.fetch(for: Post.self).where(Post.title == "first post")
    #expect(posts.count == 1)
    #expect(posts[0] == created.events[0])

    dflat.performChanges(
      [Post.self],
      changesHandler: { (txnContext) in
        let post = posts[0]
        let changeRequest = PostChangeRequest.changeRequest(post)
        changeRequest.color = .green
        txnContext.try(submit: changeRequest)
      }
    ) { succeed in
      outcomes.append(succeed)
    }
    #expect(try outcomes.wait(forCount: 2) == [true, true])
    #expect(dflat.fetch(for: Post.self).all().map(\.color) == [.green])

    dflat.performChanges(
      [Post.self],
      changesHandler: { (txnContext) in
        let post = posts[0]
        let deletionRequest = PostChangeRequest.deletionRequest(post)
        txnContext.try(submit: deletionRequest)
      }
    ) { succeed in
      outcomes.append(succeed)
    }
    #expect(try outcomes.wait(forCount: 3) == [true, true, true])
    #expect(dflat.fetch(for: Post.self).all().isEmpty)
    dflat.shutdown()
  }

  @Test("Publishers of a query and an object work as in the original README") func subscriptions() throws {
    let dflat = SQLiteWorkspace(filePath: filePath, fileProtectionLevel: .noProtection)
    try dflat.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "first", color: .red, priority: 1))
      try txn.insert(Post(title: "second", color: .green, priority: 2))
    }
    let printed = EventLog<[String]>()
    let queries = dflat.publisher(for: Post.self)
      .where(Post.color == .red, orderBy: [Post.priority.descending])
      .subscribe(on: DispatchQueue.global())
      .sink { posts in
        printed.append(posts.map(\.title))
      }
    try printed.wait { $0.last == ["first"] }

    let posts = dflat.fetch(for: Post.self).where(Post.title == "first")
    let told = EventLog<String>()
    let isWatched = Gate("the object is watched")
    let cancellable = dflat.publisher(for: posts[0])
      .handleEvents(receiveRequest: { _ in isWatched.open() })
      .subscribe(on: DispatchQueue.global())
      .sink { post in
        switch post {
        case .updated(let newPost):
          told.append(newPost.tag ?? "none")
        case .deleted:
          told.append("deleted, this is completed.")
        }
      }
    try isWatched.wait()
    try dflat.transactAndWait([Post.self]) { txn in
      try txn.update(posts[0]) { $0.tag = "new" }
      try txn.update(Post(title: "second")) { $0.color = .red }
    }
    try printed.wait { $0.last == ["second", "first"] }
    try dflat.transactAndWait([Post.self]) { try $0.delete(posts[0]) }
    try printed.wait { $0.last == ["second"] }
    try told.wait { $0.last == "deleted, this is completed." }
    queries.cancel()
    cancellable.cancel()
    dflat.shutdown()
  }

  @Test("A snapshot reads two results as in the original README") func snapshot() throws {
    let dflat = SQLiteWorkspace(filePath: filePath, fileProtectionLevel: .noProtection)
    try dflat.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "first post", color: .red, priority: 1))
      try txn.insert(Post(title: "important", color: .red, priority: 101))
    }
    let result = dflat.fetchWithinASnapshot {
      () -> (firstPost: FetchedResult<Post>, highPriPosts: FetchedResult<Post>) in
      let firstPost = dflat.fetch(for: Post.self).where(Post.title == "first post")
      let highPriPosts = dflat.fetch(for: Post.self).where(Post.priority > 100 && Post.color == .red)
      return (firstPost, highPriPosts)
    }
    #expect(result.firstPost.map(\.title) == ["first post"])
    #expect(result.highPriPosts.map(\.title) == ["important"])
    dflat.shutdown()
  }
}
