import DflatKV
import TestSupport
import Testing

/// A6: All reads inside `fetchWithinASnapshot` see one commit.
@Suite struct SnapshotTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    try Self.set(test.workspace, to: 1)
  }

  /// Sets all keys to one number in one transaction, adds the number's own key, and removes the previous number's.
  private static func set(_ workspace: SQLiteWorkspace, to number: Int) throws {
    try workspace.transactAndWait { txn in
      for key in ["a", "b", "c"] { txn.dictionary[key] = number }
      txn.dictionary["only\(number)"] = true
      txn.dictionary["only\(number - 1)"] = Bool?.none
    }
  }

  private func expectAll(_ number: Int, in workspace: SQLiteWorkspace) throws {
    let dictionary = workspace.dictionary
    for key in ["a", "b", "c"] { #expect(try dictionary.value(forKey: key, as: Int.self) == number, "\(key)") }
    #expect(dictionary.keys == ["a", "b", "c", "only\(number)"])
    #expect(dictionary.contains("only\(number)"))
    #expect(!dictionary.contains("only\(number - 1)"))
    #expect(!dictionary.contains("only\(number + 1)"))
    #expect(dictionary.count == 4)
    #expect(try dictionary.entries(withPrefix: "a").map(\.value) == [.int(Int64(number))])
    #expect(try dictionary.commitNumber(forKey: "b") == UInt64(number))
  }

  /// snapshot:  ── reads a ────────── reads all ──┤
  /// commits:             2 (here)  3 (elsewhere)
  @Test("A6: A snapshot doesn't see commits that are made after its beginning", arguments: [true, false])
  func commitsInBetween(isCached: Bool) throws {
    let workspace = isCached ? self.workspace : try TestWorkspace.open(test.path)
    let other = try TestWorkspace.open(test.path)
    if isCached { for key in ["a", "b", "c"] { _ = workspace.dictionary[key, Int.self] } }
    try workspace.fetchWithinASnapshot {
      #expect(workspace.dictionary["a", Int.self] == 1)
      try Self.set(workspace, to: 2)
      try expectAll(1, in: workspace)
      try Self.set(other, to: 3)
      // Another thread's transaction brings the caches up to date.
      try BackgroundThread { try workspace.transactAndWait { txn in #expect(txn.dictionary["a", Int.self] == 3) } }
        .join()
      try expectAll(1, in: workspace)
      try BackgroundThread { #expect(workspace.dictionary["b", Int.self] == 3) }.join()
    }
    try expectAll(3, in: workspace)
    try workspace.fetchWithinASnapshot { try expectAll(3, in: workspace) }
  }

  @Test("A6, A9: A snapshot begins at the newest commit of any process")
  func exactAtItsBeginning() throws {
    let other = try TestWorkspace.open(test.path)
    for number in 2...40 {
      try Self.set(number % 2 == 0 ? workspace : other, to: number)
      let reader = number % 2 == 0 ? other : workspace
      try reader.fetchWithinASnapshot { try expectAll(number, in: reader) }
    }
  }

  @Test("A6: A nested snapshot shows the commit of the outer one")
  func nested() throws {
    try workspace.fetchWithinASnapshot {
      try Self.set(workspace, to: 2)
      try workspace.fetchWithinASnapshot { try expectAll(1, in: workspace) }
      try expectAll(1, in: workspace)
    }
    try workspace.fetchWithinASnapshot { try expectAll(2, in: workspace) }
  }

  @Test("A6: Nested snapshots of workspaces on different files each show their own commit")
  func twoWorkspaces() throws {
    let second = try TestWorkspace()
    try Self.set(second.workspace, to: 1)
    try workspace.fetchWithinASnapshot {
      try Self.set(workspace, to: 2)
      try second.workspace.fetchWithinASnapshot {
        try Self.set(second.workspace, to: 2)
        try expectAll(1, in: workspace)
        try expectAll(1, in: second.workspace)
        try Self.set(workspace, to: 3)
        try expectAll(1, in: workspace)
      }
      try expectAll(2, in: second.workspace)
      try expectAll(1, in: workspace)
    }
    try expectAll(3, in: workspace)
  }

  @Test("A6: Two workspaces on one file have independent snapshots")
  func twoWorkspacesOnOneFile() throws {
    let other = try TestWorkspace.open(test.path)
    try workspace.fetchWithinASnapshot {
      try Self.set(other, to: 2)
      try other.fetchWithinASnapshot {
        try Self.set(other, to: 3)
        try expectAll(2, in: other)
        try expectAll(1, in: workspace)
      }
      try expectAll(3, in: other)
    }
    try expectAll(3, in: try TestWorkspace.open(test.path))
  }

  @Test("A6: A snapshot applies only to its own thread")
  func otherThreads() throws {
    try workspace.fetchWithinASnapshot {
      try Self.set(workspace, to: 2)
      try BackgroundThread { [workspace] in #expect(workspace.dictionary["a", Int.self] == 2) }.join()
      try expectAll(1, in: workspace)
    }
  }

  @Test("A5: A snapshot does not see uncommitted plain writes")
  func plainWrites() throws {
    workspace.fetchWithinASnapshot {
      workspace.dictionary["a"] = 7
      #expect(workspace.dictionary["a", Int.self] == 1)
      #expect(workspace.dictionary.keys.contains("a"))
      workspace.dictionary.removeAll()
      #expect(workspace.dictionary["b", Int.self] == 1)
    }
    #expect(workspace.dictionary["a", Int.self] == nil)
  }

  @Test("A transaction's reads see its own changes, inside or around a snapshot")
  func insideATransactionItIsTheTransactions() throws {
    try workspace.transactAndWait { txn in
      txn.dictionary["a"] = 5
      #expect(workspace.fetchWithinASnapshot { workspace.dictionary["a", Int.self] } == 5)
    }
    try workspace.fetchWithinASnapshot {
      try workspace.transactAndWait { txn in
        txn.dictionary["a"] = 6
        #expect(workspace.dictionary["a", Int.self] == 6)
      }
      #expect(workspace.dictionary["a", Int.self] == 5)
    }
  }

  @Test("A snapshot ends when its closure throws, and survives an error inside")
  func errorsLeaveItAndEndIt() throws {
    #expect(throws: Refusal.self) {
      try workspace.fetchWithinASnapshot {
        try Self.set(workspace, to: 2)
        throw Refusal()
      }
    }
    try expectAll(2, in: workspace)
    workspace.fetchWithinASnapshot {
      #expect(throws: WorkspaceError.self) { try workspace.dictionary.value(forKey: "a", as: String.self) }
      #expect(workspace.dictionary["a", Int.self] == 2)
    }
  }

  @Test("A6: Every snapshot shows one commit while writers never pause")
  func underLoad() throws {
    let other = try TestWorkspace.open(test.path)
    let isOver = Gate("enough was read")
    let writers = [workspace, other].enumerated().map { index, writer in
      BackgroundThread("writer \(index)") {
        while !isOver.opened {
          try writer.transactAndWait { txn in
            let next = txn.dictionary["a", default: 0] + 1
            for key in ["a", "b", "c"] { txn.dictionary[key] = next }
          }
        }
      }
    }
    let readers = [workspace, other].enumerated().map { index, reader in
      BackgroundThread("reader \(index)") {
        var last = 0
        for _ in 0..<150 {
          let values = reader.fetchWithinASnapshot {
            ["c", "a", "b", "c"].map { reader.dictionary[$0, default: 0] }
          }
          #expect(Set(values).count == 1, "\(values)")
          #expect(values[0] >= last)
          last = values[0]
        }
      }
    }
    for reader in readers { try reader.join() }
    isOver.open()
    for writer in writers { try writer.join() }
  }
}
