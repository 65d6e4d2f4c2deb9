import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import kvtool

/// `top`, which shows a file's activity.
@Suite(.timeLimit(.minutes(15))) struct TopTests {
  let kvtool: KVToolRunner
  let workspace: SQLiteWorkspace

  init() throws {
    kvtool = try KVToolRunner()
    workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait { txn in txn.dictionary["before"] = 1 }
  }

  @Test("A sample counts the changes since the last one, by prefix and by type") func countsChanges() throws {
    let sampler = try TopSampler(workspace, path: kvtool.database.path)
    for number in 1...3 {
      try workspace.transactAndWait { txn in
        txn.dictionary["page.\(number)"] = number
        txn.dictionary.namespace("cache")["page/\(number)"] = "x"
      }
    }
    try workspace.transactAndWait([Club.Member.self]) { txn in
      txn.dictionary["before"] = nil as Int?
      txn.dictionary["large"] = String(repeating: "x", count: 600)
      for number: UInt64 in 1...2 { try txn.insert(Club.Member(number: number)) }
    }
    let sample = try sampler.sample()
    #expect(sample.activity.commits == 4 && sample.activity.keys == 8 && sample.activity.objects == 2)
    #expect(!sample.activity.isIncomplete && sample.file.commitNumber == 5)
    let lines = sample.lines(width: .max, height: .max)
    let rows = lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    let prefixes = try #require(rows.firstIndex { $0.hasSuffix("changes prefix") })
    #expect(rows[(prefixes + 1)...(prefixes + 4)] == ["3 [cache] page/", "3 page.", "1 before", "1 large"])
    #expect(rows.suffix(5) == ["3 int", "3 string", "2 club__member", "1 deleted", "1 large"])
    // The next sample begins where this one has ended.
    #expect(try sampler.sample().activity.commits == 0)
    try workspace.transactAndWait { txn in txn.dictionary.removeAll(withPrefix: "page.") }
    let removal = try sampler.sample()
    #expect(removal.activity.commits == 1 && removal.activity.isIncomplete)
    #expect(removal.lines(width: .max, height: .max).contains { $0.contains("at least") })
  }

  @Test("The log of an older file that is copied into the open one is no activity") func ignoresOlderLog() async throws
  {
    let backup = kvtool.folder.appendingPathComponent("backup.db").path
    #expect(try await kvtool("backup", backup).status == 0)
    for number in 1...3 { try workspace.transactAndWait { txn in txn.dictionary["n"] = number } }
    let sampler = try TopSampler(workspace, path: kvtool.database.path)
    try kvtool.restore(backup)
    // Otherwise the workspace may read for a while what the file contained before.
    try workspace.deliver {}
    let sample = try sampler.sample()
    #expect(sample.activity.commits == 0 && sample.activity.keys == 0 && sample.activity.isIncomplete)
    #expect(sample.file.commitNumber == 1)
    // The next sample begins where this one has ended.
    try workspace.transactAndWait { txn in txn.dictionary["n"] = 4 }
    let next = try sampler.sample()
    #expect(next.activity.commits == 1 && next.activity.keys == 1 && !next.activity.isIncomplete)
  }

  @Test("A screen has the lines and columns of its terminal, and shows both tables") func fitsTheTerminal() throws {
    let sampler = try TopSampler(workspace, path: kvtool.database.path)
    try workspace.transactAndWait { txn in
      for number in 1...100 { txn.dictionary["k\(number).\u{202E}"] = number }
      txn.dictionary["text"] = "x"
    }
    let sample = try sampler.sample()
    for (width, height) in [(80, 24), (20, 10), (1, 1), (0, 0), (200, 8)] {
      let lines = sample.lines(width: width, height: height)
      #expect(lines.count <= height && lines.allSatisfy { $0.count <= width })
    }
    let lines = sample.lines(width: 80, height: 24)
    #expect(lines.count == 24 && lines.last?.hasSuffix("string") == true)
    #expect(lines.contains { $0.hasSuffix(" k1.") } && !lines.joined().contains("\u{202E}"))
  }

  @Test("Sizes are rounded to three digits")
  func sizes() {
    #expect(
      [0, 1023, 1024, 102_250, 1 << 20, 5_000_000_000].map(TopSample.size) == [
        "0 bytes", "1023 bytes", "1.0 KiB", "99.9 KiB", "1.0 MiB", "4.7 GiB",
      ])
  }

  @Test("The processes of a file are found by the locks of its shared memory") func parsesLocks() {
    let locks = """
      1: POSIX  ADVISORY  READ 4021 fe:00:1835 128 128
      2: POSIX  ADVISORY  WRITE 4021 fe:00:1835 120 120
      2: -> POSIX  ADVISORY  WRITE 4040 fe:00:1835 120 120
      3: POSIX  ADVISORY  READ 4022 fe:00:1835 124 128
      4: POSIX  ADVISORY  READ 4023 fe:00:1836 128 128
      5: FLOCK  ADVISORY  WRITE 4024 fe:00:1835 0 EOF
      6: POSIX  ADVISORY  READ 4025 fe:00:1835 1073741826 1073742335
      7: POSIX  ADVISORY  READ 0 fe:00:1835 128 128
      nonsense
      8: POSIX  ADVISORY  READ x fe:00:1835 128 128
      9: POSIX  ADVISORY  READ 4026 fe:00:1835 9 1
      """
    let users = FileUser.all(locks: locks, inode: 1835)
    #expect(users.map(\.process) == [4021, 4022])
    #expect(users.map(\.isWriting) == [true, false] && users.map(\.isReading) == [false, true])
  }

  #if os(Linux)
    @Test("Another process that has the file open is shown, and its open read view") func showsProcesses() async throws
    {
      let watcher = try kvtool.start("subscribe", "before")
      #expect(await watcher.next() == "before = 1")
      let users = try #require(FileUser.all(ofFile: kvtool.database.path))
      #expect(users.map(\.name) == ["kvtool"] && users.allSatisfy { !$0.isWriting })
      watcher.interrupt()
      #expect(await watcher.status() == 0)
      #expect(FileUser.all(ofFile: kvtool.database.path) == [])
      let outcome = try await kvtool("top", "--count", "1", "--interval", "0.1")
      let own = try #require(outcome.lines.first)
      #expect(own.contains("\"process\":\(ProcessInfo.processInfo.processIdentifier)"), "\(own)")
    }
  #endif

  @Test("In a pipe, each sample is a JSON object") func printsJSON() async throws {
    let tool = try kvtool.start("top", "--interval", "0.1")
    var commits = 0
    // The tool counts from its start, which the first sample shows.
    _ = await tool.next()
    try workspace.transactAndWait { txn in txn.dictionary["n"] = 1 }
    while commits == 0, let line = await tool.next() {
      let sample = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      commits = try #require(sample["commits"] as? Int)
      #expect(sample["keys"] as? Int == commits && sample["isIncomplete"] as? Bool == false)
      if commits == 1 {
        #expect(line.contains(#""prefixes":[{"keys":1,"namespace":"","prefix":"n"}]"#), "\(line)")
        #expect(line.contains(#""types":[{"changes":1,"type":"int"}]"#))
        #expect(sample["commit"] as? Int == 2)
      }
    }
    #expect(commits == 1)
    tool.interrupt()
    #expect(await tool.status() == 0)
  }

  @Test("On a terminal, the screen is restored after q") func restoresTheScreen() async throws {
    let tool = try kvtool.startOnTerminal(["top"])
    await tool.wait(for: "commits/s")
    await tool.wait(for: "prefix")
    try tool.type("q")
    #expect(await tool.status() == 0)
    await tool.wait(for: "\u{1B}[?1049l")
  }

  @Test("On a terminal, SIGTERM ends it with status 0, and the screen is restored") func endsOnTermination()
    async throws
  {
    let tool = try kvtool.startOnTerminal(["top"])
    await tool.wait(for: "commits/s")
    await tool.wait(for: "prefix")
    tool.terminate()
    #expect(await tool.status() == 0)
    await tool.wait(for: "\u{1B}[?1049l")
  }

  @Test(
    "Options that make no sense are refused", arguments: [["--interval", "0"], ["--count", "-1"], ["--format", "x"]])
  func refusesOptions(arguments: [String]) async throws {
    #expect(try await kvtool.run(["top"] + arguments).status == 64)
    #expect(try await kvtool("top", "--db", kvtool.folder.path + "/missing.db").status == 1)
    #expect(try await kvtool("top", "--count", "0").output.isEmpty)
  }
}
