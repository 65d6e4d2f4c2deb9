import DflatKV
import Foundation
import TestSupport
import Testing

/// Files that were tampered with. Each command ends soon, with the documented status and one line of error.
@Suite(.timeLimit(.minutes(15))) struct HostileFileTests {
  let kvtool: KVToolRunner

  init() async throws {
    kvtool = try KVToolRunner()
    try await kvtool("set", "a", "1")
    try await kvtool("set", "b", "2")
  }

  private static let commands = [
    ["get", "a"], ["set", "a", "2"], ["delete", "a"], ["exists", "a"], ["type", "a"], ["keys"], ["count"],
    ["namespaces"], ["incr", "n"], ["rename", "a", "z"], ["subscribe", "a", "--for", "0.3"], ["export"],
    ["backup", "copy.db"], ["check"], ["compact"], ["stats"], ["replaced"],
  ]

  @Test(
    "Every command refuses a file whose schema or change log was tampered with",
    arguments: [
      """
      ALTER TABLE dictionary RENAME TO kept; CREATE VIEW dictionary AS
        WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t)
        SELECT '' namespace, 'a' key, 6 type, x value, NULL version, 1 commit_number FROM t WHERE x < 0
      """,
      "CREATE TRIGGER t AFTER INSERT ON dictionary BEGIN UPDATE dictionary SET value = 'evil'; END",
      "INSERT INTO dflat_log VALUES (9223372036854775807, 0, x'')",
    ])
  func areRefusedByEveryCommand(change: String) async throws {
    try RawDatabase.execute(change, on: kvtool.database.path)
    for command in Self.commands {
      let outcome = try await kvtool.run(command)
      #expect(outcome.status == 5, "\(command): \(outcome.error)")
      #expect(outcome.error.contains(kvtool.database.path) && outcome.error.filter(\.isNewline).count == 1)
    }
  }

  @Test("A row with a commit number that was never assigned gives status 5")
  func aRowWithACommitNumberThatWasNeverGiven() async throws {
    try RawDatabase.execute(
      "UPDATE dictionary SET commit_number = 281474976710656 WHERE key = 'a'", on: kvtool.database.path)
    for command in [["get", "a"], ["set", "a", "3"], ["export"], ["stats"], ["keys"], ["check"]] {
      let outcome = try await kvtool.run(command)
      #expect(outcome.status == 5, "\(command): \(outcome.error)")
    }
    #expect(try await kvtool("get", "b").output == "2\n")
  }

  @Test("A page that can't be read gives one line of error, whatever the command does with the keys")
  func aDamagedPageIsReportedOnce() async throws {
    let path = kvtool.folder.path + "/pages.db"
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait { txn in
      for number in 0..<1000 { txn.dictionary["key\(number)"] = String(repeating: "x", count: 100) }
    }
    await workspace.shutdown(flags: .truncate)
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    // The last leaf of a table without rowid, which is the dictionary.
    let leaf = try #require(stride(from: 4096, to: bytes.count, by: 4096).reversed().first { bytes[$0] == 10 })
    bytes.replaceSubrange(leaf..<leaf + 4096, with: repeatElement(0xFF, count: 4096))
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    for command in [["delete", "--prefix", "key"], ["delete", "--all"], ["keys"], ["count"], ["export"]] {
      let outcome = try await kvtool.run(command + ["--db", path])
      #expect(outcome.status == 5 && outcome.error.filter(\.isNewline).count == 1, "\(command): \(outcome.error)")
    }
  }

  /// A transaction first looks for the next value that expires, whose failure is only reported, and then for those that
  /// have expired.
  @Test("A damaged index of values that expire gives one line of error")
  func aDamagedExpiryIndexIsReportedOnce() async throws {
    let path = kvtool.folder.path + "/expiring.db"
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.dictionary.set(1, forKey: "key1", expiringAfter: .seconds(3_600))
    workspace.dictionary["key2"] = 2
    try workspace.dictionary.synchronize()
    await workspace.shutdown(flags: .truncate)
    let root = try #require(
      try RawDatabase(path).text("SELECT rootpage FROM sqlite_master WHERE name = 'dflat_expiry'").flatMap { Int($0) })
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    bytes.replaceSubrange(4096 * (root - 1)..<4096 * root, with: repeatElement(0xFF, count: 4096))
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    for command in [["delete", "--prefix", "key"], ["delete", "--all"]] {
      let outcome = try await kvtool.run(command + ["--db", path])
      #expect(outcome.status == 5 && outcome.error.filter(\.isNewline).count == 1, "\(command): \(outcome.error)")
    }
  }

  /// The first signal lets a running hook end by itself, and the second doesn't.
  @Test("Repeated signals end a subscription while its hook runs")
  func aSubscriptionEndsWhateverItsHookDoes() async throws {
    let subscriber = try kvtool.start("subscribe", "a", "--exec", "echo started; exec sleep 5 > /dev/null 2>&1")
    #expect(await subscriber.next(2) == ["a = 1", "started"])
    // The subscription is killed, or ends by itself between two signals.
    while subscriber.isRunning {
      subscriber.terminate()
      await Task.yield()
    }
    #expect([0, 128 + SIGTERM].contains(await subscriber.status()))
  }
}
