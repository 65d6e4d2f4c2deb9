import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Replaced values are listed, restored and removed.
@Suite struct RestoringTests {
  /// A workspace with a replaced text under "k", which now has a number.
  private func workspace() throws -> (TestWorkspace, ReplacedValue) {
    let test = try TestWorkspace()
    for value in [StoredValue.string("old"), .int(1)] {
      test.dictionary["k"] = value
      try test.dictionary.synchronize()
    }
    return (test, try #require(try test.dictionary.replacedValues().first))
  }

  private func errorCode(_ body: () throws -> Void) throws -> WorkspaceError.Code {
    try #require(#expect(throws: WorkspaceError.self) { try body() }).code
  }

  @Test("A restored value is back in its key, and the present one is kept in turn") func swap() throws {
    let (test, old) = try workspace()
    let other = try test.another()
    let log = EventLog<StoredValue?>()
    let subscription = other.dictionary.subscribe("k") { log.append($0.value) }
    #expect(try test.dictionary.restoreReplacedValue(old.id))
    #expect(test.dictionary["k"] == "old")
    let new = try test.dictionary.replacedValues()
    #expect(new.map(\.value) == [.int(1)])
    #expect(try !test.dictionary.restoreReplacedValue(old.id))
    // A present value of the same kind is kept, too.
    test.dictionary["k"] = "newer"
    let number = try #require(new.first)
    #expect(try test.dictionary.restoreReplacedValue(number.id))
    let newer = try #require(try test.dictionary.replacedValues().first)
    #expect(try test.dictionary.restoreReplacedValue(newer.id))
    #expect(try test.dictionary.replacedValues().map(\.value) == [.int(1)])
    #expect(test.dictionary["k"] == "newer")
    try other.core.checkForCommits()
    try other.settle()
    #expect(log.events == [.int(1), .string("old"), .string("newer"), .int(1), .string("newer")])
    #expect(try other.dictionary.replacedValues().map(\.value) == [.int(1)])
    subscription.cancel()
  }

  @Test("A value of the present one's kind is kept aside by a restoration") func sameKind() throws {
    let (test, old) = try workspace()
    test.dictionary["k"] = "text"
    try test.dictionary.synchronize()
    try test.dictionary.restoreReplacedValue(old.id)
    #expect(try test.dictionary.replacedValues().map(\.value) == [.string("text"), .int(1)])
    // The next write is an ordinary one.
    test.dictionary["k"] = "more"
    try test.dictionary.synchronize()
    #expect(try test.dictionary.replacedValues().count == 2)
  }

  @Test("A removed key gets its value back, and removals leave the list alone") func removedKeys() throws {
    let (test, old) = try workspace()
    let namespace = test.dictionary.namespace("n")
    for value in [StoredValue.string("there"), .int(1)] {
      namespace["k"] = value
      try namespace.synchronize()
    }
    namespace.removeAll()
    test.dictionary.removeAll()
    try test.dictionary.synchronize()
    #expect(try test.dictionary.namespaces().isEmpty)
    #expect(try test.dictionary.replacedValues(inAllNamespaces: true).map(\.namespace) == ["n", ""])
    try test.dictionary.restoreReplacedValue(old.id)
    #expect(test.dictionary["k"] == "old")
    #expect(try test.dictionary.replacedValues().isEmpty)
    let there = try #require(try namespace.replacedValues().first)
    try test.dictionary.restoreReplacedValue(there.id)
    #expect(namespace["k"] == "there")
  }

  @Test("A1: In a transaction, a restoration commits with the rest or not at all") func transactions() throws {
    let (test, old) = try workspace()
    #expect(throws: CancellationError.self) {
      try test.workspace.transactAndWait { transaction in
        #expect(try transaction.dictionary.restoreReplacedValue(old.id))
        #expect(transaction.dictionary["k"] == "old")
        #expect(try transaction.dictionary.replacedValues().isEmpty)
        throw CancellationError()
      }
    }
    #expect(test.dictionary["k"] == 1)
    #expect(try test.dictionary.replacedValues().map(\.id) == [old.id])
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary["other"] = 1
      try transaction.dictionary.restoreReplacedValue(old.id)
    }
    #expect(test.dictionary["k"] == "old")
    #expect(try test.dictionary.replacedValues().map(\.value) == [.int(1)])
    #expect(test.workspace.commitNumber == 3)
  }

  @Test("Restoring two values of one key in a transaction loses neither") func twoOfOneKey() throws {
    let (test, old) = try workspace()
    test.dictionary["k"] = true
    try test.dictionary.synchronize()
    let values = try test.dictionary.replacedValues()
    #expect(values.map(\.value) == [.int(1), .string("old")])
    try test.workspace.transactAndWait { (transaction) throws in
      let dictionary = transaction.dictionary
      for value in values { #expect(try dictionary.restoreReplacedValue(value.id)) }
      #expect(try dictionary.replacedValues().map(\.value) == [.int(1)])
      #expect(try !dictionary.restoreReplacedValue(old.id))
      #expect(try dictionary.removeReplacedValues([old.id]) == 0)
    }
    #expect(test.dictionary["k"] == "old")
    #expect(try test.dictionary.replacedValues().map(\.value) == [.bool(true), .int(1)])
  }

  /// Checks that a restored value stays in the list if the transaction changes its key afterwards.
  private func expectOvertaken(leaving value: StoredValue?, by change: (WorkspaceDictionary) -> Void) throws {
    let (test, old) = try workspace()
    try test.workspace.transactAndWait { (transaction) throws in
      let dictionary = transaction.dictionary
      #expect(try dictionary.restoreReplacedValue(old.id))
      change(dictionary)
      #expect(try dictionary.replacedValues().map(\.id) == [old.id])
    }
    #expect(try test.dictionary.storedValue(forKey: "k") == value)
    #expect(try test.dictionary.replacedValues().map(\.id) == [old.id])
    #expect(try test.dictionary.restoreReplacedValue(old.id))
    #expect(test.dictionary["k"] == "old")
  }

  @Test("A restored value that the transaction overwrites stays in the list") func overwritten() throws {
    try expectOvertaken(leaving: .int(2)) { dictionary in dictionary["k"] = 2 }
  }

  @Test("A restored value that the transaction removes stays in the list") func removed() throws {
    try expectOvertaken(leaving: nil) { dictionary in dictionary.removeValue(forKey: "k") }
  }

  @Test("A restored value that the transaction removes with all others stays in the list") func allRemoved() throws {
    try expectOvertaken(leaving: nil) { dictionary in dictionary.removeAll() }
  }

  @Test("A restored value that its key has anyway leaves the list") func sameValue() throws {
    let (test, old) = try workspace()
    test.dictionary["k"] = "old"
    try test.dictionary.synchronize()
    #expect(try test.dictionary.restoreReplacedValue(old.id))
    #expect(try test.dictionary.replacedValues().map(\.value) == [.int(1)])
    let fresh = try test.another()
    #expect(try fresh.dictionary.replacedValues().map(\.value) == [.int(1)])
  }

  @Test("Removing replaced values is a commit of its own, and undone with its transaction") func removing() throws {
    let (test, old) = try workspace()
    let unknown = try #require(ReplacedValue.ID("7.1"))
    #expect(throws: CancellationError.self) {
      try test.workspace.transactAndWait { transaction in
        #expect(try transaction.dictionary.removeReplacedValues([old.id]) == 1)
        throw CancellationError()
      }
    }
    #expect(try test.dictionary.removeReplacedValues([unknown]) == 0)
    #expect(test.workspace.commitNumber == 2)
    #expect(try test.dictionary.removeReplacedValues([unknown, old.id, old.id]) == 1)
    #expect(test.workspace.commitNumber == 3)
    let fresh = try test.another()
    #expect(try fresh.dictionary.replacedValues().isEmpty)
    #expect(fresh.dictionary["k"] == 1)
  }

  @Test("The asynchronous forms restore and remove") func asynchronous() async throws {
    let (test, old) = try workspace()
    let dictionary = test.dictionary
    #expect(try await dictionary.restoreReplacedValue(old.id))
    #expect(try await !dictionary.restoreReplacedValue(old.id))
    let id = try #require(try dictionary.replacedValues().first).id
    #expect(try await dictionary.removeReplacedValues([id]) == 1)
    #expect(try dictionary.replacedValues().isEmpty)
  }

  @Test("A snapshot lists what its commit has") func snapshots() throws {
    let (test, old) = try workspace()
    let other = try test.another()
    try test.workspace.fetchWithinASnapshot {
      #expect(try test.dictionary.replacedValues().count == 1)
      try other.dictionary.removeReplacedValues([old.id])
      #expect(try test.dictionary.replacedValues().count == 1)
    }
    try test.core.checkForCommits()
    #expect(try test.dictionary.replacedValues().isEmpty)
  }

  @Test("A present value that is too large to be kept is not replaced by a restored one") func tooLarge() throws {
    let (test, old) = try workspace()
    let large = Data(count: ReplacedTable.maximumValueBytes)
    test.dictionary["k"] = large
    try test.dictionary.synchronize()
    let error = #expect(throws: WorkspaceError.self) { try test.dictionary.restoreReplacedValue(old.id) }
    #expect(error?.code == .tooLarge && error?.key == "k")
    #expect(test.dictionary["k"] == large)
    #expect(try test.dictionary.replacedValues().map(\.value) == [.int(1), .string("old")])
  }

  @Test("Closed and read-only workspaces, and those without a file, answer as for any read or write") func closed()
    throws
  {
    let (test, old) = try workspace()
    let reader = try test.another { $0.isReadOnly = true }
    #expect(try reader.dictionary.replacedValues().map(\.id) == [old.id])
    #expect(try errorCode { try reader.dictionary.restoreReplacedValue(old.id) } == .readOnly)
    #expect(try errorCode { try reader.dictionary.removeReplacedValues([old.id]) } == .readOnly)
    test.workspace.shutdown()
    #expect(try errorCode { _ = try test.dictionary.replacedValues() } == .shutdown)
    #expect(try errorCode { try test.dictionary.restoreReplacedValue(old.id) } == .shutdown)
    let empty = SQLiteWorkspace(filePath: test.directory.file("none.db"), options: .quiet)
    #expect(try empty.dictionary.replacedValues().isEmpty)
    empty.shutdown()
  }

  @Test("An ID has a text, and only such a text is an ID", arguments: ["1.2", "0.0", "281474976710655.9"])
  func identifiers(text: String) throws {
    #expect(ReplacedValue.ID(text)?.description == text)
    for wrong in [
      "", ".", "1", "1.", ".1", "1.2.3", "-1.2", "+1.2", "1.-2", "1.+2", "01.2", "1.02", "x.1", "1,2", text + " ",
    ] {
      #expect(ReplacedValue.ID(wrong) == nil, "\(wrong)")
    }
  }

  // MARK: Damage

  private static let damages = [
    "commit_number = 'text'", "commit_number = 99", "commit_number = -1", "position = 0", "namespace = x'00'",
    "key = x'ff'", "bytes = -1", "bytes = 5", "bytes = 9223372036854775807", "time = 'now'", "priority = 2",
  ]

  /// Returns a workspace whose list has a damaged row and one that is not.
  private func workspace(with damage: String) throws -> TestWorkspace {
    let (test, _) = try workspace()
    test.dictionary["k"] = true
    try test.dictionary.synchronize()
    test.workspace.shutdown()
    try RawDatabase.execute("UPDATE dflat_replaced SET \(damage) WHERE commit_number = 2", on: test.path)
    return try test.another()
  }

  @Test("A damaged row is found by the check, and removed by the repair", arguments: damages)
  func damage(change: String) throws {
    let damaged = try workspace(with: change)
    #expect(try damaged.workspace.checkIntegrity() == ["1 replaced value is damaged."])
    let isListed = ["commit_number = 99", "bytes = 5"].contains(change)
    #expect(try damaged.dictionary.replacedValues().count == (isListed ? 2 : 1))
    #expect(try damaged.workspace.reindex() == ["Removed 1 damaged replaced value."])
    #expect(try damaged.workspace.checkIntegrity() == [])
    #expect(try damaged.dictionary.replacedValues().map(\.value) == [.int(1)])
    #expect(try damaged.workspace.reindex() == [])
  }

  @Test("A commit that keeps a value removes damaged rows", arguments: damages) func trimmedDamage(change: String)
    throws
  {
    let damaged = try workspace(with: change)
    damaged.dictionary["k"] = "text"
    try damaged.dictionary.synchronize()
    #expect(try damaged.dictionary.replacedValues().map(\.value) == [.bool(true), .int(1)])
    #expect(try damaged.workspace.checkIntegrity() == [])
  }

  @Test(
    "Forged rows neither stop a write from committing nor take the place of its old value",
    arguments: [
      "3, 1, namespace, key, type, version, bytes, time, 1", "3, 9, namespace, key, type, version, bytes, time, 1",
      "9, 1, namespace, key, type, version, bytes, time, 1",
      "2, 9, namespace, key, type, version, 1099511627776, time, 1",
    ])
  func forged(columns: String) throws {
    let (test, _) = try workspace()
    test.workspace.shutdown()
    try RawDatabase.execute(
      """
      INSERT INTO dflat_replaced (commit_number, position, namespace, key, type, version, bytes, time, priority, value) \
      SELECT \(columns), value FROM dflat_replaced
      """, on: test.path)
    let damaged = try test.another()
    damaged.dictionary["k"] = true
    try damaged.dictionary.synchronize()
    #expect(try damaged.dictionary.replacedValues().map(\.value) == [.int(1), .string("old")])
  }

  @Test(
    "A row with text that is not UTF-8 is not restored, and stays",
    arguments: [
      "key = CAST(x'ff' AS TEXT)", "namespace = CAST(x'ff' AS TEXT), bytes = 5", "value = CAST(x'6f6cff' AS TEXT)",
    ])
  func invalidText(change: String) throws {
    let (test, old) = try workspace()
    test.workspace.shutdown()
    try RawDatabase.execute("UPDATE dflat_replaced SET \(change)", on: test.path)
    let columns =
      "SELECT quote(CAST(namespace AS BLOB)) || quote(CAST(key AS BLOB)) || quote(CAST(value AS BLOB)) FROM dflat_replaced"
    let row = try RawDatabase(test.path).text(columns)
    let damaged = try test.another()
    #expect(try damaged.dictionary.replacedValues(inAllNamespaces: true).map(\.value) == [nil])
    #expect(try errorCode { try damaged.dictionary.restoreReplacedValue(old.id) } == .corrupt)
    #expect(damaged.dictionary["k"] == 1 && damaged.dictionary.keys == ["k"])
    damaged.dictionary["k"] = true
    try damaged.dictionary.synchronize()
    #expect(try RawDatabase(test.path).text(columns) == row)
  }

  @Test("Backups and compaction keep the list") func maintenance() throws {
    let (test, old) = try workspace()
    try test.workspace.compact()
    let path = test.directory.file("copy.db")
    try test.workspace.backup(to: path)
    let copy = try TestWorkspace.open(path)
    for workspace in [test.workspace, copy] {
      #expect(try workspace.dictionary.replacedValues().map(\.id) == [old.id])
    }
    #expect(try copy.core.rowCounts().map(\.table).contains("dflat_replaced"))
    copy.shutdown()
  }
}
