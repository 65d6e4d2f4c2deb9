import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

/// `log`, which prints the file's change log.
@Suite(.timeLimit(.minutes(15))) struct LogTests {
  let kvtool: KVToolRunner

  init() async throws {
    kvtool = try KVToolRunner()
    try await kvtool("set", "volume", "0.5", "--double")
    try await kvtool("set", "name", "Ada", "-n", "people")
    try await kvtool("set", "large", String(repeating: "x", count: 600))
    try await kvtool("delete", "volume")
    try await kvtool("delete", "--prefix", "la")
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait([Club.Member.self]) { txn in
      txn.dictionary["both"] = true
      for number: UInt64 in 1...2 { try txn.insert(Club.Member(number: number)) }
    }
    await workspace.shutdown()
  }

  @Test("The log prints each change with its commit") func text() async throws {
    let outcome = try await kvtool("log")
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    #expect(
      outcome.lines == [
        "1  volume = 0.5", "2  [people] name = Ada", "3  large changed", "4  volume deleted", "5  la* deleted",
        "6  both = true", "6  club__member: rows 1, 2",
      ])
    #expect(try await kvtool("log", "--limit", "2").lines == Array(outcome.lines.suffix(3)))
    #expect(try await kvtool("log", "--after", "4", "--limit", "9").lines == Array(outcome.lines.suffix(3)))
    #expect(try await kvtool("log", "--after", "99").lines.isEmpty)
    #expect(try await kvtool("log", "-n", "people").lines == ["2  name = Ada"])
  }

  @Test("JSON lines have the form of a subscription") func json() async throws {
    let outcome = try await kvtool("log", "--format", "ndjson")
    #expect(
      outcome.lines == [
        #"{"commit":1,"event":"updated","key":"volume","namespace":"","type":"double","value":0.5}"#,
        #"{"commit":2,"event":"updated","key":"name","namespace":"people","type":"string","value":"Ada"}"#,
        #"{"commit":3,"event":"changed","key":"large","namespace":""}"#,
        #"{"commit":4,"event":"deleted","key":"volume","namespace":"","type":null,"value":null}"#,
        #"{"commit":5,"event":"prefixDeleted","namespace":"","prefix":"la"}"#,
        #"{"commit":6,"event":"updated","key":"both","namespace":"","type":"bool","value":true}"#,
        #"{"commit":6,"event":"objects","rows":[1,2],"table":"club__member"}"#,
      ])
  }

  @Test("With --follow, later commits of other processes are printed, each once") func follow() async throws {
    let follower = try kvtool.start("log", "--follow", "--limit", "1")
    #expect(await follower.next() == "6  both = true")
    #expect(await follower.next() == "6  club__member: rows 1, 2")
    for number in 7...40 {
      try await kvtool("set", "n", "\(number)", "--int")
      #expect(await follower.next() == "\(number)  n = \(number)")
    }
    follower.interrupt()
    #expect(await follower.status() == 0)
  }

  @Test("With --follow, the log begins with its newest commits, unless an option says with which")
  func followsTheNewest() async throws {
    for number in 7...14 { try await kvtool("set", "n", "\(number)", "--int") }
    for (options, first) in [
      ([], "5  la* deleted"), (["--after", "0"], "1  volume = 0.5"), (["--after", "12"], "13  n = 13"),
      (["--limit", "100"], "1  volume = 0.5"), (["--limit", "2"], "13  n = 13"),
      (["-n", "people"], "2  name = Ada"),
    ] as [([String], String)] {
      let follower = try kvtool.start(["log", "--follow"] + options)
      #expect(await follower.next() == first, "\(options)")
      follower.interrupt()
      #expect(await follower.status() == 0)
    }
    #expect(try await kvtool("log").lines.first == "1  volume = 0.5")
  }

  @Test("With --follow, the commits of an older file that replaces the open one are printed") func followsOlderFile()
    async throws
  {
    let backup = kvtool.folder.appendingPathComponent("backup.db").path
    #expect(try await kvtool("backup", backup).status == 0)
    for number in 7...9 { try await kvtool("set", "n", "\(number)", "--int") }
    let follower = try kvtool.start("log", "--follow", "--limit", "1")
    #expect(await follower.next() == "9  n = 9")
    try kvtool.restore(backup)
    try await kvtool("set", "n", "100", "--int")
    while let line = await follower.next() { if line == "7  n = 100" { break } }
    follower.interrupt()
    #expect(await follower.status() == 0)
  }

  @Test("With --for, later commits are printed for this time only") func duration() async throws {
    #expect(try await kvtool("log", "--follow", "--for", "0.2").status == 0)
    let refused = try await kvtool("log", "--for", "0.2")
    #expect(refused.status == 64 && refused.error.contains("--follow"), "\(refused)")
  }

  @Test("Changes that don't fit into the log, and damaged ones, are printed as such") func incomplete() async throws {
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait([Club.Member.self]) { txn in
      for number in 0..<2_000 { txn.dictionary["key.\(number)"] = number }
      for number: UInt64 in 10...5_000 { try txn.insert(Club.Member(number: number)) }
    }
    await workspace.shutdown()
    #expect(
      try await kvtool("log", "--after", "6").lines == ["7  many keys changed", "7  club__member: many rows changed"])
    let connection = try Connection(path: kvtool.database.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("UPDATE dflat_log SET changes = x'0105' WHERE commit_number = 1")
    connection.close()
    let damaged = try await kvtool("log", "--limit", "7")
    #expect(damaged.status == 0 && damaged.lines.prefix(2) == ["1  many keys changed", "1  many objects changed"])
  }

  @Test("Commits that the log no longer has are reported if the log continues after one") func gaps() async throws {
    let connection = try Connection(path: kvtool.database.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("DELETE FROM dflat_log WHERE commit_number < 4")
    connection.close()
    let all = try await kvtool("log")
    #expect(all.lines.first == "4  volume deleted" && all.error.isEmpty)
    let continued = try await kvtool("log", "--after", "1")
    #expect(continued.lines == all.lines && continued.error.contains("commits 2 to 3"))
  }

  @Test("A missing file has no log") func missing() async throws {
    let empty = try KVToolRunner()
    #expect(try await empty("log").status == 1)
  }
}
