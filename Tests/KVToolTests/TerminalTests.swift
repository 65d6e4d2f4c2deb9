import Foundation
import Testing

/// The tool's output on a terminal.
@Suite(.timeLimit(.minutes(15))) struct TerminalTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  @Test(
    "Characters that reverse or hide text are escaped on a terminal, and unchanged in a pipe",
    arguments: [
      ("user\u{202E}nimda", #"user\u202enimda"#), ("a\u{200B}b", #"a\u200bb"#),
      ("a\u{2066}b\u{2069}", #"a\u2066b\u2069"#),
      ("\u{FEFF}a", #"\ufeffa"#), ("a\u{AD}b", #"a\u00adb"#), ("a\u{E0041}", #"a\udb40\udc41"#),
    ])
  func escapesHiddenCharacters(text: String, escaped: String) async throws {
    try await kvtool("set", text, text)
    #expect(try await kvtool.onTerminal("get", text).output == "\"\(escaped)\"\n")
    #expect(try await kvtool.onTerminal("keys").output == "\"\(escaped)\"\n")
    #expect(
      try await kvtool.onTerminal("subscribe", text, "--count", "1").output == "\"\(escaped)\" = \"\(escaped)\"\n")
    #expect(try await kvtool("get", text).output == text + "\n")
    #expect(try await kvtool("keys").output == text + "\n")
    // Standard error may be a terminal, too.
    #expect(try await kvtool("get", text + "x").error.contains("\"\(escaped)x\""))
    // The escaped text is JSON for the same string.
    #expect(try JSONDecoder().decode([String].self, from: Data("[\"\(escaped)\"]".utf8)) == [text])
  }

  @Test("No two keys look the same on a terminal") func keysAreUnambiguous() async throws {
    let keys = ["", " ", "a", "a b", "a ", #""a""#, #"a"b"#, "a\nb", #"a\nb"#, "caf\u{e9}"]
    for key in keys {
      try await kvtool("set", key, "1")
    }
    let lines = try await kvtool.onTerminal("keys").lines
    #expect(
      lines == [
        "\"\"", #"" ""#, #""\"a\"""#, "a", #""a\nb""#, #""a ""#, #""a b""#, #""a\"b""#, #"a\nb"#, "caf\u{e9}",
      ])
    try await kvtool("set", "k", "1", "-n", "a b")
    #expect(try await kvtool.onTerminal("namespaces").lines == ["\"\"", #""a b""#])
  }

  @Test("The set and txn commands say what they wait for on a terminal") func hintsAreShown() async throws {
    let set = try await kvtool.onTerminal("set", "k", typed: "some text\n\u{4}")
    #expect(set.status == 0)
    #expect(set.error == "kvtool: reading the value of \"k\" from the terminal: end with Ctrl-D on a line of its own\n")
    #expect(try await kvtool("get", "k").output == "some text\n")
    let transaction = try await kvtool.onTerminal(
      "txn", typed: "{\"op\":\"set\",\"key\":\"n\",\"value\":1}\n\u{4}")
    #expect(transaction.status == 0)
    #expect(transaction.error.contains("Ctrl-D") && transaction.error.filter(\.isNewline).count == 1)
    #expect(try await kvtool("get", "n").output == "1\n")
    // A pipe gets no hint, and neither does a command that has its value.
    #expect(try await kvtool("set", "k", input: Data("text".utf8)).error.isEmpty)
    #expect(try await kvtool.onTerminal("set", "k", "text").error.isEmpty)
  }

  @Test("A list as JSON is indented on a terminal") func jsonIsIndented() async throws {
    try await kvtool("set", "a", "1")
    #expect(try await kvtool.onTerminal("keys", "--format", "json").output == "[\n  \"a\"\n]\n")
  }

  @Test("The aliases are commands, and a misspelled command is answered with the one that was meant")
  func aliasesAndSuggestions() async throws {
    try await kvtool("set", "a", "1")
    #expect(try await kvtool("ls").output == "a\n")
    #expect(try await kvtool("watch", "a", "--count", "1").output == "a = 1\n")
    #expect(try await kvtool("del", "a").status == 0)
    #expect(try await kvtool("ls").output.isEmpty)
    let misspelled = try await kvtool("subscirbe", "a")
    #expect(misspelled.status == 64)
    #expect(
      misspelled.error == "kvtool: There is no command 'subscirbe': did you mean 'subscribe'? See 'kvtool --help'.\n")
    let topic = try await kvtool("help", "subscirbe")
    #expect(topic.status == 64 && topic.error == misspelled.error)
    let help = try await kvtool("subscirbe", "--help")
    #expect(help.status == 64 && help.output.isEmpty && help.error == misspelled.error)
    let subcommand = try await kvtool("cluster", "stauts")
    #expect(subcommand.status == 64)
    let message = "There is no command 'cluster stauts': did you mean 'cluster status'? See 'kvtool cluster --help'."
    #expect(subcommand.error == "kvtool: \(message)\n")
    for arguments in [["cluster", "stauts", "--help"], ["help", "cluster", "stauts"]] {
      let refused = try await kvtool.run(arguments)
      #expect(refused.status == 64 && refused.output.isEmpty && refused.error == subcommand.error, "\(arguments)")
    }
    #expect(try await kvtool("help", "cluster", "status").output.contains("USAGE: kvtool cluster status"))
    #expect(try await kvtool("cluster", "--help").output.contains("USAGE: kvtool cluster"))
    let options = try await kvtool("--timeout", "1")
    #expect(options.status == 64 && options.error.contains("no command after the options"))
    #expect(try await kvtool("help", "get").output.hasPrefix("OVERVIEW: "))
    #expect(try await kvtool("ls", "--unknown").error.contains("See 'kvtool ls --help'."))
    #expect(try await kvtool("ls", "--prefx", "a").error.contains("--prefix"))
  }

  @Test("A number of a thousand digits is shortened in messages") func longNumbersAreShortened() async throws {
    let digits = String(repeating: "7", count: 1000)
    try await kvtool("set", "n", "1", "--int")
    for arguments in [
      ["set", "n", digits], ["incr", "n", digits], ["set", "n", "2", "--if-value", digits],
      ["keys", "--limit", digits],
      ["set", "p", digits, "--json"], ["set", "n", digits, "--type", "uint"], ["get", "n", "--timeout", digits],
    ] {
      let outcome = try await kvtool.run(arguments)
      #expect(outcome.status != 0 && outcome.error.count < 300, "\(arguments.prefix(2)): \(outcome.error)")
    }
  }
}
