import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Undone bulk updates: the changes that their closures made to keys and to objects of other types are undone too.
@Suite struct UndoneBulkTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    try test.workspace.insert(Post(title: "a"))
  }

  @Test("The next insert creates a table whose creation was undone")
  func tables() throws {
    try workspace.transactAndWait([Post.self, Member.self]) { txn throws in
      #expect(try txn.deleteAll(Member.self) == 0)
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { _ throws in
          try txn.insert(Member(number: 1))
          throw Refusal()
        }
      }
    }
    try workspace.insert(Member(number: 2))
    #expect(try test.stored(Member.self) == [Member(number: 2)])
  }

  @Test("A request that was made from an undone change is outdated and leaves no index row")
  func requests() throws {
    let member = try workspace.insert(Member(number: 1, email: "a@", balance: 1))[0]
    try workspace.transactAndWait([Post.self, Member.self]) { txn throws in
      var within: MemberChangeRequest?
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { _ throws in
          try txn.update(member) { $0.balance = 5 }
          within = MemberChangeRequest.changeRequest(member)
          throw Refusal()
        }
      }
      let undone = try #require(within)
      undone.email = "b@"
      let error = #expect(throws: WorkspaceError.self) { try txn.submit(undone) }
      #expect(error?.code == .outdatedRequest)
      try txn.update(member) { $0.card = 7 }
    }
    #expect(try test.stored(Member.self) == [Member(number: 1, email: "a@", card: 7, balance: 1)])
  }

  @Test("Live queries report the changes before an undone bulk change, and none of the undone ones")
  func observers() throws {
    let members = try workspace.insert(Member(number: 1), Member(number: 2))
    let results = EventLog<[UInt64]>()
    let query = workspace.subscribe(fetchedResult: workspace.fetch(for: Member.self).all()) {
      results.append($0.map(\.number))
    }
    try workspace.transactAndWait([Post.self, Member.self]) { txn throws in
      try txn.insert(Member(number: 3))
      try txn.delete(members[0])
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { _ throws in
          try txn.deleteAll(Member.self)
          try txn.insert(Member(number: 4))
          throw Refusal()
        }
      }
    }
    #expect(results.events == [[2, 3]])
    #expect(try test.stored(Member.self).map(\.number) == [2, 3])
    query.cancel()
  }

  @Test("A1: The keys that the closure wrote are undone with the rows, and earlier ones stay")
  func keys() throws {
    workspace.dictionary["stored"] = 1
    workspace.dictionary["prefix1"] = 1
    try workspace.dictionary.synchronize()
    let events = EventLog<String>()
    let subscription = workspace.dictionary.subscribe(withPrefix: "") { events.append($0.key) }
    try workspace.transactAndWait([Post.self]) { txn throws in
      txn.dictionary["staged"] = 1
      txn.dictionary["stored"] = 2
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { post throws in
          post.priority = 9
          txn.dictionary["staged"] = 5
          txn.dictionary["stored"] = 5
          txn.dictionary["new"] = 5
          txn.dictionary.removeAll(withPrefix: "prefix")
          try txn.dictionary.update("counted", default: 0) { $0 += 1 }
          #expect(txn.dictionary["new", Int.self] == 5)
          throw Refusal()
        }
      }
      #expect(txn.dictionary["staged", Int.self] == 1)
      #expect(txn.dictionary["stored", Int.self] == 2)
      #expect(txn.dictionary["new", Int.self] == nil)
      #expect(txn.dictionary.keys == ["prefix1", "staged", "stored"])
      txn.dictionary["after"] = 1
    }
    #expect(workspace.dictionary.keys == ["after", "prefix1", "staged", "stored"])
    #expect(workspace.dictionary["stored", Int.self] == 2)
    #expect(try test.stored(Post.self).map(\.priority) == [0])
    #expect(Set(try events.wait(forCount: 3)) == ["staged", "stored", "after"])
    subscription.cancel()
  }

  @Test("A1: Keys are undone if they were the transaction's first, and in nested bulk changes")
  func nestedKeys() throws {
    try workspace.transactAndWait([Post.self, Member.self]) { txn throws in
      try txn.insert(Member(number: 1))
      #expect(throws: Refusal.self) {
        try txn.updateAll(Post.self) { _ throws in
          txn.dictionary["first"] = 1
          throw Refusal()
        }
      }
      #expect(txn.dictionary.keys.isEmpty)
      try txn.updateAll(Post.self) { _ throws in
        txn.dictionary["outer"] = 1
        #expect(throws: Refusal.self) {
          try txn.updateAll(Member.self) { _ throws in
            txn.dictionary["inner"] = 1
            throw Refusal()
          }
        }
      }
    }
    #expect(workspace.dictionary.keys == ["outer"])
  }
}
