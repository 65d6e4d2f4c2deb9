import DflatKV
import Testing

@testable import kvtool

/// The command line and the output.
@Suite struct CommandLineTests {
  @Test(
    "A command line is normalized to begin with the command and to mark negative numbers",
    arguments: [
      (["--db", "f", "get", "k"], ["get", "--db", "f", "k"]),
      (["--db=f", "-n", "x", "get", "k"], ["get", "--db=f", "-n", "x", "k"]),
      (["get", "k", "--db", "f"], ["get", "k", "--db", "f"]),
      (["--version"], ["--version"]), (["--db"], ["--db"]), ([], []),
      (["incr", "k", "-1", "--", "-2"], ["incr", "k", "\u{0}-1", "--", "-2"]),
      (["set", "k", "-1.5e3", "-n", "-x"], ["set", "k", "\u{0}-1.5e3", "-n", "-x"]),
      (["query", "T", "--where", "-1 < a"], ["query", "T", "--where", "\u{0}-1 < a"]),
      (["del", "--prefix", "-ab", "-cd"], ["del", "--prefix", "\u{0}-ab", "-cd"]),
      (["get", "--no-newline", "-ab"], ["get", "--no-newline", "-ab"]),
      (["get", "k", "--default", "--format", "-ab"], ["get", "k", "--default", "--format", "\u{0}-ab"]),
    ])
  func normalizesTheCommandLine(arguments: [String], expected: [String]) {
    #expect(KVTool.normalized(arguments) == expected)
  }

  @Test(
    "A command line without a command has nothing but options of all commands",
    arguments: [
      ([], true), (["--db", "f"], true), (["--db=f", "-n", "x"], true), (["--db"], true), (["get"], false),
      (["--db", "f", "get"], false), (["--version"], false), (["--db", "f", "--help"], false), (["f"], false),
    ] as [([String], Bool)])
  func withoutCommand(arguments: [String], expected: Bool) {
    #expect(CommandLineArguments.nameNoCommand(arguments) == expected)
  }

  @Test("A text argument is read without the mark of a negative number") func takesTheMarkOffAValue() {
    #expect(TextArgument(argument: "\u{0}-1").text == "-1")
    #expect(TextArgument(argument: "-").text == "-")
  }

  @Test("The database's path comes from the option, the environment or the home folder")
  func findsTheDatabase() throws {
    let home = ["HOME": "/home/me"]
    #expect(try DatabaseLocation.path(option: "a.db", environment: ["KVTOOL_DB": "b.db"]) == "a.db")
    #expect(try DatabaseLocation.path(option: nil, environment: ["KVTOOL_DB": "b.db"]) == "b.db")
    #expect(try DatabaseLocation.path(option: nil, environment: home) == "/home/me/.local/share/kvtool/default.db")
    let data = ["XDG_DATA_HOME": "/data", "KVTOOL_DB": ""].merging(home) { first, _ in first }
    #expect(try DatabaseLocation.path(option: nil, environment: data) == "/data/kvtool/default.db")
    let relative = ["XDG_DATA_HOME": "data"].merging(home) { first, _ in first }
    #expect(try DatabaseLocation.path(option: nil, environment: relative).hasPrefix("/home/me/"))
    #expect(throws: ToolError.self) { try DatabaseLocation.path(option: nil, environment: [:]) }
  }

  @Test("A value that begins with '-' isn't taken for the help", arguments: ["-high", "-1h", "-rfh"])
  func joinedFlags(value: String) async throws {
    let kvtool = try KVToolRunner()
    for command in [["set", "k", value], ["exists", value], ["incr", "k", value], ["get", value, "k"]] {
      let refused = try await kvtool.run(command)
      #expect(refused.status == 64 && refused.output.isEmpty && refused.error.contains("'--'"), "\(refused)")
    }
    #expect(try await kvtool("set", "k", "--", value).status == 0)
    #expect(try await kvtool("get", "k").output == value + "\n")
    #expect(try await kvtool("get", "-h").output.hasPrefix("OVERVIEW: "))
  }

