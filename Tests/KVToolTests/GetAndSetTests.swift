import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct GetAndSetTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  @Test("The get command prints the value that set has stored") func setsAndGets() async throws {
    let written = try await kvtool("set", "greeting", "hello world")
    #expect(written.status == 0)
    #expect(written.output.isEmpty && written.error.isEmpty)
    #expect(try await kvtool("get", "greeting").output == "hello world\n")
    #expect(try await kvtool("get", "greeting", "--no-newline").output == "hello world")
    #expect(try await kvtool("type", "greeting").output == "string\n")
  }

  @Test(
    "A value keeps the type that an option names",
    arguments: [
      ("bool", "true"), ("int", "-42"), ("uint", "18446744073709551615"), ("float", "0.1"),
      ("double", "0.30000000000000004"), ("double", "-0.0"), ("string", "caf\u{e9} \u{1F600}"), ("string", ""),
    ])
  func keepsTypes(type: String, text: String) async throws {
    #expect(try await kvtool("set", "k", text, "--type", type).status == 0)
    #expect(try await kvtool("get", "k").output == text + "\n")
    #expect(try await kvtool("type", "k").output == type + "\n")
    #expect(try await kvtool("set", "short", "--\(type)", "--", text).status == 0)
    #expect(try await kvtool("get", "short").output == text + "\n")
  }

  @Test("An existing key keeps its type unless an option names another") func anExistingKeyKeepsItsType() async throws {
    try await kvtool("set", "n", "1", "--int")
    #expect(try await kvtool("set", "n", "2").status == 0)
    #expect(try await kvtool("type", "n").output == "int\n")
    let refused = try await kvtool("set", "n", "two")
    #expect(refused.status == 1)
    #expect(refused.error.contains("\"n\"") && refused.error.split(separator: "\n").count == 1)
    #expect(try await kvtool("get", "n").output == "2\n")
    #expect(try await kvtool("set", "n", "two", "--string").status == 0)
    #expect(try await kvtool("type", "n").output == "string\n")
  }

  @Test("A mistake that would change everything, or nothing, is an error") func mistakes() async throws {
    try await kvtool("set", "a", "1")
    let empty = try await kvtool("delete", "--prefix", "")
    #expect(empty.status == 64 && empty.error.contains("--all"))
    #expect(try await kvtool("get", "a").output == "1\n")
    let wrong = try await kvtool("set", "a", "1", "--uint8")
    #expect(wrong.status == 64 && wrong.error.contains("'. See 'kvtool set --help'."), "\(wrong.error)")
    let text = try await kvtool("incr", "a")
    #expect(text.status == 1 && text.error.contains("--int"))
    let unknown = try await kvtool("insert", "Nope", input: Data())
    #expect(unknown.status == 64 && unknown.error.contains("Nope"), "\(unknown.error)")
    let document = try await kvtool("export", "--format", "plist")
    let imported = try await kvtool("import", "--from-plist", "-", input: document.bytes)
    #expect(imported.status == 1 && imported.error.contains("--from-plist"))
    #expect(try await kvtool("keys").output == "a\n")
  }

  @Test("The set command reads a value that is missing or \"-\" from standard input")
  func readsStandardInput() async throws {
    try await kvtool("set", "a", input: Data("from a pipe\n".utf8))
    #expect(try await kvtool("get", "a").output == "from a pipe\n")
    try await kvtool("set", "a", "-", input: Data("again".utf8))
    #expect(try await kvtool("get", "a").output == "again\n")
    let bytes = Data((0...255).map { UInt8($0) } + [10])
    try await kvtool("set", "bytes", "--data", input: bytes)
    #expect(try await kvtool("get", "bytes").bytes == bytes)
    #expect(try await kvtool("get", "bytes", "--format", "hex").output.hasSuffix("feff0a\n"))
  }

  @Test("A value of 5 MB is stored and printed unchanged") func largeValuesPass() async throws {
    let bytes = Data(repeating: 0x61, count: 5_000_000)
    #expect(try await kvtool("set", "large", "--data", input: bytes).status == 0)
    #expect(try await kvtool("get", "large").bytes == bytes)
  }

  @Test("Negative numbers are taken as values, not as options") func negativeNumbersAreValues() async throws {
    #expect(try await kvtool("set", "n", "-5", "--int").status == 0)
    #expect(try await kvtool("get", "n").output == "-5\n")
    #expect(try await kvtool("incr", "n", "-1").output == "-6\n")
    #expect(try await kvtool("get", "absent", "--default", "-1").output == "-1\n")
    #expect(try await kvtool("set", "n", "7", "--if-value", "-6").status == 0)
    #expect(try await kvtool("set", "text", "--", "--not-an-option").status == 0)
    #expect(try await kvtool("get", "text").output == "--not-an-option\n")
  }

  @Test("An absent key gives status 2 or the default") func absentKeys() async throws {
    try await kvtool("set", "a", "1")
    let absent = try await kvtool("get", "a", "b")
    #expect(absent.status == 2)
    #expect(absent.output == "1\n")
    #expect(absent.error == "kvtool: no such key: \"b\"\n")
    let replaced = try await kvtool("get", "b", "--default", "x")
    #expect(replaced.status == 0)
    #expect(replaced.output == "x\n")
    #expect(try await kvtool("exists", "a").status == 0)
    let exists = try await kvtool("exists", "b")
    #expect(exists.status == 2 && exists.error.isEmpty)
    #expect(try await kvtool("type", "b").status == 2)
  }

  @Test("The default file and its folders are accessible to their owner only")
  func createsTheFileForThisUserAlone() async throws {
    let data = kvtool.folder.appendingPathComponent("data")
    let environment = ["KVTOOL_DB": "", "XDG_DATA_HOME": data.path]
    #expect(try await kvtool("set", "a", "1", environment: environment).status == 0)
    let modes = try ["", "/kvtool", "/kvtool/default.db"].map { path in
      try FileManager.default.attributesOfItem(atPath: data.path + path)[.posixPermissions] as? Int
    }
    #expect(modes == [0o700, 0o700, 0o600])
    #expect(try await kvtool("get", "a", environment: environment).output == "1\n")
  }

  @Test("Options may precede or follow the command") func optionsStandAnywhere() async throws {
    let other = kvtool.folder.appendingPathComponent("other.db").path
    #expect(try await kvtool("--db", other, "set", "a", "1", "-n", "x").status == 0)
    #expect(try await kvtool("get", "--namespace", "x", "a", "--db", other).output == "1\n")
    #expect(try await kvtool("get", "a", "--db", other).status == 2)
    #expect(try await kvtool("get", "a", "--db", other, environment: ["KVTOOL_NAMESPACE": "x"]).output == "1\n")
  }

  @Test("The options --if-absent and --if-value refuse a write with status 3") func conditions() async throws {
    #expect(try await kvtool("set", "k", "1", "--int", "--if-absent").status == 0)
    let refused = try await kvtool("set", "k", "2", "--if-absent")
    #expect(refused.status == 3 && refused.error.contains("\"k\""))
    #expect(try await kvtool("set", "k", "2", "--if-value", "5").status == 3)
    #expect(try await kvtool("set", "k", "2", "--if-value", "one").status == 3)
    #expect(try await kvtool("get", "k").output == "1\n")
    #expect(try await kvtool("set", "k", "2", "--if-value", "1").status == 0)
    #expect(try await kvtool("get", "k").output == "2\n")
    #expect(try await kvtool("set", "k", "2", "--if-absent", "--if-value", "1").status == 64)
  }

  @Test("Property lists are set and printed as JSON and XML") func propertyLists() async throws {
    try await kvtool("set", "p", #"{"b": [1, 2.0], "a": {"$data": "AQI="}}"#, "--json")
    #expect(try await kvtool("type", "p").output == "plist\n")
    #expect(try await kvtool("get", "p").output == "{\"a\":{\"$data\":\"AQI=\"},\"b\":[1,2.0]}\n")
    let xml = try await kvtool("get", "p", "--format", "plist")
    #expect(xml.output.contains("<real>2.0</real>"))
    try await kvtool("set", "q", "--plist", input: xml.bytes)
    #expect(try await kvtool("get", "q").output == "{\"a\":{\"$data\":\"AQI=\"},\"b\":[1,2.0]}\n")
    #expect(try await kvtool("set", "p", "[3]").status == 0)
    #expect(try await kvtool("get", "p").output == "[3]\n")
    #expect(try await kvtool("set", "p", "3").status == 1)
    let record = try await kvtool("get", "p", "--format", "ndjson")
    #expect(record.output.hasPrefix("{\"commit\":"))
    #expect(record.output.contains("\"key\":\"p\",\"namespace\":\"\",\"type\":\"plist\",\"value\":[3]}"))
  }

  @Test("A bare word replaces a string that a program stores as a list of one") func bareWords() async throws {
    try await kvtool("set", "theme", #"["dark"]"#, "--json")
    #expect(try await kvtool("set", "theme", "light").status == 0)
    #expect(try await kvtool("get", "theme").output == "[\"light\"]\n")
    #expect(try await kvtool("set", "theme", "dark", "--if-value", "light").status == 0)
    #expect(try await kvtool("set", "theme", "light", "--if-value", "light").status == 3)
    // In quotes it is a string of JSON, and without their end a word again.
    for (text, expected) in [(#""dark mode""#, #"["dark mode"]"#), (#""a"#, #"["\"a"]"#)] {
      #expect(try await kvtool("set", "theme", text).status == 0)
      #expect(try await kvtool("get", "theme").output == expected + "\n")
    }
    #expect(try await kvtool("set", "theme", #"["a", "b"]"#).status == 0)
    // Two strings aren't one string.
    #expect(try await kvtool("set", "theme", "light").status == 1)
    #expect(try await kvtool("get", "theme").output == "[\"a\",\"b\"]\n")
  }

  @Test("The option --path prints a part of a property list") func partsOfValues() async throws {
    let text = #"{"window": {"frame": [1.5, {"x": "text"}], "a.b": {"$date": "2001-01-01T00:00:00Z"}, "none": {}}}"#
    try await kvtool("set", "p", text, "--json")
    let part = { path in try await kvtool("get", "p", "--path", path).output }
    #expect(try await part("window.frame[0]") == "1.5\n")
    #expect(try await part("window.frame[1].x") == "text\n")
    #expect(try await part("window.frame") == "[1.5,{\"x\":\"text\"}]\n")
    #expect(try await part(#"window["a.b"]"#) == "{\"$date\":\"2001-01-01T00:00:00Z\"}\n")
    #expect(try await part("window.none") == "{}\n")
    #expect(try await kvtool("get", "p", "--path", "window.frame[1].x", "--format", "json").output == "\"text\"\n")
    #expect(
      try await kvtool("get", "p", "--path", "window.frame", "--format", "plist").output.contains("<real>1.5</real>"))
    for path in ["window.frame[2]", "frame", "window[0]", "window.frame.x", "window.frame[0].x"] {
      let outcome = try await kvtool("get", "p", "--path", path)
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(path)")
      #expect(outcome.error == "kvtool: key \"p\" has no part \(path)\n")
    }
    let both = try await kvtool("get", "p", "none", "--path", "frame")
    #expect(both.status == 2 && both.error == "kvtool: no such key: \"none\"; key \"p\" has no part frame\n")
    #expect(try await kvtool("get", "p", "--path", "frame", "--default", "x").output == "x\n")
    for path in ["", ".", "a.", "a[", "a[x]", "a[-1]", "[0]b", "a]"] {
      #expect(try await kvtool("get", "p", "--path", path).status == (path == "a]" ? 2 : 64), "\(path)")
    }
    #expect(try await kvtool("get", "p", "--path", "window", "--format", "ndjson").status == 64)
  }

  @Test("A usage error gives status 64 and one line") func usageErrorsAreOneLine() async throws {
    for arguments in [
      ["get"], ["frobnicate"], ["get", "k", "--format", "x"], ["set", "k", "1", "--int", "--bool"],
      ["set", "k", "1", "--int", "--type", "bool"], ["delete"], ["delete", "k", "--all"], ["subscribe"],
      ["get", "k", "--timeout", "-1"], ["keys", "--limit", "x"], ["get", "--unknown", "k"], ["get", "k", "--db", ""],
    ] {
      let outcome = try await kvtool.run(arguments)
      #expect(outcome.status == 64, "\(arguments)")
      #expect(outcome.output.isEmpty)
      #expect(outcome.error.hasPrefix("kvtool: "))
      #expect(outcome.error.filter(\.isNewline).count == 1, "\(outcome.error)")
    }
  }

  @Test("The tool prints its version, its help and completion scripts") func helpAndVersion() async throws {
    #expect(try await kvtool("--version").output == Changelog.newestRelease().map { $0 + "\n" })
    let help = try await kvtool("--help").output
    #expect(help.hasPrefix("OVERVIEW: Read, write and watch the keys and objects of a database file."))
    #expect(help.contains("subscribe"))
    #expect(try await kvtool("set", "--help").output.contains("Example:"))
    for shell in ["bash", "zsh", "fish"] {
      let script = try await kvtool("--generate-completion-script", shell)
      #expect(script.status == 0 && script.output.contains("namespaces"))
    }
  }
}
