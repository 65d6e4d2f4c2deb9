import Foundation
import Testing

@Suite(.timeLimit(.minutes(15))) struct EditingTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  private func fill(_ keys: String...) async throws {
    let lines = keys.map { "{\"op\":\"set\",\"key\":\"\($0)\",\"value\":1}\n" }.joined()
    #expect(try await kvtool("txn", input: Data(lines.utf8)).status == 0)
  }

  @Test("The delete command removes keys, a prefix or everything, and refuses absent keys")
  func deletes() async throws {
    try await fill("a", "b", "c", "p.1", "p.2")
    #expect(try await kvtool("delete", "a").status == 0)
    let refused = try await kvtool("delete", "a", "b")
    #expect(refused.status == 2 && refused.error.contains("\"a\""))
    #expect(try await kvtool("exists", "b").status == 0)
    #expect(try await kvtool("delete", "a", "b", "--force").status == 0)
    #expect(try await kvtool("delete", "--prefix", "p.").output == "2\n")
    #expect(try await kvtool("delete", "--prefix", "p.").output == "0\n")
    #expect(try await kvtool("keys").lines == ["c"])
    #expect(try await kvtool("delete", "--all").output == "1\n")
    #expect(try await kvtool("count").output == "0\n")
  }

  @Test("The delete command removes all keys of one namespace only") func deletesInOneNamespaceOnly() async throws {
    try await fill("a")
    try await kvtool("set", "a", "1", "-n", "other")
    #expect(try await kvtool("namespaces").output == "\nother\n")
    try await kvtool("delete", "--all", "-n", "other")
    #expect(try await kvtool("namespaces").output == "\n")
    #expect(try await kvtool("exists", "a").status == 0)
  }

  @Test("The keys command lists keys in byte order, with a prefix, a limit or details") func listsKeys() async throws {
    try await fill("b", "a", "\u{e9}", "z", "p.2", "p.1", "B")
    #expect(try await kvtool("keys").lines == ["B", "a", "b", "p.1", "p.2", "z", "\u{e9}"])
    #expect(try await kvtool("keys", "--prefix", "p.").lines == ["p.1", "p.2"])
    #expect(try await kvtool("count", "--prefix", "p.").output == "2\n")
    #expect(try await kvtool("keys", "--limit", "2").lines == ["B", "a"])
    #expect(try await kvtool("keys", "--limit", "0").lines.isEmpty)
    #expect(try await kvtool("count").output == "7\n")
    let commit = try await kvtool("get", "z", "--format", "ndjson").output.prefix { $0 != "," }.drop { !$0.isNumber }
    let columns = try await kvtool("keys", "--long", "--prefix", "z").output.split(separator: " ").map(String.init)
    #expect(columns == ["int", "8", String(commit), "z\n"])
    #expect(try await kvtool("keys", "--prefix", "p.", "--format", "json").output == "[\"p.1\",\"p.2\"]\n")
    #expect(
      try await kvtool("keys", "--long", "--prefix", "z", "--format", "json").output
        == "[{\"bytes\":8,\"commit\":\(commit),\"key\":\"z\",\"type\":\"int\"}]\n")
    #expect(try await kvtool("keys", "--prefix", "none", "--format", "json").output == "[]\n")
  }

  @Test("A key with a line feed is listed on one line, and a key may be empty") func oddKeysStayOneLine() async throws {
    try await kvtool("set", "two\nlines", "1")
    #expect(try await kvtool("keys").output == "\"two\\nlines\"\n")
    #expect(try await kvtool("get", "two\nlines").output == "1\n")
    #expect(try await kvtool("set", "", "empty").status == 0)
    #expect(try await kvtool("get", "").output == "empty\n")
  }

  @Test("The incr command keeps a number's type and refuses overflow and other values") func increments() async throws {
    #expect(try await kvtool("incr", "n").output == "1\n")
    #expect(try await kvtool("incr", "n", "41").output == "42\n")
    #expect(try await kvtool("type", "n").output == "int\n")
    try await kvtool("set", "n", "9223372036854775807")
    let overflow = try await kvtool("incr", "n")
    #expect(overflow.status == 1 && overflow.error.contains("\"n\"") && overflow.output.isEmpty)
    #expect(try await kvtool("get", "n").output == "9223372036854775807\n")
    #expect(try await kvtool("incr", "hex", "0x10").status == 1)
    #expect(try await kvtool("incr", "d", "0.5").output == "0.5\n")
    #expect(try await kvtool("type", "d").output == "double\n")
    #expect(try await kvtool("incr", "d", "-0.25").output == "0.25\n")
    try await kvtool("set", "f", "0.5", "--float")
    #expect(try await kvtool("incr", "f", "0.25").output == "0.75\n")
    #expect(try await kvtool("type", "f").output == "float\n")
    // BY is no float: the sum with an infinity would be none either.
    try await kvtool("set", "infinite", "inf", "--float")
    #expect(try await kvtool("incr", "infinite", "-1e39").status == 1)
    #expect(try await kvtool("get", "infinite").output == "inf\n")
    // A whole number keeps its type, however it is spelled; with a fraction it becomes a double.
    try await kvtool("set", "w", "1", "--int")
    #expect(try await kvtool("incr", "w", "2.0").output == "3\n")
    #expect(try await kvtool("type", "w").output == "int\n")
    #expect(try await kvtool("incr", "w", "0.5").output == "3.5\n")
    #expect(try await kvtool("type", "w").output == "double\n")
    #expect(try await kvtool("incr", "n", "0.5").status == 1)
    try await kvtool("set", "u", "0", "--uint")
    #expect(try await kvtool("incr", "u", "-1").status == 1)
    try await kvtool("set", "s", "text")
    #expect(try await kvtool("incr", "s").status == 1)
    #expect(try await kvtool("incr", "n", "x").status == 1)
  }

  @Test("Increments by many processes all count") func incrementsOfManyProcessesAllCount() async throws {
    try await withThrowingTaskGroup(of: Int32.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<15 {
            let status = try await kvtool("incr", "shared", "--timeout", "60").status
            guard status == 0 else {
              return status
            }
          }
          return 0
        }
      }
      for try await status in group {
        #expect(status == 0)
      }
    }
    #expect(try await kvtool("get", "shared").output == "60\n")
  }

  @Test("The rename command replaces an existing key only with --force") func renames() async throws {
    try await fill("a", "b")
    try await kvtool("set", "a", "x", "--string")
    #expect(try await kvtool("rename", "a", "b").status == 3)
    #expect(try await kvtool("get", "a", "b").output == "x\n1\n")
    #expect(try await kvtool("rename", "a", "b", "--force").status == 0)
    #expect(try await kvtool("get", "b").output == "x\n")
    #expect(try await kvtool("exists", "a").status == 2)
    #expect(try await kvtool("rename", "a", "c").status == 2)
    #expect(try await kvtool("rename", "b", "b", "--force").status == 0)
    #expect(try await kvtool("get", "b").output == "x\n")
  }

  @Test("The txn command runs all of its operations or none") func transactionsAreAllOrNothing() async throws {
    try await kvtool("set", "owner", "nobody")
    let lines = """
      {"op":"expect","key":"owner","value":"nobody"}
      {"op":"expect","key":"absent","value":null}
      {"op":"set","key":"owner","value":"me"}
      {"op":"set","key":"level","type":"float","value":0.1}
      {"op":"set","key":"blob","type":"data","value":"AQID"}

      {"op":"incr","key":"claims","by":2}
      {"op":"incr","key":"claims"}
      {"op":"set","key":"gone","value":{"a":[1]}}
      {"op":"delete","key":"gone"}
      {"op":"set","key":"elsewhere","namespace":"n","value":true}

      """
    #expect(try await kvtool("txn", input: Data(lines.utf8)).status == 0)
    #expect(try await kvtool("get", "owner", "level", "claims").output == "me\n0.1\n3\n")
    #expect(try await kvtool("get", "blob").bytes == Data([1, 2, 3]))
    #expect(try await kvtool("exists", "gone").status == 2)
    #expect(try await kvtool("type", "elsewhere", "-n", "n").output == "bool\n")

    let refused = try await kvtool("txn", input: Data(lines.utf8))
    #expect(refused.status == 3)
    #expect(refused.error.contains("line 1") && refused.error.contains("\"owner\""))
    #expect(try await kvtool("get", "claims").output == "3\n")

    let broken = "{\"op\":\"set\",\"key\":\"owner\",\"value\":\"you\"}\n{\"op\":\"incr\",\"key\":\"owner\"}\n"
    let failed = try await kvtool("txn", input: Data(broken.utf8))
    #expect(failed.status == 1 && failed.error.contains("line 2"))
    #expect(try await kvtool("get", "owner").output == "me\n")
  }

  @Test(
    "The type json of an operation means what it means for the set command",
    arguments: [("7", "int"), (#""x""#, "string"), ("true", "bool"), (#"{"a": [1]}"#, "plist"), ("0.5", "double")])
  func jsonOperations(json: String, type: String) async throws {
    let lines = """
      {"op": "set", "key": "k", "value": \(json), "type": "json"}
      {"op": "expect", "key": "k", "value": \(json), "type": "json"}
      """
    #expect(try await kvtool("txn", input: Data(lines.utf8)).status == 0)
    #expect(try await kvtool("type", "k").output == "\(type)\n")
    try await kvtool("set", "other", json, "--json")
    #expect(try await kvtool("get", "k").output == kvtool("get", "other").output)
  }
}
