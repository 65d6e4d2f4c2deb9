import DflatEntities
import DflatKV
import GoldenModels
import TestSupport
import Testing

@Suite struct LiveQueryTests {
  @Test("A live query reports rows that enter, leave and change, and nothing else")
  func tellsWhatChanges() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    let told = EventLog<FetchedResult<Post>>()
    let urgent = workspace.fetch(for: Post.self).where(Post.priority > 10, orderBy: [Post.priority.descending])
    let subscription = workspace.subscribe(fetchedResult: urgent) { told.append($0) }
    try workspace.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "a", priority: 5))
      try txn.insert(Post(title: "b", priority: 20))
      try txn.insert(Post(title: "c", priority: 30))
    }
    #expect(told.events.map { $0.map(\.title) } == [["c", "b"]])
    #expect(told.events[0].changes?.inserted == [0, 1])
    #expect(told.events[0].commitNumber == Int64(workspace.commitNumber))
    let a = try #require(workspace.fetch(for: Post.self).where(Post.title == "a").first)
    try workspace.transactAndWait([Post.self]) { _ = try $0.update(a) { $0.priority = 6 } }
    #expect(told.events.count == 1, "a change of a row that doesn't match was reported")
    try workspace.transactAndWait([Post.self]) { _ = try $0.update(a) { $0.priority = 40 } }
    #expect(told.events.last?.map(\.title) == ["a", "c", "b"])
    #expect(told.events.last?.last === told.events[0].last, "an unchanged object was replaced")
    let b = try #require(told.events.last?.last)
    try workspace.transactAndWait([Post.self]) { txn in
      try txn.update(b) { $0.tag = "x" }
      try txn.delete(a)
    }
    let last = try #require(told.events.last)
    #expect(last.map(\.title) == ["c", "b"] && last[1].tag == "x")
    #expect(last.changes?.removed == [0] && last.changes?.updated == [1] && last.changes?.moved == [])
    #expect(told.events.count == 3)
    subscription.cancel()
    try workspace.transactAndWait([Post.self]) { try $0.delete(b) }
    #expect(told.events.count == 3)
    #expect(test.errors.events.isEmpty)
  }
}