  @Test("An option's value may begin with '-'") func valuesOfOptions() async throws {
    let kvtool = try KVToolRunner()
    #expect(try await kvtool("set", "k", "--", "-abc").status == 0)
    #expect(try await kvtool("set", "k", "{\"-ab\": 1}", "--json", "--if-value", "-abc").status == 0)
    #expect(try await kvtool("get", "k", "--path", "-ab").output == "1\n")
    #expect(try await kvtool("get", "none", "--default", "-high").output == "-high\n")
    #expect(try await kvtool("get", "none", "--default=-h").output == "-h\n")
    // These could be flags.
    for value in ["-x", "--all"] {
      let refused = try await kvtool("get", "none", "--default", value)
      #expect(refused.status == 64 && refused.error.contains("write --default=VALUE"), "\(refused)")
      #expect(try await kvtool("get", "none", "--default=\(value)").output == value + "\n")
    }
  }

  @Test("An option that takes one value can't be given twice") func repeatedOptions() async throws {
    let kvtool = try KVToolRunner()
    for key in ["a1", "b1"] { try await kvtool("set", key, "1") }
    for command in [
      ["delete", "--prefix", "a", "--prefix", "b"], ["get", "x", "--default", "1", "--default=2"],
      ["keys", "-n", "", "-n", "n"],
    ] {
      let refused = try await kvtool.run(command)
      #expect(refused.status == 64 && refused.output.isEmpty && refused.error.contains("twice"), "\(refused)")
    }
    #expect(try await kvtool("keys").lines == ["a1", "b1"])
    #expect(try await kvtool("set", "k", "--", "--prefix", "--prefix").status == 64)
    #expect(try await kvtool("set", "k", "--", "--prefix").status == 0)
  }

  @Test(
    "The message about an invalid value says what is valid",
    arguments: [
      (["set", "k", "v", "--ttl", "0"], "1h30m"), (["keys", "--limit", "few"], "whole number"),
      (["query", "T", "--order", "a:down"], ":asc"), (["get", "k", "--path", "w[a]"], "frame[0]"),
      (["get", "k", "--timeout", "1e99"], "seconds"), (["get", "k", "--seal-key-fd", "x"], "descriptor"),
      (["top", "--interval", "abc"], "seconds from 0.1"), (["log", "--after", "x"], "number of a commit"),
      (["web", "--port", "-1"], "from 0 to 65535"), (["get", "k", "--flatbuffers-limit", "x"], "number of bytes"),
      (["replaced", "x"], "42.1"), (["keys", "--limit", "9223372036854775808"], "from 0 to 9223372036854775807"),
      (["query", "T", "--offset", "-1"], "from 0 to 9223372036854775807"),
      (["log", "--after", "9223372036854775808"], "from 0 to 9223372036854775807"),
      (["get", "k", "--timeout", "1000000001"], "from 0 to 1000000000"),
      (["subscribe", "k", "--for", "2000w"], "from 0 to 1000000000"),
      (["top", "--interval", "1e10"], "from 0.1 to 1000000000"),
    ] as [([String], String)])
  func invalidValues(command: [String], form: String) async throws {
    let refused = try await KVToolRunner().run(command)
    #expect(refused.status == 64 && refused.error.contains(form), "\(refused)")
  }

  @Test("The message about each option and argument that refuses a value says what is valid") func allInvalidValues() {
    func requireForms(_ command: CommandCatalog.Command, _ names: [String]) {
      for text in ["?", ",", "["] {
        let values = Array(repeating: text, count: command.arguments.count)
        for arguments in command.options.filter({ $0.valueName != nil }).map({ ["\($0.names[0])=\(text)"] }) + [values]
        {
          do { _ = try KVTool.parseAsRoot(names + arguments) } catch {
            let message = KVTool.message(for: error)
            guard message.contains("is invalid for '") else { continue }
            let isExplained = InvalidValueAdvice.advice(for: message) != nil || message.contains("Please provide")
            #expect(isExplained, "\(names + arguments): \(message)")
          }
        }
      }
      for subcommand in command.subcommands { requireForms(subcommand, names + subcommand.names.prefix(1)) }
    }
    for command in KVTool.catalog.commands { requireForms(command, Array(command.names.prefix(1))) }
  }

