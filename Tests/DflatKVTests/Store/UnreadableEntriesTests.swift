import DflatKV
import TestSupport
import Testing

/// `entries` in a namespace with a value whose type only a newer version knows.
@Suite struct UnreadableEntriesTests {
  /// A workspace on a file with the keys a, b and c, of which b can't be read.
  private func damaged() throws -> TestWorkspace {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    try test.workspace.transactAndWait { txn in
      for key in ["a", "b", "c"] { txn.dictionary[key] = 1 }
    }
    try RawDatabase.execute("UPDATE dictionary SET type = 99 WHERE key = 'b'", on: test.path)
    return try test.another()
  }

  @Test("The error names the key") func error() throws {
    let test = try damaged()
    let error = #expect(throws: WorkspaceError.self) { try test.dictionary.entries() }
    #expect(error?.code == .undecodable)
    #expect(error?.key == "b")
    #expect(try test.dictionary.entries(withPrefix: "c").map(\.key) == ["c"])
    #expect(try test.dictionary.entries(limit: 1).map(\.key) == ["a"])
  }

  @Test("A write or removal in the same transaction replaces the value, which is no error then") func staged() throws {
    let test = try damaged()
    try test.workspace.transactAndWait { txn in
      txn.dictionary["b"] = 2
      let written = try txn.dictionary.entries()
      #expect(written.map(\.key) == ["a", "b", "c"])
      #expect(written.map(\.value) == [.int(1), .int(2), .int(1)])
      txn.dictionary.removeValue(forKey: "b")
      let remaining = try txn.dictionary.entries()
      #expect(remaining.map(\.key) == ["a", "c"])
    }
    #expect(try test.dictionary.entries().map(\.key) == ["a", "c"])
  }

  @Test("A removal of the range in the same transaction removes it, too") func removedRange() throws {
    let test = try damaged()
    try test.workspace.transactAndWait { txn in
      txn.dictionary.removeAll()
      let remaining = try txn.dictionary.entries()
      #expect(remaining.isEmpty)
    }
  }

  @Test("readableValues() has every key, and nil for a value that can't be read") func readableValues() throws {
    let test = try damaged()
    let values = try test.dictionary.readableValues()
    #expect(values.map(\.key) == ["a", "b", "c"])
    #expect(values.map(\.value) == [.int(1), nil, .int(1)])
  }

  @Test("readableEntries() has the readable values, and an error with the key for each other one") func readable()
    throws
  {
    let test = try damaged()
    try RawDatabase.execute("UPDATE dictionary SET value = x'00' WHERE key = 'a'", on: test.path)
    let found = try test.dictionary.readableEntries()
    #expect(found.entries.map(\.key) == ["c"])
    #expect(found.unreadable.map(\.key) == ["a", "b"])
    #expect(found.unreadable.map(\.code) == [.corrupt, .undecodable])
    // Without it, damage is an error.
    #expect(throws: WorkspaceError.self) { try test.dictionary.entries(limit: 1) }
    #expect(throws: WorkspaceError.self) { try test.dictionary.readableValues() }
  }
}
