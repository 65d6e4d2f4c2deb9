import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

/// `check` and `repair` on files with objects, whose types the tool knows by their schemas in the file.
@Suite(.timeLimit(.minutes(15))) struct RepairTests {
  let kvtool: KVToolRunner
  private let schema: String

  init() throws {
    kvtool = try KVToolRunner()
    schema =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("GoldenModels/Schemas/member.fbs").path
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait([Club.Member.self]) { txn in
      for number: UInt64 in 1...3 { try txn.insert(Club.Member(number: number, email: "\(number)@")) }
    }
    workspace.shutdown()
  }

  private func damage(_ sql: String) throws {
    let connection = try Connection(path: kvtool.database.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute(sql)
    connection.close()
  }

  @Test("The check command names the types that it can't check without a schema")
  func saysWhatItDidNotLookAt() async throws {
    let known = try await kvtool("check")
    #expect(known.output == "ok\n" && known.error.isEmpty)
    try damage("DELETE FROM dflat_schema")
    let outcome = try await kvtool("check")
    #expect(outcome.output == "ok\n" && outcome.error.contains("club__member"))
    let whole = try await kvtool("check", "--schema", schema)
    #expect(whole.output == "ok\n" && whole.error.isEmpty)
    #expect(try await kvtool("repair").output == "nothing to repair\n")
  }

  @Test("The check command prints one JSON object with --format json") func printsProblemsAsJSON() async throws {
    let sound = try await kvtool("check", "--format", "json")
    #expect(sound.status == 0 && sound.error.isEmpty)
    #expect(
      sound.output == """
        {"file":"\(kvtool.database.path)","ok":true,"problems":[],"uncheckedTypes":[]}

        """)
    try damage("DELETE FROM club__member__f6 WHERE rowid = 2")
    let damaged = try await kvtool("check", "--format", "json")
    #expect(damaged.status == 5 && damaged.lines.count == 1 && damaged.error.contains("kvtool repair"))
    #expect(try JSONSerialization.jsonObject(with: damaged.bytes) is [String: Any])
    #expect(damaged.output.contains(#""ok":false,"problems":[{"isRepairable":true,"text":""#))
    #expect(damaged.output.contains("'f6' of 'club__member'"))
    try damage("DELETE FROM dflat_schema")
    #expect(try await kvtool("check", "--format", "json").output.contains(#""uncheckedTypes":["club__member"]"#))
  }

  @Test(
    "The repair command rebuilds a damaged or missing index",
    arguments: ["DELETE FROM club__member__f6 WHERE rowid = 2", "DROP TABLE club__member__f6"])
  func repairsIndexes(sql: String) async throws {
    try damage(sql)
    let check = try await kvtool("check")
    #expect(check.status == 5 && check.lines.count == 1 && check.output.contains("'f6' of 'club__member'"))
    #expect(check.error.contains("kvtool repair"))
    let repair = try await kvtool("repair")
    #expect(repair.status == 0 && repair.output == "Rebuilt the index 'f6' of 'club__member' from 3 rows.\n")
    #expect(try await kvtool("check").output == "ok\n")
  }

  /// Runs a script whose output nobody reads any more, and returns the status that it has in the end.
  private func statusWithClosedOutput(_ script: String) async throws -> String {
    // The first part waits until the second one has closed the pipe.
    try await kvtool.shell(
      "mkfifo go; { read _ < go; \(script); echo $? > status; } | { exec <&-; echo > go; }; cat status; rm go status"
    ).output
  }

  @Test(
    "Damage gives status 5 even if the output can't be written",
    arguments: [
      "check", "check --format json", "repair", "recover \"$KVTOOL_DB\" new.db", "query Member",
      "update Member '{\"balance\": 5}' --all", "delete --from Member --where 'note == \"x\"'",
    ])
  func damageWithoutOutput(command: String) async throws {
    // An index can be repaired, an object can't.
    try damage("DELETE FROM club__member__f6 WHERE rowid = 2; UPDATE club__member SET payload = x'00' WHERE rowid = 3")
    #expect(try await statusWithClosedOutput("kvtool \(command)") == "5\n")
    #if os(Linux)
      let full = try await kvtool.shell("rm -f new.db; kvtool \(command) 2>&1 > /dev/full; echo $?")
      #expect(full.lines.last == "5" && full.output.contains("cannot write to standard output"), "\(full.output)")
    #endif
  }

  #if os(Linux)
    @Test("A damaged object gives status 5 even if a subscription can't write the others")
    func damageInASubscription() async throws {
      try damage("UPDATE club__member SET payload = x'00' WHERE rowid = 3")
      let outcome = try await kvtool.shell("kvtool subscribe --query Member 2>&1 > /dev/full; echo $?")
      #expect(outcome.lines.last == "5", "\(outcome.output)")
      #expect(outcome.output.contains("cannot write to standard output"), "\(outcome.output)")
    }
  #endif

  @Test("An absent key gives status 2 even if nobody reads the others") func absentKeyWithoutOutput() async throws {
    try await kvtool("set", "a", "1")
    #expect(try await statusWithClosedOutput("kvtool get a b") == "2\n")
    #expect(try await statusWithClosedOutput("kvtool get a") == "0\n")
  }

  @Test("Help that can't be written is an error, and help that nobody reads isn't", arguments: ["--help", "--version"])
  func helpWithoutOutput(flag: String) async throws {
    #if os(Linux)
      let full = try await kvtool.shell("kvtool \(flag) 2>&1 > /dev/full; echo $?")
      #expect(full.lines.count == 2 && full.lines.last == "1" && full.output.contains("cannot write"), "\(full.output)")
    #endif
    #expect(try await statusWithClosedOutput("kvtool \(flag)") == "0\n")
  }

  @Test("The check and repair commands compare primary keys by the schema in the file", arguments: [true, false])
  func comparesKeys(isSchemaStored: Bool) async throws {
    try damage("UPDATE club__member SET __pk0 = 77 WHERE rowid = 2")
    if isSchemaStored {
      let check = try await kvtool("check")
      #expect(check.status == 5 && check.output.contains("key (number) of 1 row"))
      #expect(try await kvtool("repair").status == 0)
      #expect(try await kvtool("check").output == "ok\n")
      return
    }
    try damage("DELETE FROM dflat_schema")
    #expect(try await kvtool("check").status == 0)
    let check = try await kvtool("check", "--schema", schema)
    #expect(check.status == 5 && check.output.contains("key (number) of 1 row"))
    #expect(try await kvtool("repair", "--schema", schema).status == 0)
    #expect(try await kvtool("check", "--schema", schema).output == "ok\n")
  }

  @Test("The check command prints a damaged schema, and the repair command removes it")
  func damagedSchema() async throws {
    try damage("UPDATE dflat_schema SET schema = 'table'")
    let check = try await kvtool("check")
    #expect(check.status == 5 && check.output == "The stored schema of 'club__member' is damaged.\n")
    #expect(check.error.contains("kvtool repair"))
    let repair = try await kvtool("repair")
    #expect(repair.output == "Removed the stored schema of 'club__member', which was damaged.\n")
    #expect(try await kvtool("check", "--schema", schema).output == "ok\n")
  }

  @Test("The check and repair commands know the schemas of the dictionary's values")
  func dictionarySchemas() async throws {
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    workspace.dictionary["member"] = Club.Member(number: 9, email: "9@")
    try workspace.dictionary.synchronize()
    await workspace.shutdown()
    #expect(try await kvtool("check", "--schema", schema).output == "ok\n")
    try damage("UPDATE dflat_schema SET schema = 'table' WHERE table_name = 'dictionary:Club.Member'")
    let check = try await kvtool("check")
    #expect(check.status == 5)
    #expect(check.output == "The stored schema of the dictionary's 'Club.Member' is damaged.\n")
    let repair = try await kvtool("repair")
    #expect(repair.output == "Removed the stored schema of the dictionary's 'Club.Member', which was damaged.\n")
    #expect(try await kvtool("check", "--schema", schema).output == "ok\n")
  }

  @Test("A schema that contradicts the file's is no damage, and repairs nothing")
  func contradictingSchema() async throws {
    let other = kvtool.folder.appendingPathComponent("other.fbs")
    let text = try String(contentsOfFile: schema, encoding: .utf8).replacing("number: ulong", with: "number: uint")
    try Data(text.utf8).write(to: other)
    for command in ["check", "repair"] {
      let outcome = try await kvtool(command, "--schema", other.path)
      #expect(outcome.status != 0 && outcome.output.isEmpty)
      #expect(outcome.error.contains("'number' is 'uint' and was 'ulong'"), "\(outcome.error)")
    }
    #expect(try await kvtool("check", "--schema", schema).output == "ok\n")
  }

  @Test("The delete command removes and counts values of an unknown type, which no other command reads")
  func deletesValuesOfUnknownTypes() async throws {
    try await kvtool("set", "p.a", "1")
    try await kvtool("set", "p.b", "2")
    try damage("UPDATE dictionary SET type = 99 WHERE key = 'p.a'")
    #expect(try await kvtool("keys", "--prefix", "p.").status == 1)
    #expect(try await kvtool("delete", "--prefix", "p.").output == "2\n")
    #expect(try await kvtool("count").output == "0\n")
  }

  @Test("The delete command removes a named key whose value can't be read") func deletesUnreadableValues() async throws
  {
    for key in ["a", "ab", "b"] { try await kvtool("set", key, "1", "--int") }
    try damage(
      "UPDATE dictionary SET type = 99 WHERE key = 'a'; UPDATE dictionary SET value = x'00' WHERE key = 'b'")
    #expect(try await kvtool("check").status == 5)
    #expect(try await kvtool("get", "a").status == 1)
    #expect(try await kvtool("get", "b").status == 5)
    for (key, status) in [("a", Int32(0)), ("b", 0), ("c", 2)] {
      #expect(try await kvtool("exists", key).status == status)
    }
    #expect(try await kvtool("delete", "a", "b", "c").status == 2)
    #expect(try await kvtool("delete", "a", "b").status == 0)
    #expect(try await kvtool("delete", "a").status == 2)
    #expect(try await kvtool("keys").lines == ["ab"])
    #expect(try await kvtool("check").output == "ok\n")
    #expect(try await kvtool("replaced").output.isEmpty)
  }

  @Test("The txn command names the line with a value that can't be read") func namesTheLineOfAnUnreadableValue()
    async throws
  {
    try await kvtool("set", "a", "1")
    try damage("UPDATE dictionary SET type = 99 WHERE key = 'a'")
    let lines = #"{"op": "set", "key": "b", "value": 1}"# + "\n" + #"{"op": "incr", "key": "a"}"#
    let outcome = try await kvtool("txn", input: Data(lines.utf8))
    #expect(outcome.status == 1 && outcome.error.hasPrefix("kvtool: line 2: "), "\(outcome)")
    #expect(outcome.error.contains("'a'") && outcome.error.contains("99"), "\(outcome)")
    #expect(try await kvtool("exists", "b").status == 2)
  }

  @Test("The repair command leaves damaged objects alone and reports them") func leavesDamagedObjects() async throws {
    try damage("UPDATE club__member SET payload = x'00' WHERE rowid = 3; DELETE FROM club__member__f6 WHERE rowid = 1")
    #expect(try await kvtool("check").lines.count == 2)
    let repair = try await kvtool("repair")
    #expect(repair.status == 5 && repair.lines.count == 2, "\(repair)")
    #expect(repair.lines.last?.contains("Row 3 of 'club__member'") == true)
    #expect(repair.error.contains(kvtool.database.path))
  }

  @Test("The check command refuses a schema without objects") func refusesASchemaOfNoObjects() async throws {
    let file = kvtool.folder.appendingPathComponent("plain.fbs")
    try Data("table Plain { a: int; } root_type Plain;".utf8).write(to: file)
    let outcome = try await kvtool("check", "--schema", file.path)
    #expect(outcome.status == 64 && outcome.error.contains("Plain is not a type of stored objects"), "\(outcome)")
  }

  @Test("The check command advises a repair only if a repair helps") func advisesRepairOnlyWhereItHelps() async throws {
    try damage("UPDATE club__member SET payload = x'00' WHERE rowid = 3")
    let check = try await kvtool("check")
    #expect(check.status == 5 && check.lines.count == 1)
    #expect(!check.error.contains("kvtool repair") && check.error.contains("restore a backup"), "\(check)")
  }

  @Test("The check and repair commands compare and rebuild a full-text index", arguments: [true, false])
  func searchIndex(isMissing: Bool) async throws {
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait([Golden.Search.Article.self]) { txn in
      try txn.insert(Golden.Search.Article(id: 1, title: "red fox"))
      try txn.insert(Golden.Search.Article(id: 2, body: "grey wolf"))
    }
    await workspace.shutdown()
    #expect(try await kvtool("check").output == "ok\n")
    // The connections of this package protect the index's own tables, and refuse virtual ones.
    let table = "golden__search__article__search__f6___f8___f10"
    let damage = isMissing ? "DROP TABLE \(table)" : "UPDATE \(table)_content SET c0 = 'hen' WHERE id = 1"
    try RawDatabase.execute(damage, on: kvtool.database.path)
    let check = try await kvtool("check")
    #expect(check.status == 5 && check.lines.count == 1, "\(check)")
    #expect(check.output.contains("'search__f6___f8___f10' of 'golden__search__article'"), "\(check)")
    let repair = try await kvtool("repair")
    #expect(
      repair.output
        == "Rebuilt the full-text index 'search__f6___f8___f10' of 'golden__search__article' from 2 rows.\n")
    #expect(try await kvtool("check").output == "ok\n")
    let opened = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    defer { opened.shutdown() }
    let found = opened.query(for: Golden.Search.Article.self).where(Golden.Search.Article.matches("fox OR wolf"))
    #expect(try found.fetch().map(\.id) == [1, 2])
    #expect(try found.explain().indexes == ["title, body, tag"])
  }
}
