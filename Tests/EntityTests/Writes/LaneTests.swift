import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Lanes of entities (A3): transactions of disjoint types run concurrently, and those that share a type run in call
/// order.
@Suite struct LaneTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  /// Each of the two closures waits for the other one, so neither could end if they ran one after the other.
  ///
  ///     Post:    reads ── here ─┐ ┌─ writes
  ///     Member:  reads ── here ─┘ └─ writes
  @Test("Transactions of disjoint types run concurrently")
  func disjointTypesRunSideBySide() throws {
    try workspace.insert(Post(title: "a"))
    try workspace.insert(Member(number: 1))
    let both = Barrier(parties: 2)
    let posts = BackgroundThread("posts") { [workspace] in
      try workspace.transactAndWait([Post.self]) { txn in
        let request = try #require(PostChangeRequest.changeRequest(Post(title: "a")))
        try both.arriveAndWait()
        request.priority = 1
        try txn.submit(request)
      }
    }
    let members = BackgroundThread("members") { [workspace] in
      try workspace.transactAndWait([Member.self]) { txn in
        let request = try #require(MemberChangeRequest.changeRequest(Member(number: 1)))
        try both.arriveAndWait()
        request.card = 1
        try txn.submit(request)
      }
    }
    try posts.join()
    try members.join()
    #expect(try test.stored(Post.self).first?.priority == 1)
    #expect(try test.stored(Member.self).first?.card == 1)
  }

  @Test("Transactions that share a type run in the order of their calls")
  func oneTypeKeepsTheOrderOfCalls() throws {
    try workspace.insert(Post(title: "a"))
    let ended = EventLog<Bool>()
    let seen = EventLog<Int32>()
    for number: Int32 in 1...50 {
      let types: [Any.Type] = number % 3 == 0 ? [Member.self, Post.self] : [Post.self]
      workspace.performChanges(types) { txn in
        let request = PostChangeRequest.changeRequest(Post(title: "a"))
        seen.append(request.priority)
        request.priority = number
        txn.try(submit: request)
      } completionHandler: {
        ended.append($0)
      }
    }
    #expect(try ended.wait(forCount: 50).allSatisfy { $0 })
    #expect(seen.events == Array(0..<50))
    #expect(try test.stored(Post.self).first?.priority == 50)
  }

  @Test("Transactions of eight threads over four types are all stored, in consecutive rows")
  func eightThreadsOverFourTypes() throws {
    typealias Monster = MyGame.Sample.Monster
    typealias Document = Golden.Bench.BenchDoc
    let threads = (0..<8).map { thread in
      BackgroundThread("writer \(thread)") { [workspace] in
        for round in 0..<25 {
          let name = "\(thread) \(round)"
          switch (thread + round) % 4 {
          case 0: try workspace.insert(Post(title: name))
          case 1: try workspace.insert(Member(number: UInt64(thread * 1_000 + round)))
          case 2: try workspace.insert(Monster(name: name, color: .red))
          default:
            try workspace.transactAndWait([Document.self, Post.self]) { txn in
              try txn.insert(Document(title: name))
              try txn.insert(Post(title: "with \(name)"))
              txn.dictionary[name] = round
            }
          }
        }
      }
    }
    for thread in threads { try thread.join() }
    let posts = try test.stored(Post.self)
    let documents = try test.stored(Document.self)
    #expect(documents.count == 50)
    #expect(posts.count == 100)
    #expect(posts.map(\._rowid) == Array(1...100))
    #expect(try test.stored(Member.self).count == 50)
    #expect(try test.stored(Monster.self).count == 50)
    for document in documents { #expect(workspace.dictionary[document.title, Int.self] != nil) }
  }
}
