import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Commits that change more bytes of objects than are kept in memory for observers.
@Suite struct LargeChangeTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace() }

  @Test("Contents that are larger than the bound aren't read as a whole")
  func bound() throws {
    try workspace.insert(["a": 1, "b": 2, "c": 3])
    let stored = try RawDatabase(test.path).text("SELECT sum(length(payload)) FROM post")
    let size = try #require(stored.flatMap { Int($0) })
    let read: (Int) throws -> Int? = { [workspace] bound in
      try workspace.core.withCurrentView { connection, number in
        try PublishedRows([1, 2, 3, 4], of: Post._entity, at: number, on: connection, maximumBytes: bound)?.rows.count
      } ?? nil
    }
    #expect(try read(size) == 4)
    #expect(try read(size - 1) == nil)
  }

  @Test("Live queries and observed objects follow a commit that is too large to be kept")
  func observers() throws {
    let text = String(repeating: "x", count: 1 << 20)
    try workspace.change { txn in
      for n in 0...64 { try txn.insert(Post(title: "\(n)", tag: text, priority: Int32(n))) }
      try txn.insert(Post(title: "other"))
    }
    let queried = EventLog<[String]>()
    let observed = EventLog<String>()
    let posts = workspace.fetch(for: Post.self)
    let query = workspace.subscribe(fetchedResult: posts.where(Post.priority > 62)) { posts in
      queried.append(posts.map(\.title))
    }
    let subscriptions = try ["0", "1", "other"].map { title in
      workspace.subscribe(object: try #require(workspace.post(title))) { change in
        switch change {
        case .updated(let post): observed.append("\(title): \(post.priority)")
        case .deleted: observed.append("\(title) is gone")
        }
      }
    }
    try workspace.change { txn in
      try txn.updateAll(Post.self, where: Post.tag != nil) { $0.priority += 1 }
      try txn.delete(Post(title: "1"))
    }
    #expect(queried.events == [["62", "63", "64"]])
    #expect(Set(observed.events) == ["0: 1", "1 is gone"])
    (subscriptions + [query]).forEach { $0.cancel() }
  }
}
