import DflatKV
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct MaintenanceTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  @Test("The backup command copies the file and replaces no existing one") func backsUp() async throws {
    try await kvtool("set", "a", "1")
    #expect(try await kvtool("backup", "copy.db").status == 0)
    try await kvtool("set", "a", "2")
    #expect(try await kvtool("get", "a", "--db", "copy.db").output == "1\n")
    let refused = try await kvtool("backup", "copy.db")
    #expect(refused.status == 1 && refused.error.contains("copy.db exists already"), "\(refused.error)")
    #expect(try await kvtool("get", "a", "--db", "copy.db").output == "1\n")
    let missing = try await kvtool("backup", "missing/copy.db")
    #expect(missing.status == 1 && missing.error.contains("'missing/copy.db' can't be created"), "\(missing.error)")
  }

  @Test(
    "A backup replaces no log of another file, which SQLite would take for that of the copy",
    arguments: ["-wal", "-journal"])
  func keepsFilesBesideABackup(suffix: String) async throws {
    try await kvtool("set", "a", "1")
    let other = kvtool.folder.appendingPathComponent("copy.db" + suffix)
    try Data("kept".utf8).write(to: other)
    let refused = try await kvtool("backup", "copy.db")
    #expect(refused.status == 1 && refused.error.contains("copy.db\(suffix) exists already"), "\(refused.error)")
    #expect(try Data(contentsOf: other) == Data("kept".utf8))
    // Readers leave empty ones behind.
    try Data().write(to: other)
    #expect(try await kvtool("backup", "copy.db").status == 0)
    #expect(try await kvtool("get", "a", "--db", "copy.db").output == "1\n")
  }

  @Test(
    "A program that still has a deleted file open doesn't write to the new one of its name",
    arguments: ["backup", "recover"])
  func deletedFileInUse(command: String) async throws {
    let other = kvtool.folder.appendingPathComponent("other.db").path
    for key in ["x", "y"] { try await kvtool("set", key, "1", "--db", other) }
    try await kvtool("set", "a", "1")
    let shell = try kvtool.startOnTerminal(["shell"])
    await shell.wait(for: "test.db> ")
    try shell.type("begin\nset b 2\n")
    await shell.wait(for: "test.db (1)> ")
    let new = kvtool.database.path
    try FileManager.default.removeItem(atPath: new)
    let copy = try await kvtool.run(command == "backup" ? ["backup", new, "--db", other] : ["recover", other, new])
    #expect(copy.status == 0, "\(copy)")
    // The transaction is committed to the deleted file.
    try shell.type("commit\nexit\n")
    #expect(await shell.status() == 0)
    #expect(try await kvtool("check").output == "ok\n")
    #expect(try await kvtool("keys").lines == ["x", "y"])
  }

  #if os(Linux)
    @Test("The folder of a new file is synced after the file has its name", arguments: ["backup", "recover"])
    func syncsTheFolder(command: String) async throws {
      try await kvtool("set", "a", "1")
      let folder = kvtool.folder.appendingPathComponent("copies")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let watched = await FolderEvents(folder.path)
      let copy = try await kvtool.run(
        command == "backup" ? ["backup", "copies/copy.db"] : ["recover", kvtool.database.path, "copies/copy.db"])
      #expect(copy.status == 0, "\(copy)")
      let events = watched.next()
      #expect(FolderEvents.isFolderOpened(after: .created("copy.db"), in: events), "\(events)")
    }
  #endif

  @Test("The name of a new file may be almost as long as names can be", arguments: ["backup", "recover"])
  func longNames(command: String) async throws {
    let name = String(repeating: "n", count: 240)
    try await kvtool("set", "a", "1")
    let copy = try await kvtool.run(command == "backup" ? ["backup", name] : ["recover", kvtool.database.path, name])
    #expect(copy.status == 0, "\(copy)")
    #expect(try await kvtool("get", "a", "--db", name).output == "1\n")
  }

  @Test(
    "An interrupted backup ends by the signal and leaves nothing, so that the next one succeeds",
    arguments: [[SIGINT], [SIGTERM], [SIGTERM, SIGINT]])
  func interruptedBackup(signals: [Int32]) async throws {
    try await kvtool("set", "a", "--data", input: Data(repeating: 7, count: 50_000_000))
    let copies = { [folder = kvtool.folder.path] in
      try FileManager.default.contentsOfDirectory(atPath: folder).filter {
        $0.hasPrefix("copy.db") || $0.hasPrefix(".kvtool-")
      }
    }
    let tool = try kvtool.start("backup", "copy.db")
    while tool.isRunning, try copies().isEmpty { await Task.yield() }
    for signal in signals { if signal == SIGINT { tool.interrupt() } else { tool.terminate() } }
    let status = await tool.status() ?? 0
    let left = try copies()
    if left.isEmpty {
      // A shell's loop ends with it.
      #expect(tool.wasKilled && signals.contains(status), "\(status)")
    } else {
      // The copy was complete already.
      #expect(left == ["copy.db"])
      #expect(try await kvtool("check", "--db", "copy.db").output == "ok\n")
      try FileManager.default.removeItem(atPath: kvtool.folder.path + "/copy.db")
    }
    #expect(try await kvtool("backup", "copy.db").status == 0)
    #expect(try await kvtool("check", "--db", "copy.db").output == "ok\n")
  }

  @Test("A backup goes on at a signal that was ignored when it started") func ignoredSignal() async throws {
    try await kvtool("set", "a", "--data", input: Data(repeating: 7, count: 50_000_000))
    let outcome = try await kvtool.shell(
      """
      trap '' INT
      (sh -c 'echo $$ > number; exec kvtool backup copy.db'; echo $? > status) &
      while :; do for file in copy.db .kvtool-*; do [ -e "$file" ] && break 2; done; done
      kill -INT $(cat number)
      # With some shells, wait doesn't notice the end of a job that has ended.
      while [ ! -s status ]; do :; done
      cat status
      kvtool check --db copy.db
      """)
    #expect(outcome.lines == ["0", "ok"])
  }

  @Test("Commands refuse a file that is not a database, and check accepts a sound one")
  func checks() async throws {
    try await kvtool("set", "a", "1")
    #expect(try await kvtool("check").output == "ok\n")
    let other = kvtool.folder.appendingPathComponent("other.db")
    try Data("this is no database, and long enough to be taken for one: \(String(repeating: "x", count: 900))".utf8)
      .write(to: other)
    for arguments in [["check"], ["get", "a"], ["set", "a", "1"], ["keys"], ["stats"]] {
      let outcome = try await kvtool.run(arguments + ["--db", other.path])
      #expect(outcome.status == 5, "\(arguments)")
      #expect(outcome.error.contains(other.path) && outcome.error.filter(\.isNewline).count == 1, "\(outcome.error)")
    }
  }

  @Test("For a file that can't be opened, check --format json prints the reason as the only problem")
  func checksUnreadableFilesAsJSON() async throws {
    try await kvtool("set", "a", "1")
    let sound = try Data(contentsOf: kvtool.database)
    var newer = sound
    newer.replaceSubrange(60..<64, with: [0x7F, 0, 0, 1])
    let contents = [
      (sound.prefix(3000), "kvtool recover"), (Data(repeating: 0x78, count: 5000), "kvtool recover"),
      (newer, "update kvtool"),
    ]
    for (content, advice) in contents {
      let other = kvtool.folder.appendingPathComponent("other.db")
      try content.write(to: other)
      let outcome = try await kvtool("check", "--format", "json", "--db", other.path)
      #expect(outcome.status == 5 && outcome.lines.count == 1, "\(outcome)")
      let result = try #require(try JSONSerialization.jsonObject(with: outcome.bytes) as? [String: Any])
      #expect(result["ok"] as? Bool == false && result["file"] as? String == other.path)
      let problems = try #require(result["problems"] as? [[String: Any]])
      #expect(problems.count == 1 && problems.first?["isRepairable"] as? Bool == false)
      let text = try #require(problems.first?["text"] as? String)
      #expect(text.contains(advice) && outcome.error == "kvtool: \(text)\n", "\(outcome)")
    }
    // A missing file has no problem.
    let missing = try await kvtool("check", "--format", "json", "--db", "missing.db")
    #expect(missing.status == 1 && missing.output.isEmpty)
  }

  /// The arguments are offsets of two numbers in the header of an SQLite file.
  @Test(
    "Commands refuse a file of a newer format or of another program",
    arguments: [(60, "newer format"), (68, "another program's file")])
  func refusesFilesThatAreNotItsOwn(offset: UInt64, _: String) async throws {
    try await kvtool("set", "a", "1")
    let file = try FileHandle(forUpdating: kvtool.database)
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data([0x7F, 0, 0, 1]))
    try file.close()
    for arguments in [["get", "a"], ["set", "a", "2"], ["check"], ["subscribe", "a"]] {
      let outcome = try await kvtool.run(arguments)
      #expect(outcome.status == 5, "\(arguments)")
      #expect(outcome.error.contains(kvtool.database.path) && outcome.error.filter(\.isNewline).count == 1)
    }
  }

  @Test("The check and export commands give status 5 for a damaged file") func saysWhatIsDamaged() async throws {
    let lines = (0..<2000).map { "{\"op\":\"set\",\"key\":\"key \($0)\",\"value\":\"some text\"}\n" }.joined()
    try await kvtool("txn", input: Data(lines.utf8))
    let file = try FileHandle(forUpdating: kvtool.database)
    let size = try file.seekToEnd()
    try file.seek(toOffset: 4096 * 4)
    try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096 * 4))
    try file.close()
    let outcome = try await kvtool("check")
    #expect(outcome.status == 5)
    #expect(outcome.error.contains(kvtool.database.path) && outcome.error.filter(\.isNewline).count == 1)
    let export = try await kvtool("export")
    #expect(export.status == 5, "\(export.error)")
  }

  @Test("A folder is refused as a database") func aFolderIsNoDatabase() async throws {
    let outcome = try await kvtool("get", "a", "--db", kvtool.folder.path)
    #expect(outcome.status == 1 && outcome.error.contains(kvtool.folder.path))
  }

  @Test("The compact command prints how much smaller the file has become") func compactsAndTellsTheGain() async throws {
    try await kvtool("set", "large", "--data", input: Data(repeating: 7, count: 1_000_000))
    try await kvtool("delete", "large")
    let words = try await kvtool("compact").output.split(separator: " ").compactMap { Int($0) }
    #expect(words.count == 3 && words[0] - words[1] == words[2] && words[2] > 900_000)
    #expect(try await kvtool("check").output == "ok\n")
  }

  @Test("The stats command counts keys and bytes, also by type and namespace")
  func countsWhatTheFileHolds() async throws {
    try await kvtool("set", "a", "12345")
    try await kvtool("set", "b", "1", "--int", "-n", "n")
    let lines = try await kvtool("stats").lines.map { $0.split(separator: " ").map(String.init) }
    #expect(lines.contains(["keys", "2"]))
    #expect(lines.contains(["value", "bytes", "13"]))
    #expect(lines.contains(["objects", "0"]))
    #expect(lines.contains(["1", "5", "string", "\"\""]))
    #expect(lines.contains(["1", "8", "int", "\"n\""]))
    #expect(lines.contains(["file", kvtool.database.path]))
    #expect(lines.contains { $0.first == "commit" && Int($0[1]) ?? 0 >= 2 })
  }

  @Test("The stats command prints one JSON object with --format json") func printsStatisticsAsJSON() async throws {
    try await kvtool("set", "a", "12345")
    let outcome = try await kvtool("stats", "--format", "json")
    #expect(try JSONSerialization.jsonObject(with: outcome.bytes) is [String: Any])
    for member in [
      #""commit":1"#, #""format":1"#, #""keys":1"#, #""valueBytes":5"#, "\"file\":\"\(kvtool.database.path)\"",
      #""objects":0"#, #""usage":[{"bytes":5,"keys":1,"namespace":"","type":"string"}]"#, #""sqlite":"3."#,
      #""sqliteHasCheckpointBug":"#,
    ] {
      #expect(outcome.output.contains(member), "\(member) in \(outcome.output)")
    }
    #expect(try await kvtool("stats").lines.contains { $0.hasPrefix("sqlite ") })
  }

  #if os(Linux)
    @Test(
      "The memory of count, keys and stats doesn't grow with the values",
      // The sanitizer needs more memory than all values.
      .enabled(if: ProcessInfo.processInfo.environment["DFLATKV_TSAN"] == nil),
      arguments: ["count", "keys", "keys --long", "stats"])
    func boundedMemory(command: String) async throws {
      let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
      for number in 0..<12 {
        try await workspace.transact { $0.dictionary["k\(number)"] = Data(repeating: 7, count: 10_000_000) }
      }
      await workspace.shutdown()
      // 80 MB of data for 120 MB of values.
      let outcome = try await kvtool.shell("ulimit -d 80000; kvtool \(command)")
      #expect(outcome.status == 0 && !outcome.output.isEmpty)
    }
  #endif

  @Test("A locked file gives status 4 after the timeout") func aLockedFileIsBusyAfterTheTimeout() async throws {
    try await kvtool("set", "a", "1")
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    let outcome = try await holdingTheLock(of: workspace) {
      try await kvtool("set", "a", "2", "--timeout", "0.2")
    }
    #expect(outcome.status == 4 && outcome.error.contains("--timeout"))
    #expect(outcome.error.contains(kvtool.database.path) && outcome.error.filter(\.isNewline).count == 1)
    #expect(try await kvtool("set", "a", "3").status == 0)
    await workspace.shutdown()
  }

  /// Runs a body while a transaction of the workspace is open.
  private func holdingTheLock<Result: Sendable>(
    of workspace: SQLiteWorkspace, _ body: () async throws -> Result
  ) async throws -> Result {
    let (held, isHeld) = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    let transaction = Task.detached {
      try await workspace.transact { transaction in
        transaction.dictionary["held"] = true
        isHeld.finish()
        release.wait()
      }
    }
    for await _ in held {}
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    release.signal()
    try await transaction.value
    return try result.get()
  }

  @Test("The generate-manual command prints a roff page") func theManualIsARoffPage() async throws {
    let page = try await kvtool("generate-manual")
    #expect(page.status == 0 && page.output.hasPrefix(".TH KVTOOL 1"))
    #expect(page.output.contains(".SS subscribe"))
  }
}
