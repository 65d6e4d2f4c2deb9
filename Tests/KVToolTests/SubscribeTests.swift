import Foundation
import MemoryReplication
import Testing

@Suite(.timeLimit(.minutes(15))) struct SubscribeTests {
  let kvtool: KVToolRunner

  init() async throws {
    kvtool = try KVToolRunner()
    try await kvtool("set", "volume", "0.5", "--double")
  }

  @Test("A subscription shows the changes of another process") func showsChangesOfAnotherProcess() async throws {
    let subscriber = try kvtool.start("subscribe", "volume")
    #expect(await subscriber.next() == "volume = 0.5")
    try await kvtool("set", "other", "1")
    try await kvtool("set", "volume", "0.8")
    #expect(await subscriber.next() == "volume = 0.8")
    try await kvtool("delete", "volume")
    #expect(await subscriber.next() == "volume deleted")
    try await kvtool("set", "volume", "loud")
    #expect(await subscriber.next() == "volume = loud")
    subscriber.interrupt()
    #expect(await subscriber.status() == 0)
  }

  @Test("A subscription to named keys goes on if an older file replaces the open one") func followsOlderFile()
    async throws
  {
    let backup = kvtool.folder.appendingPathComponent("backup.db").path
    #expect(try await kvtool("backup", backup).status == 0)
    for number in 2...9 { try await kvtool("set", "volume", "\(number)", "--double") }
    let subscriber = try kvtool.start("subscribe", "volume")
    #expect(await subscriber.next() == "volume = 9.0")
    try kvtool.restore(backup)
    try await kvtool("set", "volume", "100")
    while let line = await subscriber.next() { if line == "volume = 100.0" { break } }
    subscriber.interrupt()
    #expect(await subscriber.status() == 0)
  }

  @Test("A subscription ends with status 0 on termination") func endsOnTermination() async throws {
    let subscriber = try kvtool.start("subscribe", "volume")
    #expect(await subscriber.next() == "volume = 0.5")
    subscriber.terminate()
    #expect(await subscriber.status() == 0)
  }

  @Test("A subscription shows the changes of several keys in commit order")
  func severalKeysInCommitOrder() async throws {
    try await kvtool("set", "balance", "1", "--int")
    let subscriber = try kvtool.start("subscribe", "balance", "absent", "volume", "--format", "ndjson", "--count", "6")
    let initial = await subscriber.next(3)
    #expect(initial.map(\.event) == ["initial", "initial", "initial"])
    #expect(initial.map(\.key) == ["absent", "volume", "balance"])
    let lines = """
      {"op":"set","key":"volume","value":1}
      {"op":"set","key":"balance","value":2}
      {"op":"set","key":"unwatched","value":3}
      """
    try await kvtool("txn", input: Data(lines.utf8))
    let both = await subscriber.next(2)
    #expect(Set(both.map(\.key)) == ["volume", "balance"])
    #expect(both[0].commit == both[1].commit)
    try await kvtool("delete", "volume")
    let last = await subscriber.next(2)
    #expect(last.map(\.event) == ["deleted"])
    let commits = (initial + both + last).map(\.commit)
    #expect(commits == commits.sorted())
    #expect(await subscriber.status() == 0)
  }

  @Test("A subscription shows the changes of a prefix or of a whole namespace")
  func prefixesAndNamespaces() async throws {
    try await kvtool("set", "p.0", "zero", "-n", "n")
    let prefix = try kvtool.start("subscribe", "--prefix", "p.", "-n", "n")
    let all = try kvtool.start("subscribe", "--all", "-n", "n")
    // Neither shows initial values. A change that both show proves that both have subscribed.
    try await untilSeen(by: [prefix, all])
    for (key, namespace) in [("p.1", ""), ("q", "n"), ("p.1", "n"), ("q.end", "n"), ("p.end", "n")] {
      try await kvtool("set", key, "x", "-n", namespace)
    }
    #expect(await changes(of: prefix) == ["p.1 = x", "p.end = x"])
    #expect(await changes(of: all) == ["q = x", "p.1 = x", "q.end = x", "p.end = x"])
    prefix.terminate()
    all.terminate()
    #expect(await prefix.status() == 0)
    #expect(await all.status() == 0)
  }

  /// Returns the lines up to that of the last key, without those of ``untilSeen(by:)``.
  private func changes(of subscriber: RunningTool) async -> [String] {
    var lines: [String] = []
    while lines.last != "p.end = x", let line = await subscriber.next() {
      if !line.hasPrefix("p.0 = ") {
        lines.append(line)
      }
    }
    return lines
  }

  /// Writes until every subscriber has shown one line.
  private func untilSeen(by subscribers: [RunningTool]) async throws {
    let writer = Task {
      var number = 0
      while !Task.isCancelled {
        number += 1
        try await kvtool("set", "p.0", "ready \(number)", "-n", "n")
      }
    }
    for subscriber in subscribers {
      #expect(await subscriber.next()?.hasPrefix("p.0 = ready") == true)
    }
    writer.cancel()
    _ = await writer.result
  }

  @Test("A subscription to all keys shows initial values of the named ones and each change once")
  func namedKeysAndOthers() async throws {
    let subscriber = try kvtool.start("subscribe", "--all", "volume", "volume", "absent")
    #expect(await subscriber.next() == "volume = 0.5")
    try await kvtool("set", "absent", "x")
    try await kvtool("set", "other", "y")
    try await kvtool("set", "volume", "1")
    #expect(await subscriber.next(3) == ["absent = x", "other = y", "volume = 1.0"])
    subscriber.interrupt()
    #expect(await subscriber.status() == 0)
  }

  @Test("A value of a type that only a newer version knows is reported, and gives a subscription the status 5")
  func unknownTypes() async throws {
    let subscriber = try kvtool.start("subscribe", "volume", "other")
    #expect(await subscriber.next() == "volume = 0.5")
    // The commit's row in the log says that the value of "volume" is in its row.
    try RawDatabase.execute(
      """
      BEGIN IMMEDIATE;
      UPDATE dictionary SET type = 99, commit_number = (SELECT max(commit_number) + 1 FROM dflat_log)
        WHERE key = 'volume';
      INSERT INTO dflat_log SELECT max(commit_number) + 1, 7, x'0109030006766F6C756D65' FROM dflat_log;
      COMMIT;
      """, on: kvtool.database.path)
    try await kvtool("set", "other", "1")
    #expect(await subscriber.next() == "other = 1")
    subscriber.interrupt()
    #expect(await subscriber.status() == 5)
  }

  #if os(Linux)
    @Test("A subscription goes on after an event that is too large for the command of --exec")
    func goesOnAfterAnEventThatIsTooLarge() async throws {
      let subscriber = try kvtool.start("subscribe", "volume", "--all", "--exec", "echo \"exec $KVTOOL_KEY\"")
      #expect(await subscriber.next(2) == ["volume = 0.5", "exec volume"])
      // Linux passes at most 128 KiB in one variable.
      try await kvtool("set", "large", "--string", input: Data(repeating: UInt8(ascii: "x"), count: 200_000))
      #expect(await subscriber.next()?.hasPrefix("large = xxx") == true)
      try await kvtool("set", "small", "1")
      #expect(await subscriber.next(2) == ["small = 1", "exec small"])
      subscriber.interrupt()
      #expect(await subscriber.status() == 0)
    }
  #endif

  @Test("A subscription ends after --count events or --for seconds") func limits() async throws {
    let counted = try await kvtool("subscribe", "volume", "--count", "1")
    #expect(counted.status == 0 && counted.output == "volume = 0.5\n")
    // The time includes that of opening the file, which slow machines and sanitizers stretch.
    let timed = try await kvtool("subscribe", "volume", "--for", "3")
    #expect(timed.status == 0 && timed.output == "volume = 0.5\n")
    let quiet = try await kvtool("subscribe", "volume", "--no-initial", "--for", "0.1")
    #expect(quiet.status == 0 && quiet.output.isEmpty)
  }

  /// The status of a pipeline is its last command's, so each script prints the tool's own.
  @Test("A closed pipe ends the tool with status 0 and without a message") func aClosedPipeEndsIt() async throws {
    // The reader leaves after the initial value.
    let subscription = try await kvtool.shell(
      """
      { kvtool subscribe volume 2>errors; echo $? >status; } | head -n 1
      cat errors status
      """)
    #expect(subscription.output == "volume = 0.5\n0\n")
    // Opening a named pipe waits for its other end: the tool starts after its reader has left.
    let keys = try await kvtool.shell(
      """
      mkfifo closed
      { : <closed; kvtool keys 2>errors; echo $? >status; } | { exec </dev/null; : >closed; }
      cat errors status
      """)
    #expect(keys.output == "0\n")
  }

  @Test("A subscription runs a command for each event") func runsACommandForEachEvent() async throws {
    let script = "echo \"$KVTOOL_EVENT $KVTOOL_KEY $KVTOOL_VALUE $KVTOOL_COMMIT\""
    let subscriber = try kvtool.start("subscribe", "volume", "--exec", script, "--count", "2", "--format", "ndjson")
    let first = await subscriber.next(2)
    #expect(first.count == 2 && first[1] == "initial volume 0.5 \(first[0].commit)")
    try await kvtool("delete", "volume")
    let second = await subscriber.next(2)
    #expect(second.count == 2 && second[1] == "deleted volume  \(second[0].commit)")
    #expect(await subscriber.status() == 0)
  }

  @Test("The end of a subscription lets the command of --exec finish, for the first value too")
  func theEndLetsACommandFinish() async throws {
    let outcome = try await kvtool(
      "subscribe", "volume", "--for", "0.1", "--exec", "sleep 2; echo finished > outcome")
    #expect(outcome.status == 0)
    #expect(try await kvtool.shell("cat outcome").output == "finished\n")
  }

  /// The parts of a pipeline. The first one writes the status of the subscription to `done`, after the reader has taken
  /// the first byte of an event that is larger than a pipe, and no more.
  @Test(
    "A subscription ends with 0 although nobody reads the event that it prints",
    arguments: [
      ("kvtool subscribe large --for 0.2", "true"),
      ("{ kvtool subscribe large & read _ < go; kill $!; wait $!; }", "$first_byte; echo > go"),
      (
        "{ kvtool subscribe volume & read _ < go; kill $!; wait $!; }",
        "read _; kvtool set volume --string < text; $first_byte; echo > go"
      ),
    ])
  func endsWithoutAReader(subscription: String, reader: String) async throws {
    let text = Data(repeating: UInt8(ascii: "x"), count: 1_000_000)
    try text.write(to: kvtool.folder.appendingPathComponent("text"))
    try await kvtool("set", "large", "--string", input: text)
    let outcome = try await kvtool.shell(
      """
      mkfifo go done
      first_byte='dd bs=1 count=1 of=first'
      { \(subscription); echo $? > done; } | { \(reader); cat done; }
      """)
    #expect(outcome.output == "0\n")
  }

  @Test("A background job of a script ends at SIGINT, although its shell makes it ignore that")
  func backgroundJob() async throws {
    let outcome = try await kvtool.shell(
      """
      mkfifo events
      kvtool subscribe volume > events &
      {
        read _
        kill -INT $!
        wait $!
        echo $?
      } < events
      """)
    #expect(outcome.lines == ["0"])
  }

  #if os(Linux)
    @Test("A command of --exec ignores none of the signals that the tool ignores") func signals() async throws {
      let subscriber = try kvtool.start(
        "subscribe", "volume", "--exec", "exec grep SigIgn /proc/self/status", "--count", "1")
      #expect(await subscriber.next() == "volume = 0.5")
      let line = try #require(await subscriber.next() as String?)
      let digits = try #require(line.split(whereSeparator: { $0.isWhitespace }).last)
      let ignored = try #require(UInt64(digits, radix: 16))
      for signal in [SIGPIPE, SIGXFSZ] { #expect(ignored & 1 << UInt64(signal - 1) == 0, "\(line)") }
      #expect(await subscriber.status() == 0)
    }

    @Test("A command of --exec can be ended by signals") func blockedSignals() async throws {
      let subscriber = try kvtool.start(
        "subscribe", "volume", "--exec", "exec grep SigBlk /proc/self/status", "--count", "1")
      #expect(await subscriber.next() == "volume = 0.5")
      let line = try #require(await subscriber.next() as String?)
      let digits = try #require(line.split(whereSeparator: { $0.isWhitespace }).last)
      let blocked = try #require(UInt64(digits, radix: 16))
      for signal in [SIGINT, SIGTERM] { #expect(blocked & 1 << UInt64(signal - 1) == 0, "\(line)") }
      #expect(await subscriber.status() == 0)
    }
  #endif

  @Test("A subscription loses no change under load") func losesNothingUnderALoad() async throws {
    try await kvtool("set", "n", "0", "--int")
    let subscriber = try kvtool.start("subscribe", "n", "--format", "ndjson")
    let first = await subscriber.next(1)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<10 {
            try await kvtool("incr", "n", "--timeout", "60")
          }
        }
      }
      try await group.waitForAll()
    }
    let rest = await subscriber.next(30)
    #expect((first + rest).map(\.value) == (0...30).map { $0 })
    let commits = (first + rest).map(\.commit)
    #expect(zip(commits, commits.dropFirst()).allSatisfy { $0 < $1 })
    subscriber.interrupt()
    #expect(await subscriber.status() == 0)
  }
}

/// The members of an event's line.
extension String {
  private var members: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(utf8)) as? [String: Any]) ?? [:]
  }

  fileprivate var event: String { members["event"] as? String ?? "" }
  fileprivate var key: String { members["key"] as? String ?? "" }
  fileprivate var commit: Int { members["commit"] as? Int ?? -1 }
  fileprivate var value: Int { members["value"] as? Int ?? -1 }
}
