import DflatKV
import Foundation
import GoldenModels
import Testing

/// `kvtool shell`.
@Suite(.timeLimit(.minutes(15))) struct ShellTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  private func script(_ lines: String..., arguments: [String] = []) async throws -> KVToolRunner.Outcome {
    try await kvtool.run(["shell"] + arguments, input: Data(lines.map { $0 + "\n" }.joined().utf8))
  }

  // MARK: Scripts

  @Test("Commands on standard input run in order, with quotes, comments and JSON") func runsScripts() async throws {
    let outcome = try await script(
      "# a script", "set 'a b' \"c d\"", "kvtool get 'a b'", "", "set look {\"theme\": \"dark\",",
      "  \"size\": 12} --json",
      "get look --path theme", "incr n -2", "exit", "get never")
    #expect(outcome.lines == ["c d", "dark", "-2"])
    #expect(outcome.error.isEmpty && outcome.status == 0)
  }

  @Test("The first command that fails ends a script with its status") func stopsAtAFailure() async throws {
    let outcome = try await script("set a 1", "get b", "set a 2")
    #expect(outcome.status == 2)
    #expect(outcome.error == "kvtool: no such key: \"b\"\nkvtool: line 2 failed, so the commands after it didn't run\n")
    #expect(try await kvtool("get", "a").output == "1\n")
    let mistyped = try await script("gte a")
    #expect(mistyped.status == 64 && mistyped.error.contains("did you mean 'get'?"), "\(mistyped.error)")
    let argument = try await script("set a 3", "exit 3")
    #expect(argument.status == 64 && argument.error.contains("'exit' takes no arguments"), "\(argument.error)")
    let open = try await script("set a 3", "set b 'x")
    #expect(open.status == 64 && open.error.contains("line 2: the input ends within"), "\(open.error)")
  }

  @Test(
    "A misspelled command is answered with the one of kvtool or of the shell that was meant",
    arguments: [
      (["beign"], "'beign': did you mean 'begin'? See 'help'."), (["begin", "comit"], "did you mean 'commit'?"),
      (["kvtool abrot"], "did you mean 'abort'?"), (["help exti"], "did you mean 'exit'?"),
      (["--timeout 1 gte a"], "did you mean 'get'?"), (["rm a"], "did you mean 'delete'?"),
      (["frobnicate"], "There is no command 'frobnicate'. See 'help'."),
      (["cluster statsu"], "did you mean 'cluster status'? See 'kvtool cluster --help'."),
    ])
  func suggestsCommands(lines: [String], message: String) async throws {
    let outcome = try await kvtool.run(["shell"], input: Data(lines.map { $0 + "\n" }.joined().utf8))
    #expect(outcome.status == 64 && outcome.error.contains(message), "\(outcome.error)")
  }

  @Test("The shell has the file and the namespace of its options, and 'use' selects another") func usesNamespaces()
    async throws
  {
    let other = kvtool.folder.appendingPathComponent("other.db").path
    let outcome = try await script(
      "set a 1", "use second", "set a 2", "use", "set a 3", "namespaces", arguments: ["--db", other, "-n", "first"])
    #expect(outcome.output == "\nfirst\nsecond\n")
    for (namespace, value) in [("first", "1"), ("second", "2"), ("", "3")] {
      #expect(try await kvtool("get", "a", "--db", other, "-n", namespace).output == value + "\n")
    }
    #expect(!FileManager.default.fileExists(atPath: kvtool.database.path))
  }

  @Test("A command doesn't read the lines of a script as its own input", arguments: ["set a", "set a -", "txn"])
  func commandsReadNoScript(command: String) async throws {
    let outcome = try await script(command, "set b 1")
    #expect(outcome.status == 1 && outcome.error.contains("there is no standard input"), "\(outcome.error)")
    #expect(!FileManager.default.fileExists(atPath: kvtool.database.path))
    try await kvtool("set", "kept", "1")
    let inTransaction = try await script("begin", "set b 1", command, "commit")
    #expect(inTransaction.status == 64, "\(inTransaction.error)")
    #expect(try await kvtool("keys").lines == ["kept"])
  }

  @Test("The shell's timeout is passed to the commands that have one") func passesTheTimeout() async throws {
    let outcome = try await script("set a 1", "get a", "recover missing.db new.db", arguments: ["--timeout", "3"])
    #expect(outcome.status == 1 && outcome.error.hasPrefix("kvtool: there is no file missing.db\n"), "\(outcome.error)")
    #expect(outcome.lines == ["1"])
  }

  @Test("A script may have the line ends of Windows, which stay in quoted texts") func carriageReturns() async throws {
    let outcome = try await script(
      "# a comment\r", "set a 1\r", "set \\\r", "b 'x\r", "y'\r", "set c {\"d\":\r", "2} --json\r",
      "get a b c --format json\r")
    #expect(outcome.lines == ["\"1\"", #""x\r\ny""#, #"{"d":2}"#], "\(outcome)")
  }

  @Test("A line with a zero byte is refused, since it would be another key") func refusesZeroBytes() async throws {
    let outcome = try await script("set a\0b 1")
    #expect(outcome.status == 64 && outcome.error.contains("U+0000"), "\(outcome.error)")
    #expect(!FileManager.default.fileExists(atPath: kvtool.database.path))
    #expect(try await script("help use", "help get").output.contains("USAGE: kvtool get"))
  }

  // MARK: Transactions

  @Test("The commands of a transaction see each other, and other programs see them after the commit")
  func commitsTogether() async throws {
    try await kvtool("set", "a", "1", "--int")
    let outcome = try await script(
      "begin", "incr a", "set b 'x y'", "rename b c", "get a c", "keys", "delete a", "count", "get a --default none",
      "commit", "keys")
    #expect(outcome.error.isEmpty && outcome.status == 0)
    #expect(outcome.lines == ["2", "2", "x y", "a", "c", "1", "none", "c"])
    // One commit, although each command has run several times.
    let log = try await kvtool("log", "--after", "1")
    #expect(Set(log.lines.map { $0.prefix { $0 != " " } }) == ["2"], "\(log.output)")
  }

  @Test("What a transaction printed about lifetimes, or in another namespace, is no conflict at its commit")
  func repeatsWithoutConflict() async throws {
    let outcome = try await script(
      "set e 1 --ttl 1h", "begin", "ttl e", "ttl e 2h", "set f 2 --ttl 3h", "get e f --format ndjson",
      "keys --long --format json", "get missing --default none", "use other", "set g 3", "commit", "use", "keys")
    #expect(outcome.error.isEmpty && outcome.status == 0, "\(outcome)")
    #expect(outcome.lines.suffix(3) == ["none", "e", "f"])
    #expect(try await kvtool("keys", "-n", "other").lines == ["g"])
  }

  @Test("Keys and objects change in one transaction") func changesObjects() async throws {
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait([MyGame.Sample.Monster.self, Club.Member.self]) { txn in
      try txn.insert(MyGame.Sample.Monster(name: "Ada", color: .red, hp: 1))
      try txn.insert(Club.Member(number: 1, email: "1@", card: 1))
    }
    await workspace.shutdown()
    let outcome = try await script(
      "begin", "insert Monster {\"name\": \"Bob\", \"hp\": 3}", "update Monster {\"hp\": 5} --where 'name == \"Ada\"'",
      "query Monster --where 'hp > 2' --count", "delete --from Member --all", "set last Bob",
      "query Member --count", "commit", "query Monster --where 'hp == 5' --count", "query Member --count", "get last")
    #expect(outcome.error.isEmpty && outcome.status == 0)
    #expect(outcome.lines == ["1", "1", "2", "1", "0", "1", "0", "Bob"])
    #expect(try await kvtool("check").status == 0)
  }

  @Test(
    "Nothing is committed after 'abort', at the end of the input, and after a failure",
    arguments: [
      (["abort", "get a"], 2, "no such key"), ([], 1, "within a transaction, which was aborted"),
      (["get b"], 2, "the transaction was aborted"), (["nonsense"], 64, "the transaction was aborted"),
      (["set n x --int"], 1, "the transaction was aborted"), (["log"], 64, "can't be a part of a transaction"),
      (["begin"], 64, "a transaction has begun"), (["get a --db other.db"], 64, "leave out --db"),
      (["set n 1 --if-value 2"], 3, "nothing was written"),
      (["set n 1 --seal-key-fd 3"], 64, "give --seal-key-fd to 'kvtool shell'"),
      (["get a --timeout=1"], 64, "give --timeout to 'kvtool shell'"),
      (["incr n --create"], 64, "give --create to 'kvtool shell'"),
    ])
  func abortsTransactions(lines: [String], status: Int32, error: String) async throws {
    try await kvtool("set", "kept", "1")
    let text = (["begin", "set a 1"] + lines).map { $0 + "\n" }.joined()
    let outcome = try await kvtool.run(["shell"], input: Data(text.utf8))
    #expect(outcome.status == status && outcome.error.contains(error), "\(outcome)")
    #expect(try await kvtool("keys").lines == ["kept"])
  }

  @Test("The commit and abort commands need a transaction", arguments: ["commit", "abort"])
  func needsATransaction(command: String) async throws {
    let outcome = try await script(command)
    #expect(outcome.status == 64 && outcome.error.contains("there is no transaction"))
  }

  @Test("A transaction creates a missing file") func createsTheFile() async throws {
    #expect(try await script("begin", "incr visits", "commit", "get visits").lines == ["1", "1"])
  }

  @Test(
    "A missing folder is created if the shell has --create",
    arguments: [
      (["set a 1", "get a"], "1"), (["begin", "incr a", "commit", "get a"], "1"),
      (["-n x set a 1", "-n x get a"], "1"), (["set -- a --create", "get a"], "--create"),
    ])
  func createsTheFolder(lines: [String], value: String) async throws {
    let path = kvtool.folder.path + "/new/folder/a.db"
    let text = Data(lines.map { $0 + "\n" }.joined().utf8)
    let refused = try await kvtool.run(["shell", "--db", path], input: text)
    #expect(refused.status == 1 && refused.error.contains("create it with --create"), "\(refused)")
    let outcome = try await kvtool.run(["shell", "--db", path, "--create"], input: text)
    #expect(outcome.status == 0 && outcome.lines.last == value, "\(outcome)")
  }

  @Test("A value that is an option's name stays in the transaction, and help doesn't end it")
  func readsValues() async throws {
    let outcome = try await script("begin", "set -- note --help", "get --help", "abort", "keys")
    #expect(outcome.status == 0 && outcome.output.contains("USAGE: kvtool get"), "\(outcome)")
    #expect(try await kvtool("keys").output.isEmpty)
  }

  // MARK: Terminals

  /// A shell on a terminal.
  private func onTerminal(
    _ body: (InteractiveTool) async throws -> Void, arguments: [String] = ["shell"]
  ) async throws -> String {
    let tool = try kvtool.startOnTerminal(arguments)
    try await body(tool)
    #expect(await tool.status() == 0)
    return tool.shown
  }

  @Test("On a terminal, lines are edited, completed and remembered") func editsLines() async throws {
    try await kvtool("set", "volume", "0.5", "--double")
    let prompt = "test.db> "
    _ = try await onTerminal { tool in
      await tool.wait(for: prompt)
      try tool.type("ge\tvol\t\n")
      await tool.wait(for: "0.5\n")
      await tool.wait(for: prompt)
      // A line goes on.
      try tool.type("set text 'a\n")
      await tool.wait(for: "... ")
      try tool.type("b'\n")
      await tool.wait(for: prompt)
      try tool.type("begin\nset volume 0.75\n")
      await tool.wait(for: "test.db (1)> ")
      try tool.type("commit\n")
      await tool.wait(for: prompt)
      try tool.type("exit\n")
    }
    #expect(try await kvtool("get", "volume").output == "0.75\n")
    #expect(try await kvtool("get", "text").output == "a\nb\n")
    // The arrow reaches the last command of the shell before.
    _ = try await onTerminal { tool in
      await tool.wait(for: prompt)
      try tool.type("\u{1B}[A")
      await tool.wait(for: "exit")
      try tool.type("\u{15}get volume\n")
      await tool.wait(for: "0.75\n")
      await tool.wait(for: prompt)
      try tool.type("exit\n")
    }
  }

  @Test("The tool alone on a terminal is the shell, and an open transaction is aborted at its end")
  func isTheDefault() async throws {
    try await kvtool("set", "a", "1")
    let shown = try await onTerminal(
      { tool in
        await tool.wait(for: "> ")
        try tool.type("help\n")
        await tool.wait(for: "Commands of kvtool:")
        await tool.wait(for: "> ")
        try tool.type("begin\nset a 2\n")
        await tool.wait(for: "(1)> ")
        try tool.type("get nothing\n")
        await tool.wait(for: "no such key")
        await tool.wait(for: "(2)> ")
        try tool.type("exit\n")
        await tool.wait(for: "the transaction was aborted")
      }, arguments: [])
    #expect(shown.contains("begin") && shown.contains("subscribe"))
    #expect(try await kvtool("get", "a").output == "1\n")
  }
}
