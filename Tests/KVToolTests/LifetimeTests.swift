import Foundation
import Testing

@testable import kvtool

/// Values that expire, from the shell.
@Suite(.timeLimit(.minutes(15))) struct LifetimeTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  @Test(
    "A lifetime is a number of seconds, or numbers with units",
    arguments: [
      ("1", 1_000), ("0.5", 500), ("90s", 90_000), ("1h30m", 5_400_000), ("1.5d", 129_600_000), ("2w", 1_209_600_000),
      ("250ms", 250), ("1d1h1m1s1ms", 90_061_001), ("31622400000", 31_622_400_000_000),
    ] as [(String, Int64)])
  func lifetimes(text: String, milliseconds: Int64) {
    #expect(Lifetime(argument: text)?.duration == .milliseconds(milliseconds))
  }

  @Test(
    "Anything else is no lifetime",
    arguments: [
      "", "0", "-1", "+1", "1 h", "h", "1h30", "1x", "1H", "1.2.3s", ".", "nan", "inf", "1e3", "0x10", "1m-5s", "٣s",
      "0ms", "0.0001", "99999999999999999999", "31622400001", "1hs", "1é",
    ])
  func refusedLifetimes(text: String) async throws {
    #expect(Lifetime(argument: text) == nil)
    let refused = try await kvtool("set", "k", "v", "--ttl", text)
    #expect(refused.status == 64)
    #expect(try await kvtool("exists", "k").status != 0)
  }

  @Test("set, ttl, incr and rename set, print, keep and end a lifetime")
  func commands() async throws {
    try await kvtool("set", "k", "5", "--int", "--ttl", "1h")
    func rest(_ key: String) async throws -> Double? {
      try await Double(kvtool("ttl", key).output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    #expect(try (0...3_600).contains(#require(await rest("k"))))
    #expect(try await kvtool("incr", "k").output == "6\n")
    #expect(try (0...3_600).contains(#require(await rest("k"))))
    try await kvtool("rename", "k", "l")
    #expect(try (0...3_600).contains(#require(await rest("l"))))
    #expect(try await kvtool("ttl", "l", "2d").status == 0)
    #expect(try (3_600...172_800).contains(#require(await rest("l"))))
    #expect(try await kvtool("get", "l").output == "6\n")
    #expect(try await kvtool("get", "l", "--format", "ndjson").output.contains("\"expires\":\"20"))
    let listed = try await kvtool("keys", "--long", "--format", "json").output
    #expect(listed.contains(/"expires":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d\d\d)?Z"/))
    #expect(try await kvtool("ttl", "l", "none").status == 0)
    #expect(try await kvtool("ttl", "l").output == "none\n")
    #expect(try await !kvtool("get", "l", "--format", "ndjson").output.contains("expires"))
    try await kvtool("ttl", "l", "1h")
    try await kvtool("set", "l", "7")
    #expect(try await kvtool("ttl", "l").output == "none\n")
    #expect(try await kvtool("ttl", "absent").status == 2)
    #expect(try await kvtool("ttl", "absent", "1h").status == 2)
    #expect(try await kvtool("ttl", "l", "soon").status == 64)
    #expect(try await kvtool("check").output.contains("ok"))
  }

  @Test("txn takes lifetimes") func transactions() async throws {
    let lines = """
      {"op":"set","key":"a","value":1,"ttl":"1h"}
      {"op":"set","key":"b","value":1,"ttl":60}
      {"op":"set","key":"c","value":1}
      {"op":"incr","key":"a"}
      """
    #expect(try await kvtool("txn", input: Data(lines.utf8)).status == 0)
    #expect(try await kvtool("ttl", "a").output != "none\n")
    #expect(try await kvtool("ttl", "b").output != "none\n")
    #expect(try await kvtool("ttl", "c").output == "none\n")
    let refused = try await kvtool("txn", input: Data(#"{"op":"set","key":"c","value":2,"ttl":"soon"}"#.utf8))
    #expect(refused.status == 1)
    #expect(refused.error.contains("ttl"))
    #expect(try await kvtool("get", "c").output == "1\n")
  }

  @Test("A subscription prints that a key of another process has expired, and the log has it")
  func subscription() async throws {
    try await kvtool("set", "before", "1", "--ttl", "0.2")
    try await kvtool("set", "session", "first")
    let subscriber = try kvtool.start("subscribe", "session")
    #expect(await subscriber.next() == "session = first")
    try await kvtool("set", "session", "abc", "--ttl", "0.2")
    #expect(await subscriber.next() == "session = abc")
    #expect(await subscriber.next() == "session expired")
    subscriber.interrupt()
    #expect(await subscriber.status() == 0)
    #expect(try await kvtool("get", "session").status == 2)
    let log = try await kvtool("log")
    #expect(log.output.contains("session expired"))
    #expect(log.output.contains("before expired"))
    #expect(try await kvtool("log", "--format", "ndjson").output.contains(#""event":"expired""#))
  }

  @Test("Expired values are removed although the file couldn't be opened the first time") func removesLater()
    async throws
  {
    let remover = ExpiredValueRemover(path: kvtool.database.path)
    remover.start()
    try await kvtool("set", "session", "abc", "--ttl", "0.2")
    remover.start()
    while try await !kvtool("log").output.contains("session expired") {}
    withExtendedLifetime(remover) {}
  }

  @Test("The removal of expired values waits for locks as long as --timeout says") func timeoutOfRemoval() throws {
    let timeout = try #require(SecondsArgument(argument: "250ms"))
    #expect(ExpiredValueRemover(path: "k.db", timeout: timeout).options.busyTimeout == .seconds(0.25))
    #expect(ExpiredValueRemover(path: "k.db").options.busyTimeout == .seconds(5))
  }

  @Test("Exports and imports keep the instant", arguments: ["json", "plist"])
  func transfer(format: String) async throws {
    try await kvtool("set", "k", "v", "--ttl", "1d")
    try await kvtool("set", "l", "v")
    let document = try await kvtool("export", "--format", format)
    let copy = kvtool.folder.appendingPathComponent("copy.db").path
    #expect(try await kvtool("import", "-", "--db", copy, input: document.bytes).status == 0)
    #expect(try await kvtool("export", "--format", format, "--db", copy).output == document.output)
    #expect(try await kvtool("ttl", "k", "--db", copy).output != "none\n")
    #expect(try await kvtool("ttl", "l", "--db", copy).output == "none\n")
    if format == "json" {
      // Earlier versions refuse it instead of dropping the lifetime.
      #expect(document.output.contains("\"version\": 2"))
      #expect(try await kvtool("export", "-n", "other").output.contains("\"version\": 1"))
      let wrong = document.output.replacing("\"expires\":", with: "\"expires\":-")
      let refused = try await kvtool("import", "-", "--db", copy, input: Data(wrong.utf8))
      #expect(refused.status == 1 && refused.error.contains("expires"))
    }
  }

  @Test("A value that has expired doesn't replace one when it is imported") func importsOverPresent() async throws {
    try await kvtool("set", "live", "important")
    let document = """
      {"format": "dflatkv-export", "version": 1,
       "namespaces": {"": {"live": {"type": "string", "value": "old", "expires": 1000}}}}
      """
    let outcome = try await kvtool("import", "-", input: Data(document.utf8))
    #expect(outcome.status == 0 && outcome.error.contains("1 of 1 values have expired"))
    #expect(try await kvtool("get", "live").output == "important\n")
    #expect(try await kvtool("log").lines.count == 1)
  }

  @Test("An import says how many values have expired") func importsExpired() async throws {
    let document = """
      {"format": "dflatkv-export", "version": 1, "namespaces": {"": {
        "old": {"type": "string", "value": "x", "expires": 1}, "k": {"type": "string", "value": "v"}}}}
      """
    let outcome = try await kvtool("import", "-", input: Data(document.utf8))
    #expect(outcome.status == 0 && outcome.error == "kvtool: 1 of 2 values have expired, and were left out.\n")
    #expect(try await kvtool("keys").output == "k\n")
  }

  @Test("A recovered file has its values that expire, and their index") func recovery() async throws {
    try await kvtool("set", "k", "v", "--ttl", "1d")
    let copy = kvtool.folder.appendingPathComponent("copy.db").path
    let recovery = try await kvtool("recover", kvtool.database.path, copy)
    #expect(recovery.status == 0, "\(recovery.error)")
    let rest = try await kvtool("ttl", "k", "--db", copy).output
    #expect(Double(rest.trimmingCharacters(in: .newlines)) != nil)
    #expect(try await kvtool("check", "--db", copy).status == 0)
  }
}
