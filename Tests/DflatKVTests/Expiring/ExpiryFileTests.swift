import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV
@testable import DflatSQLite

/// The contents of files with values that expire.
@Suite(.timeLimit(.minutes(15))) struct ExpiryFileTests {
  private let clock = ManualClock()
  private let test: TestWorkspace
  private var dictionary: WorkspaceDictionary { test.dictionary }

  init() throws { test = try TestWorkspace(at: clock) }

  private func integer(_ sql: String) throws -> Int64 { try test.connection().integer(sql) }

  private func execute(_ sql: String) throws { try test.connection().execute(sql) }

  private func problems(_ test: TestWorkspace) throws -> [String] {
    try test.core.integrityProblems(in: [DictionaryTables()]).map(\.line)
  }

  @Test("The file has a new format and an index with its first value that expires, and is sound")
  func format() throws {
    dictionary["k"] = 1
    try dictionary.synchronize()
    #expect(try integer("PRAGMA user_version") == 1)
    // A transaction that is undone leaves the format as it was.
    try? test.workspace.transactAndWait {
      $0.dictionary.set(1, forKey: "k", expiringAfter: .hour)
      throw CancellationError()
    }
    #expect(try integer("PRAGMA user_version") == 1)
    dictionary.set("v", forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    #expect(try integer("PRAGMA user_version") == 5)
    #expect(try integer("SELECT count(*) FROM sqlite_master WHERE name = 'dflat_expiry'") == 1)
    #expect(try problems(test) == [])
    // Looking for expired values uses the index.
    for sql in [SQL.expiredKeys, .nextExpiration] {
      let plan = try test.connection().prepare("EXPLAIN QUERY PLAN \(sql.text)").firstRow { $0.string(at: 3) }
      #expect(plan?.contains("dflat_expiry") == true)
    }
    let reopened = try test.another { $0.wallClock = clock.clock }
    #expect(reopened.dictionary["k"] == "v")
  }

  @Test("A missing index is found and created again; without it, everything works")
  func missingIndex() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    try execute("DROP INDEX dflat_expiry")
    let next = try test.another { $0.wallClock = clock.clock }
    #expect(next.dictionary["k"] == 1)
    #expect(try problems(next) == ["The index of values that expire is missing."])
    #expect(
      try next.core.repair([DictionaryTables()], declaring: []) == [
        "Created the index of values that expire, which was missing."
      ])
    #expect(try problems(next) == [])
    clock.advance(by: ManualClock.hour)
    #expect(next.dictionary.keys == [])
    try next.removeExpired()
    #expect(try test.rowCount() == 0)
  }

  @Test(
    "An index of another definition is damage",
    arguments: ["ON dictionary (value) WHERE type = 11", "ON dictionary (substr(value, 1, 8))"])
  func otherIndex(definition: String) throws {
    dictionary["k"] = 1
    try dictionary.synchronize()
    try execute("CREATE INDEX dflat_expiry \(definition)")
    #expect { _ = try test.another().dictionary.storedValue(forKey: "k") } throws: {
      ($0 as? WorkspaceError)?.code == .corrupt
    }
  }

  @Test(
    "A damaged value is an error, and doesn't hide the others",
    arguments: [
      "x''", "x'00'", "x'00000fffffffffff'", "x'0000000000000001'", "x'00000fffffffffff'", "x'00000fffffffffff02'",
      "x'ffffffffffffffff01'",
      "x'00000fffffffffff0b00000fffffffffff06'", "x'00000fffffffffff07' || zeroblob(10)", "5", "'text'", "NULL",
    ])
  func damage(value: String) throws {
    dictionary.set("v", forKey: "k", expiringAfter: .hour)
    dictionary["l"] = 1
    try dictionary.synchronize()
    try execute("UPDATE dictionary SET value = \(value) WHERE key = 'k'")
    let next = try test.another { $0.wallClock = clock.clock }
    #expect(next.dictionary["l"] == 1)
    #expect(next.dictionary["k", Int.self] == nil)
    _ = next.dictionary.keys
    let isReadable = (try? next.dictionary.storedValue(forKey: "k")) != nil
    #expect(try problems(next).isEmpty == isReadable)
    // Another value may be written over it.
    next.dictionary["k"] = 6
    try next.dictionary.synchronize()
    #expect(next.dictionary["k"] == 6)
    #expect(try problems(next) == [])
  }
}
