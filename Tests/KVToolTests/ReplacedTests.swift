import DflatKV
import Foundation
import TestSupport
import Testing

/// Replaced values in the shell.
@Suite(.timeLimit(.minutes(15))) struct ReplacedTests {
  let kvtool: KVToolRunner

  init() async throws {
    kvtool = try KVToolRunner()
    try await kvtool("set", "look", #"{"theme": "dark"}"#, "--json")
    try await kvtool("set", "look", "dark", "--string")
    try await kvtool("set", "k", "1", "--int", "-n", "n")
    try await kvtool("set", "k", "text", "--string", "-n", "n")
  }

  /// Returns the lines of the list, without their times.
  private func list(_ arguments: String...) async throws -> [String] {
    try await kvtool.run(["replaced"] + arguments).lines.map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words.prefix(1) + words.dropFirst(2)).joined(separator: " ")
    }
  }

  @Test("The replaced command lists a namespace's values, or all") func lists() async throws {
    let size = try await kvtool("replaced").lines.first.map { $0.split(separator: " ")[3] }.map(String.init) ?? ""
    #expect(try await list() == ["2.1 plist \(size) look"])
    #expect(try await list("-n", "n") == ["4.1 int 8 k"])
    #expect(try await list("--all-namespaces") == ["4.1 int 8 \"n\" k", "2.1 plist \(size) \"\" look"])
    #expect(try await list("-n", "none") == [])
    #expect(try await kvtool("check").output == "ok\n")
  }

  @Test("The replaced command prints values, and one JSON document") func prints() async throws {
    #expect(try await kvtool("replaced", "2.1", "4.1").output == "{\"theme\":\"dark\"}\n1\n")
    let outcome = try await kvtool("replaced", "--format", "json")
    #expect(try JSONSerialization.jsonObject(with: outcome.bytes) is [Any])
    for member in [
      #""id":"2.1""#, #""key":"look""#, #""namespace":"""#, #""type":"plist""#, #""value":{"theme":"dark"}"#,
      #""commit":2"#, #""time":"2"#,
    ] {
      #expect(outcome.output.contains(member), "\(member) in \(outcome.output)")
    }
    #expect(!outcome.output.contains("4.1"))
    #expect(try await kvtool("replaced", "-n", "none", "--format", "json").output == "[]\n")
  }

  @Test("The replaced command restores values in one transaction") func restores() async throws {
    let refused = try await kvtool("replaced", "2.1", "9.9", "--restore")
    #expect(refused.status == 2 && refused.error.contains("no such replaced value: 9.9"), "\(refused)")
    #expect(try await kvtool("get", "look").output == "dark\n")
    let restored = try await kvtool("replaced", "2.1", "4.1", "--restore")
    #expect(restored.status == 0 && restored.output.isEmpty && restored.error.isEmpty)
    #expect(try await kvtool("get", "look").output == "{\"theme\":\"dark\"}\n")
    #expect(try await kvtool("get", "k", "-n", "n").output == "1\n")
    #expect(try await list() == ["5.1 string 4 look"])
  }

  @Test("An ID that is given twice counts once") func removesOnce() async throws {
    #expect(try await kvtool("replaced", "2.1", "2.1", "--remove").status == 0)
    #expect(try await list() == [])
  }

  @Test("Two values of one key are not restored together") func restoresOneOfEachKey() async throws {
    try await kvtool("set", "k", "1.5", "--double", "-n", "n")
    for ids in [["4.1", "5.1"], ["5.1", "2.1", "5.1"]] {
      let refused = try await kvtool.run(["replaced"] + ids + ["--restore"])
      #expect(refused.status == 64 && refused.error.contains("\"k\""), "\(refused)")
    }
    #expect(try await list("--all-namespaces").count == 3)
    #expect(try await kvtool("get", "k", "-n", "n").output == "1.5\n")
    #expect(try await kvtool("replaced", "4.1", "5.1").output == "1\ntext\n")
  }

  @Test("Imports, renames and transactions keep the values of other types that they replace") func mistakes()
    async throws
  {
    for name in ["a", "b", "c"] { try await kvtool("set", name, "text", "--string") }
    try await kvtool("set", "a", "1", "--int", "--db", "other.db")
    let export = try await kvtool("export", "--db", "other.db")
    #expect(try await kvtool("import", "-", input: export.bytes).status == 0)
    try await kvtool("set", "number", "2", "--int")
    #expect(try await kvtool("rename", "number", "b", "--force").status == 0)
    let line = #"{"op":"set","key":"c","type":"int","value":3}"#
    #expect(try await kvtool("txn", input: Data(line.utf8)).status == 0)
    #expect(try await kvtool("get", "a", "b", "c").output == "1\n2\n3\n")
    let texts = try await list().filter { $0.contains(" string ") }
    #expect(texts.map { $0.suffix(1) } == ["c", "b", "a"])
    let ids = texts.compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(try await kvtool.run(["replaced"] + ids).output == "text\ntext\ntext\n")
  }

  @Test("The replaced command removes values for good") func removes() async throws {
    #expect(try await kvtool("replaced", "2.1", "9.9", "--remove").status == 2)
    #expect(try await kvtool("replaced", "2.1", "--remove").status == 0)
    #expect(try await list("--all-namespaces").count == 1)
    #expect(try await kvtool("replaced", "2.1").status == 2)
    #expect(try await kvtool("get", "look").output == "dark\n")
  }

  @Test(
    "A wrong command line is a usage error",
    arguments: [
      ["--restore"], ["--remove"], ["1.1", "--restore", "--remove"], ["1"], ["x"], ["1.1", "--format", "xml"],
    ])
  func usage(arguments: [String]) async throws {
    let outcome = try await kvtool.run(["replaced"] + arguments)
    #expect(outcome.status == 64 && outcome.error.filter(\.isNewline).count == 1, "\(outcome)")
  }

  @Test("Values that can't be read are listed, and can't be restored") func unreadable() async throws {
    try RawDatabase.execute("UPDATE dflat_replaced SET type = 99 WHERE namespace = ''", on: kvtool.database.path)
    #expect(try await list().first?.hasPrefix("2.1 unknown ") == true)
    #expect(try await kvtool("replaced", "--format", "json").output.contains(#""type":null,"value":null"#))
    for arguments in [["2.1"], ["2.1", "--restore"]] {
      let outcome = try await kvtool.run(["replaced"] + arguments)
      #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.error.contains("look"), "\(outcome)")
    }
  }

  @Test("Statistics count the values, and exports say that they leave them out") func elsewhere() async throws {
    let lines = try await kvtool("stats").lines.map { $0.split(separator: " ").map(String.init) }
    #expect(lines.contains(["replaced", "values", "2"]))
    let statistics = try await kvtool("stats", "--format", "json").output
    #expect(statistics.contains(#""replacedValues":2"#) && statistics.contains(#""replacedBytes":"#))
    let export = try await kvtool("export", "--all-namespaces")
    #expect(export.error == "kvtool: the export leaves out 2 replaced values ('kvtool backup' copies them)\n")
    // An import of the values that are there replaces none.
    #expect(try await kvtool("import", "-", input: export.bytes).status == 0)
    #expect(try await list("--all-namespaces").count == 2)
    #expect(try await kvtool("backup", "copy.db").status == 0)
    #expect(try await list("--all-namespaces", "--db", "copy.db").count == 2)
  }
}
