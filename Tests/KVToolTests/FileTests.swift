import Foundation
import Testing

/// Which files the tool opens, which it creates, and what it refuses before it touches anything.
@Suite(.timeLimit(.minutes(15))) struct FileTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  /// Returns the names of the files in the folder.
  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: kvtool.folder.path).sorted()
  }

  private static let needingAFile = [
    ["get", "a"], ["get", "a", "--default", "x"], ["exists", "a"], ["type", "a"], ["keys"], ["count"], ["namespaces"],
    ["export"], ["export", "--all-namespaces", "--format", "plist"], ["subscribe", "a"], ["check"], ["stats"],
    ["backup", "copy.db"], ["delete", "a"], ["delete", "a", "--force"], ["delete", "--all"], ["rename", "a", "b"],
    ["compact"], ["repair"], ["replaced"], ["replaced", "1.1", "--restore"], ["ttl", "a", "1h"], ["tables"], ["log"],
  ]

  @Test(
    "A command that only reads or changes a file says that it is missing, and creates none", arguments: needingAFile)
  func aMissingFileIsReported(command: [String]) async throws {
    let outcome = try await kvtool.run(command)
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.error.contains("there is no database at \(kvtool.database.path)"))
    #expect(outcome.error.filter(\.isNewline).count == 1)
    #expect(try files().isEmpty)
  }

  @Test("An empty file is no database, except for the commands that create one", arguments: needingAFile)
  func anEmptyFileStaysEmpty(command: [String]) async throws {
    try Data().write(to: kvtool.database)
    let outcome = try await kvtool.run(command)
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.error.contains("there is no database at \(kvtool.database.path)"), "\(outcome.error)")
    #expect(try Data(contentsOf: kvtool.database).isEmpty)
    #expect(try await kvtool("set", "a", "1").status == 0)
    #expect(try await kvtool("get", "a").output == "1\n")
  }

  @Test("A write that is refused creates no file") func refusedWritesCreateNoFile() async throws {
    #expect(try await kvtool("set", "a", "1", "--if-value", "0").status == 3)
    #expect(try await kvtool("set", "a", "x", "--int").status == 1)
    #expect(try await kvtool("incr", "a", "x").status == 1)
    #expect(try await kvtool("txn", input: Data("{}\n".utf8)).status == 1)
    #expect(try files().isEmpty)
  }

  @Test("Where files may not grow, commands end with an error, and a recovery leaves no file behind")
  func limitedFiles() async throws {
    try await kvtool("set", "a", "1")
    let value = String(repeating: "x", count: 20_000)
    for command in ["set b \(value)", "recover \"$KVTOOL_DB\" new.db", "backup copy.db"] {
      let outcome = try await kvtool.shell("ulimit -f 4; kvtool \(command) 2>&1; echo status $?")
      #expect(outcome.lines.last == "status 1" && outcome.lines.count == 2, "\(outcome.output)")
    }
    // SQLite leaves the log that it couldn't use.
    #expect(try files().allSatisfy { $0.hasPrefix("test.db") })
    #expect(try await kvtool("get", "a").output == "1\n")
    #expect(try await kvtool("check").status == 0)
    #expect(try await kvtool("set", "b", value).status == 0)
  }

  @Test("A missing folder of a named file is created with --create only")
  func foldersAreCreatedOnRequest() async throws {
    let path = kvtool.folder.appendingPathComponent("new/sub/a.db").path
    let document = try await KVToolRunner().export()
    let writes: [(arguments: [String], input: Data)] = [
      (["set", "a", "1"], Data()), (["incr", "n"], Data()), (["import", "-"], document),
      (["txn"], Data(#"{"op":"set","key":"b","value":1}"#.utf8)),
    ]
    for (arguments, input) in writes {
      let refused = try await kvtool.run(arguments + ["--db", path], input: input)
      #expect(refused.status == 1 && refused.error.contains("there is no folder \(kvtool.folder.path)/new/sub"))
      #expect(refused.error.contains("--create"))
      let named = try await kvtool.run(arguments, input: input, environment: ["KVTOOL_DB": path])
      #expect(named.status == 1)
      #expect(try files().isEmpty)
    }
    for (arguments, input) in writes {
      #expect(try await kvtool.run(arguments + ["--db", path, "--create"], input: input).status == 0)
      #expect(try await kvtool.run(["check", "--db", path]).output == "ok\n")
      try FileManager.default.removeItem(at: kvtool.folder.appendingPathComponent("new"))
    }
  }

  @Test("Arguments and variables that are not UTF-8 give status 64, and create nothing")
  func refusesWhatIsNotUTF8() async throws {
    for arguments in [
      #"set "$odd" 1"#, #"set k "$odd""#, #"set k 1 --db "$odd.db""#, #"get k -n "$odd""#, #"import "$odd""#,
    ] {
      let outcome = try await kvtool.shell("odd=$(printf 'k\\377'); kvtool \(arguments) 2>&1; echo $?")
      #expect(outcome.lines.count == 2 && outcome.lines.last == "64", "\(arguments): \(outcome.output)")
      #expect(outcome.output.contains("is not UTF-8"))
    }
    for variable in ["KVTOOL_DB", "KVTOOL_NAMESPACE"] {
      let script = "export \(variable)=$(printf 'k\\377'); kvtool set k 1 2>&1; echo $?"
      let outcome = try await kvtool.shell(script)
      #expect(outcome.lines.last == "64" && outcome.output.contains(variable), "\(outcome.output)")
    }
    #expect(try files().isEmpty)
  }

  // The file system of Apple platforms merges such names, and refuses those that are not UTF-8.
  #if os(Linux)
    @Test("A path is its bytes: canonically equivalent names are two files, and a folder's name need not be UTF-8")
    func pathsAreBytes() async throws {
      // "é" as one Unicode scalar, and as two.
      try await kvtool("set", "a", "1", "--db", "\u{e9}.db")
      #expect(try await kvtool("get", "a", "--db", "e\u{301}.db").status == 1)
      #expect(try await kvtool("get", "a", "--db", "\u{e9}.db").output == "1\n")
      let outcome = try await kvtool.shell(
        """
        folder=$(printf 'd\\377')
        mkdir "$folder"
        cd "$folder"
        kvtool set a 2 --db a.db
        cd ..
        kvtool get a --db a.db
        cd "$folder"
        kvtool get a --db a.db
        """)
      #expect(outcome.output == "2\n")
    }
  #endif

  @Test("A closed standard stream is an error if the command uses it, and no file takes its place")
  func closedStreamsStayClosed() async throws {
    try await kvtool("set", "a", "1")
    let outcome = try await kvtool.shell(
      """
      for command in "get a" "subscribe a --count 1" export; do
        kvtool $command >&- 2>errors; echo "$? $(cat errors)"
      done
      kvtool set b <&- 2>errors; echo "$? $(cat errors)"
      kvtool get none 2>&-; echo $?
      kvtool check
      """)
    let unwritable = "1 kvtool: cannot write to standard output: Bad file descriptor"
    let unreadable = #"1 kvtool: there is no standard input for the value of "b": give it as an argument"#
    #expect(outcome.lines == [unwritable, unwritable, unwritable, unreadable, "2", "ok"])
  }

  @Test("The error about a file that is no database names 'recover'", arguments: ["get", "check", "repair"])
  func damagedHeaders(command: String) async throws {
    try await kvtool("set", "a", "1")
    var bytes = try Data(contentsOf: kvtool.database)
    bytes.replaceSubrange(0..<100, with: Data(repeating: 0, count: 100))
    try bytes.write(to: kvtool.database)
    let refused = try await kvtool.run([command] + (command == "get" ? ["a"] : []))
    #expect(refused.status == 5 && refused.error.contains("kvtool recover"), "\(refused)")
  }

  @Test(
    "The error about a file that may not be read or written has the system's reason",
    .enabled(if: geteuid() != 0, "The superuser may read and write every file."))
  func refusedFiles() async throws {
    try await kvtool("set", "a", "1")
    #expect(chmod(kvtool.database.path, 0) == 0)
    for command in [["get", "a"], ["set", "a", "2"], ["check"], ["recover", kvtool.database.path, "new.db"]] {
      let refused = try await kvtool.run(command)
      #expect(refused.status == 1 && refused.error.contains("Permission denied"), "\(command): \(refused.error)")
      #expect(refused.error.contains(kvtool.database.path) && refused.error.filter(\.isNewline).count == 1)
    }
    #expect(chmod(kvtool.database.path, 0o400) == 0)
    let unwritable = try await kvtool("set", "a", "2")
    #expect(unwritable.status == 1 && unwritable.error.contains("can't be written: Permission denied"), "\(unwritable)")
  }

  @Test("A pipe, a device and a folder are refused, and nothing is written to them or next to them")
  func refusesFilesThatAreNotRegular() async throws {
    try await kvtool.shell("mkfifo pipe")
    for command in [["get", "a"], ["set", "a", "1"], ["subscribe", "a"], ["check"]] {
      for (path, status) in [("pipe", 5), ("/dev/null", 5), (kvtool.folder.path, 1)] as [(String, Int32)] {
        let refused = try await kvtool.run(command + ["--db", path])
        #expect(refused.status == status, "\(command) \(path): \(refused.error)")
        // The message names the path once, on one line.
        #expect(refused.error.components(separatedBy: "'\(path)'").count == 2, "\(refused.error)")
        #expect(refused.error.filter(\.isNewline).count == 1)
      }
    }
    #expect(try files() == ["pipe"])
  }
}

extension KVToolRunner {
  /// Returns the export of a file with one key.
  fileprivate func export() async throws -> Data {
    try await callAsFunction("set", "imported", "1")
    return try await callAsFunction("export").bytes
  }
}
