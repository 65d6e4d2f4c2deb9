import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Queries where there is no file, or where it can't be read.
@Suite struct NothingToReadTests {
  @Test("Queries without a file give empty results and no error")
  func withoutAFile() throws {
    let directory = try TemporaryDirectory("lazy")
    let reported = EventLog<WorkspaceError>()
    var options = SQLiteWorkspace.Options()
    options.errorHandler = { reported.append($0) }
    let workspace = SQLiteWorkspace(filePath: directory.file(), options: options)
    defer { workspace.shutdown() }
    let query = workspace.query(for: Post.self)
    #expect(try query.fetch().isEmpty && query.count() == 0 && !query.exists())
    let explanation = try query.orderBy(Post.title.ascending, Post.tag.ascending).limit(1).explain()
    #expect(explanation.indexes == ["title"] && explanation.stopsAtLimit && explanation.isSorted)
    let committed = query.fetchCommitted()
    #expect(committed.isEmpty && committed.commitNumber == 0)
    let posts = workspace.fetch(for: Post.self)
    #expect(posts.all().isEmpty && posts.count() == 0 && !posts.exists() && !posts.exists(where: Post.title == "a"))
    #expect(reported.events.isEmpty)
  }

  @Test("A query that can't read reports an error and gives nothing if the call can't throw")
  func unreadable() throws {
    let test = try TestWorkspace {
      $0.vfs = FaultPlan.vfsName
      $0.followsOtherProcesses = false
    }
    try test.workspace.insert(["a": 1])
    test.workspace.core.readers.dropIdle()
    let plan = try FaultPlan(.open, on: .main, in: test.directory.path, fail: .from(1))
    let posts = test.workspace.fetch(for: Post.self)
    #expect(posts.all().isEmpty && posts.count() == 0 && !posts.exists() && !posts.exists(where: Post.title == "a"))
    #expect(posts.first() == nil)
    let committed = test.workspace.query(for: Post.self).fetchCommitted()
    #expect(committed.isEmpty && committed.commitNumber == 0)
    plan.cancel()
    #expect(try test.errors.wait(forCount: 6).count == 6)
    #expect(posts.all().map(\.title) == ["a"])
  }
}