  @Test(
    "A time is a number of seconds, or has units",
    arguments: [
      ("0", 0), ("0.5", 0.5), ("500ms", 0.5), ("1s", 1), ("1m30s", 90), ("s", nil), ("1x", nil), ("-1s", nil),
      ("1e99", nil), ("nan", nil), ("", nil),
    ] as [(String, Double?)])
  func times(text: String, seconds: Double?) {
    #expect(SecondsArgument(argument: text)?.seconds == seconds)
  }

  @Test(
    "The message about an argument that a command doesn't have says what to write",
    arguments: [
      (["check", "--json"], "use --format json."), (["keys", "--json"], "use --format json."),
      (["query", "Post", "--csv"], "use --format csv."), (["keys", "--yaml"], "Unknown option '--yaml'."),
      (["count", "Post"], "'kvtool query TYPE --count'"), (["stats", "Post"], "Unexpected argument 'Post'."),
    ] as [([String], String)])
  func unexpectedArguments(command: [String], advice: String) async throws {
    let refused = try await KVToolRunner().run(command)
    #expect(refused.status == 64 && refused.output.isEmpty && refused.error.contains(advice), "\(refused)")
  }

  @Test("A condition and all objects exclude each other") func conditionAndAll() async throws {
    let refused = try await KVToolRunner()("update", "Post", "{}", "--all", "--where", "stars > 3")
    #expect(refused.status == 64 && refused.error.contains("exclude each other"), "\(refused)")
  }

  @Test(
    "Deleting objects takes no keys, and one choice of objects",
    arguments: [
      (["k", "--where", "a > 1"], "leave out keys"), (["--all", "--where", "a > 1"], "either --where"),
      ([], "either --where"),
    ] as [([String], String)])
  func deletingObjects(arguments: [String], message: String) async throws {
    let refused = try await KVToolRunner().run(["delete", "--from", "Post"] + arguments)
    #expect(refused.status == 64 && refused.error.contains(message), "\(refused)")
  }

  @Test("All namespaces and one of them exclude each other", arguments: ["export", "replaced"])
  func namespacesExcludeEachOther(command: String) async throws {
    let kvtool = try KVToolRunner()
    try await kvtool("set", "a", "1", "-n", "n")
    let outcome = try await kvtool(command, "--all-namespaces", "-n", "n")
    #expect(outcome.status == 64 && outcome.output.isEmpty && outcome.error.contains("exclude each other"))
  }

  @Test("An error message stays on one line") func messagesStayOneLine() {
    #expect(StandardError.singleLine("a\nb\r\nc\u{1B}[31m") == "a b c[31m")
    #expect(ToolError.keysAbsent(["a\nb"], in: "").message == "no such key: \"a\\nb\"")
  }

  @Test(
    "An error's code determines the exit status",
    arguments: [
      (WorkspaceError.Code.busy, ToolExitStatus.busy), (.notADatabase, .unreadableFile), (.corrupt, .unreadableFile),
      (.newerFormat, .unreadableFile), (.foreignDatabase, .unreadableFile), (.noSuchFile, .otherError),
    ])
  func mapsErrorsToExitCodes(code: WorkspaceError.Code, status: ToolExitStatus) {
    #expect(ToolExitStatus(code) == status)
  }

  @Test("The manual has every command, and every command has an example") func manualHasEveryCommand() {
    let page = ManualPage.text()
    for command in KVTool.configuration.subcommands where command.configuration.shouldDisplay {
      #expect(page.contains("\n.SS \(command.configuration.commandName ?? "?")\n"))
      #expect(command.configuration.discussion.contains("Example:\n  kvtool "))
    }
    #expect(ManualPage.escaped(".a\\b\n'c\n-d") == "\\&.a\\eb\n\\&'c\n\\-d")
  }

