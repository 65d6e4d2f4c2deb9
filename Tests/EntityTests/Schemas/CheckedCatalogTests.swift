import DflatKV
import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// An integrity check finds the file's lists anew, because other tools may have changed them without a commit number.
/// Views that share a number must have equal lists all the same.
@Suite struct CheckedCatalogTests: StoredSchemaSuite {
  let test: TestWorkspace

  init() throws { test = try Self.workspaceWithItems() }

  @Test("A check on an older view doesn't give the lists of a view in between the number of newer ones")
  func checkOnOlderView() throws {
    // check:   pins a view of N                                             ─ checks that view
    // reader:                    has a view of N ─ stops                                         ─ reads N ─ reads N + 1
    // writer:                                            stores a schema: N + 1
    let workspace = try TestWorkspace.open(test.path) { $0.followsOtherProcesses = false }
    defer { workspace.shutdown() }
    let (reached, mayGoOn) = (Gate("the reader's view"), Gate("the end of the check"))
    let thread = Lock<UInt?>(nil)
    Failpoint.renewedView.arm(in: workspace.core) {
      guard thread.withLock({ $0 }) == Threads.number, !reached.opened else { return }
      reached.open()
      try? mayGoOn.wait()
    }
    defer {
      Failpoint.renewedView.arm(in: workspace.core, nil)
      mayGoOn.open()
    }
    try workspace.fetchWithinASnapshot {
      let reader = BackgroundThread { () throws -> (Int, WorkspaceError.Code?) in
        thread.withLock { $0 = Threads.number }
        let query = workspace.query(for: Item<OtherProgram>.self)
        let count = try workspace.fetchWithinASnapshot { try query.count() }
        do {
          _ = try workspace.fetchWithinASnapshot { try query.count() }
          return (count, nil)
        } catch let error as WorkspaceError { return (count, error.code) }
      }
      try reached.wait()
      try workspace.transactAndWait { txn in
        let group = try txn.joinedGroup()
        try SchemaCatalog.store(ItemPath.entity([], schema: ItemText.second), on: group.connection)
        group.hasChanges = true
      }
      #expect(try workspace.checkIntegrity() == [])
      mayGoOn.open()
      let (count, code) = try reader.join()
      #expect(count == 2)
      // With the lists of the older view, the reader would not notice the contradicting schema.
      #expect(code == .schemaVersionMismatch)
    }
  }

  @Test("Views before and after a change of a list have no number in common, also after a check of the older one")
  func numbers() throws {
    let workspace = try TestWorkspace.open(test.path) { $0.followsOtherProcesses = false }
    defer { workspace.shutdown() }
    let publication = workspace.core.publication
    try workspace.fetchWithinASnapshot {
      let before = publication.published
      try workspace.transactAndWait { txn in
        let group = try txn.joinedGroup()
        try SchemaCatalog.store(ItemPath.entity([], schema: ItemText.second), on: group.connection)
        group.hasChanges = true
      }
      let number = try #require(publication.catalogNumber(at: before + 1))
      #expect(publication.catalogNumber(at: before) == nil)
      #expect(try workspace.checkIntegrity() == [])
      #expect(publication.catalogNumber(at: before) == nil)
      #expect(publication.catalogNumber(at: before + 1) != number)
    }
  }
}
