import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Objects of one file in a workspace of another one. They are identified by their primary keys, not by their rows.
@Suite struct OtherFilesTests {
  private let test: TestWorkspace
  private let other: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }
  /// The object in row 1 of the other file.
  private let external: Post

  /// Stores different objects in row 1 of the two files.
  init() throws {
    test = try TestWorkspace()
    other = try TestWorkspace()
    try test.workspace.insert(["mine": 1, "too": 2])
    external = try #require(try other.workspace.insert(Post(title: "foreign", priority: 7)).first)
    #expect(test.workspace.post("mine")?._rowid == external._rowid)
  }

  @Test("An upsert of another file's object inserts it or replaces the object with its key")
  func upsert() throws {
    try workspace.change { txn in
      let stored = try txn.upsert(external)
      #expect(stored._rowid == 3)
      guard case .updated(let again) = try txn.submit(PostChangeRequest.upsertRequest(changed("too"))) else {
        Issue.record("the object with the key was not updated")
        return
      }
      #expect(again._rowid == 2)
    }
    #expect(try test.stored(Post.self).map(\.title) == ["mine", "too", "foreign"])
    #expect(try test.stored(Post.self).map(\.priority) == [1, 50, 7])
  }

  /// Inserts an object with a key of this file into the other one.
  private func changed(_ title: String) throws -> Post {
    try #require(try other.workspace.insert(Post(title: title, priority: 50)).first)
  }

  @Test("A subscription to another file's object ends at once")
  func subscription() throws {
    let ended = EventLog<Bool>()
    let subscription = EntityStore.of(workspace.core).observers.observe(external, onEnd: { ended.append(true) }) { _ in
      Issue.record("an object that is not in this file was delivered")
    }
    try ended.wait(forCount: 1)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.invalidRequest])
    subscription.cancel()
  }

  @Test("An object of a state that older contents replaced is looked up by its key, not its row")
  func laterState() throws {
    let url = URL(fileURLWithPath: test.path)
    workspace.shutdown(flags: .truncate)
    let older = try Data(contentsOf: url)
    let before = try TestWorkspace.open(test.path)
    for number in 0..<5 { try before.set("mine", Int32(number)) }
    let kept = try #require(try before.insert(Post(title: "kept")).first)
    before.shutdown(flags: .truncate)
    // Write in place, so that it stays the same file.
    let file = try FileHandle(forWritingTo: url)
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: older)
    try file.close()
    let restored = try TestWorkspace.open(test.path)
    defer { restored.shutdown() }
    let theirs = try #require(try restored.insert(Post(title: "theirs")).first)
    #expect(theirs._rowid == kept._rowid)
    try restored.change { try $0.upsert(kept) }
    #expect(restored.fetch(for: Post.self).all().map(\.title) == ["mine", "too", "theirs", "kept"])
  }

  @Test("A change or deletion of another file's object affects the object with its key")
  func changesAndDeletions() throws {
    let mine = try changed("mine")
    try workspace.change { txn in
      #expect(PostChangeRequest.changeRequest(external) == nil)
      #expect(PostChangeRequest.deletionRequest(external) == nil)
      #expect(try errorCode { try txn.delete(external) } == .objectNotFound)
      #expect(try errorCode { _ = try txn.update(external) { $0.priority = 0 } } == .objectNotFound)
      #expect(try txn.update(mine) { $0.priority += 1 }._rowid == 1)
      guard case .deleted(2) = try txn.submit(PostChangeRequest.deletionRequest(changed("too"))) else {
        Issue.record("row 2 was not deleted")
        return
      }
    }
    #expect(try test.stored(Post.self).map(\.priority) == [2])
    try workspace.change { try $0.delete(mine) }
    #expect(try test.stored(Post.self).isEmpty)
    #expect(try other.stored(Post.self).count == 3)
  }

  @Test("A request for another file's object returns an object of this file")
  func identity() throws {
    let copy = try changed("copy")
    let stored = try #require(try workspace.insert(Post(title: "copy", priority: 50)).first)
    #expect(stored._rowid == 3 && copy._rowid == 2)
    try workspace.change { txn in
      let request = try #require(PostChangeRequest.changeRequest(copy))
      let same = try #require(try txn.submit(request).object)
      #expect(same._rowid == 3)
      #expect(try txn.upsert(copy)._rowid == 3)
    }
  }

  @Test("Observing another file's object reports an error and delivers no other object")
  func subscribing() async throws {
    let subscription = workspace.subscribe(object: external) { _ in Issue.record("another object was delivered") }
    for await _ in workspace.subscribe(object: external) { Issue.record("another object was delivered") }
    try workspace.change { _ = try $0.update(Post(title: "mine")) { $0.priority = 9 } }
    try workspace.settle()
    #expect(try test.errors.wait(forCount: 2).map(\.code) == [.invalidRequest, .invalidRequest])
    subscription.cancel()
  }

  @Test("Upserts copy all objects of a file to another workspace")
  func copying() throws {
    try other.workspace.insert(["too": 20, "last": 30])
    for _ in 0..<2 {
      try workspace.change { txn in
        for post in other.workspace.fetch(for: Post.self).all() { try txn.upsert(post) }
      }
    }
    #expect(try test.stored(Post.self).map(\.title) == ["mine", "too", "foreign", "last"])
    #expect(try test.stored(Post.self).map(\.priority) == [1, 20, 7, 30])
  }

  @Test("Other and later workspaces on the same file find objects by their rows")
  func sameFile() throws {
    let mine = try #require(workspace.post("mine"))
    let second = try TestWorkspace.open(test.path)
    try second.change { txn in _ = try txn.update(mine) { $0.title = "renamed" } }
    second.shutdown()
    workspace.shutdown()
    let next = try TestWorkspace.open(test.path)
    defer { next.shutdown() }
    let log = EventLog<Int32>()
    let subscription = next.subscribe(object: mine) { if case .updated(let post) = $0 { log.append(post.priority) } }
    try next.change { txn in _ = try txn.update(mine) { $0.priority = 40 } }
    #expect(try log.wait(forCount: 2) == [1, 40])
    #expect(next.post("renamed")?.priority == 40)
    subscription.cancel()
  }

  @Test("In a copy of a file, and in a new file at its path, objects are found by their keys")
  func copies() throws {
    let mine = try #require(workspace.post("mine"))
    let path = test.directory.file("copy.db")
    try workspace.backup(to: path)
    let copy = try TestWorkspace.open(path)
    try copy.change { txn in
      try txn.delete(Post(title: "mine"))
      try txn.insert(Post(title: "mine", priority: 3))
    }
    try copy.change { txn in _ = try txn.update(mine) { $0.priority = 4 } }
    #expect(copy.post("mine")?.priority == 4)
    copy.shutdown()
    workspace.shutdown()
    for suffix in ["", "-wal", "-shm", "-dflat"] { try? FileManager.default.removeItem(atPath: test.path + suffix) }
    let next = try TestWorkspace.open(test.path)
    defer { next.shutdown() }
    try next.insert(["new": 1])
    try next.change { txn in
      #expect(PostChangeRequest.changeRequest(mine) == nil)
      try txn.upsert(mine)
    }
    #expect(next.fetch(for: Post.self).all().map(\.title) == ["new", "mine"])
  }
}