  @Test(
    "A word that is no command is compared with the commands and with those of other tools",
    arguments: [
      ("kyes", "keys"), ("gte", "get"), ("subscirbe", "subscribe"), ("deltee", "delete"), ("rm", "delete"),
      ("put", "set"), ("list", "keys"), ("frobnicate", nil), ("foo", nil), ("expire", "ttl"), ("x", nil), ("", nil),
    ] as [(String, String?)])
  func suggestsCommands(word: String, expected: String?) {
    let names = KVTool.configuration.subcommands.compactMap { $0.configuration.commandName }
    #expect(CommandSuggestion.command(for: word, among: names) == expected)
  }

  @Test("Long texts in messages are shortened") func shortensLongTexts() {
    #expect(shortened("123") == "123")
    #expect(shortened(String(repeating: "7", count: 500)) == String(repeating: "7", count: 40) + "… (500 characters)")
  }

  @Test("The message about an export names everything that is left out") func namesWhatAnExportLeavesOut() {
    #expect(ExportRemainder(namespaces: [], objects: []).message == nil)
    let remainder = ExportRemainder(
      namespaces: ["", "a"], objects: [.init(table: "post", count: 1), .init(table: "tag", count: nil)])
    #expect(
      remainder.message == """
        the export leaves out namespaces "", "a" (see --all-namespaces), and 1 object of "post", the objects of "tag" \
        ('kvtool backup' copies them)
        """)
    #expect(
      ExportRemainder(namespaces: [], objects: [], replacedCount: 1).message
        == "the export leaves out 1 replaced value ('kvtool backup' copies them)")
  }

  @Test("A table of text aligns its columns") func alignsColumns() {
    let lines = TextTable.lines([["a", "10", "x y"], ["bcd", "7", "z"]], alignments: [.left, .right, .none])
    #expect(lines == ["a    10  x y", "bcd   7  z"])
  }

  @Test("An event is formatted as a line of text or JSON") func formatsEvents() throws {
    let record = { (event: DictionaryChange.Event, value: StoredValue?) in
      ValueRecord(event: event, key: "k", namespace: "n", value: value, commitNumber: 7)
    }
    let text = EventFormatter(.auto, isTerminal: false)
    #expect(try text.line(record(.updated, .double(0.8))) == "k = 0.8")
    #expect(try text.line(record(.updated, .string("a b"))) == "k = a b")
    #expect(try text.line(record(.updated, .string("a\nb"))) == "k = \"a\\nb\"")
    #expect(try text.line(record(.deleted, nil)) == "k deleted")
    #expect(try text.line(record(.initial, nil)) == nil)
    #expect(try EventFormatter(.auto, isTerminal: true).line(record(.updated, .string("a"))) == "k = \"a\"")
    let json = EventFormatter(.ndjson, isTerminal: false)
    #expect(
      try json.line(record(.updated, .int(5)))
        == #"{"commit":7,"event":"updated","key":"k","namespace":"n","type":"int","value":5}"#)
    #expect(
      try json.line(record(.deleted, nil))
        == #"{"commit":7,"event":"deleted","key":"k","namespace":"n","type":null,"value":null}"#)
  }

  @Test("An error in an operation names its line") func operationsNameTheirLine() throws {
    let lines = "{\"op\":\"set\",\"key\":\"a\",\"value\":1}\n\n{\"op\":\"jump\",\"key\":\"a\"}\n"
    #expect(
      throws: ToolError(.otherError, "line 3: \"jump\" is not an operation: use set, delete, incr or expect")
    ) {
      try TransactionOperation.parseLines(Array(lines.utf8))
    }
    for line in [
      #"5"#, #"{"#, #"{"op":"set","key":"a"}"#, #"{"op":"delete"}"#, #"{"op":"incr","key":"a","by":"x"}"#,
      #"{"op":"delete","key":"a","vlaue":1}"#, #"{"op":"set","key":"a","value":1,"type":"long"}"#,
    ] {
      #expect(throws: ToolError.self) { try TransactionOperation.parseLines(Array(line.utf8)) }
    }
  }
}
