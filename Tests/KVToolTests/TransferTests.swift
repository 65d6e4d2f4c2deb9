import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

/// Exports and imports.
@Suite(.timeLimit(.minutes(15))) struct TransferTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  private func fill() async throws {
    let lines = """
      {"op":"set","key":"bool","value":true}
      {"op":"set","key":"int","value":-5}
      {"op":"set","key":"uint","type":"uint","value":18446744073709551615}
      {"op":"set","key":"float","type":"float","value":0.1}
      {"op":"set","key":"double","value":0.30000000000000004}
      {"op":"set","key":"infinite","type":"double","value":"-inf"}
      {"op":"set","key":"string","value":"a\\n\\"b\\" é"}
      {"op":"set","key":"data","type":"data","value":"AP8K"}
      {"op":"set","key":"plist","value":{"bytes":{"$data":"AQ=="},"date":{"$date":"2001-01-01T00:00:00.5Z"}}}
      {"op":"set","key":"date","value":{"$date":"2001-01-01T00:00:00.5Z"}}
      {"op":"set","key":"$dictionary","namespace":"odd","value":1}
      """
    #expect(try await kvtool("txn", input: Data(lines.utf8)).status == 0)
  }

  @Test("An export of all namespaces is imported completely, in one commit", arguments: ["json", "plist"])
  func exportsAndImportsEverything(format: String) async throws {
    try await fill()
    let document = try await kvtool("export", "--all-namespaces", "--format", format)
    #expect(document.status == 0)
    let copy = kvtool.folder.appendingPathComponent("copy.db").path
    #expect(try await kvtool("import", "-", "--db", copy, input: document.bytes).status == 0)
    let values = ["get", "double", "uint", "float", "infinite", "string", "plist", "date"]
    for arguments in [["keys"], ["keys", "-n", "odd"], values] {
      let original = try await kvtool.run(arguments)
      #expect(try await kvtool.run(arguments + ["--db", copy]).bytes == original.bytes)
    }
    let again = try await kvtool("export", "--all-namespaces", "--format", format, "--db", copy)
    #expect(again.bytes == document.bytes)
    // The import is one commit.
    let commits = try await kvtool("keys", "--long", "--db", copy).lines.map { $0.split(separator: " ")[2] }
    #expect(Set(commits).count == 1)
  }

  @Test("An export of one namespace can be imported into another") func exportsOneNamespace() async throws {
    try await fill()
    let file = kvtool.folder.appendingPathComponent("export.json")
    let document = try await kvtool("export", "-n", "odd")
    #expect(document.output.contains("\"odd\": {") && !document.output.contains("\"bool\":"))
    try document.bytes.write(to: file)
    #expect(try await kvtool("import", file.path, "-n", "elsewhere").status == 0)
    #expect(try await kvtool("get", "$dictionary", "-n", "elsewhere").output == "1\n")
    try await kvtool("export", "--all-namespaces").bytes.write(to: file)
    #expect(try await kvtool("import", file.path, "-n", "elsewhere").status == 1)
  }

  @Test(
    "A document that no export has written is refused, with the reason",
    arguments: [
      (#"{"format": "dflatkv-export", "namespaces": {}}"#, "\"version\" is missing"),
      (#"{"format": "dflatkv-export", "namespaces": {}, "version": 3}"#, "newer format"),
      (
        #"{"format": "dflatkv-export", "version": 1, "namespaces": {"": {"k": {"type": "flatbuffers", "value": "AA==", "schemaVersion": 1}}}}"#,
        "\"schemaVersion\" is not a string"
      ),
    ])
  func refusedDocuments(document: String, reason: String) async throws {
    let refused = try await kvtool("import", "-", input: Data(document.utf8))
    #expect(refused.status == 1 && refused.error.contains(reason), "\(refused)")
  }

  @Test("An export has property lists that other tools can read, and an export of earlier versions is imported")
  func exportsReadablePropertyLists() async throws {
    try await kvtool("set", "look", #"{"theme": "dark", "sizes": [12, 1.5]}"#, "--json")
    let document = try await kvtool("export")
    #expect(try JSONSerialization.jsonObject(with: document.bytes) is [String: Any])
    #expect(
      document.output.contains(#""look": {"type":"plist","value":{"sizes":[12,1.5],"theme":"dark"}}"#),
      "\(document.output)")
    #expect(document.error.isEmpty)

    // Version 0.2.0 wrote the bytes of the list.
    let list = ["theme": "dark"]
    let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    let earlier = """
      {"format": "dflatkv-export", "namespaces": {"": {"old": {"type": "plist",
        "value": "\(bytes.base64EncodedString())"}}}, "version": 1}
      """
    #expect(try await kvtool("import", "-", input: Data(earlier.utf8)).status == 0)
    #expect(try await kvtool("get", "old").output == "{\"theme\":\"dark\"}\n")
  }

  @Test("A property list that no JSON tree restores is exported as its bytes")
  func exportsOddPropertyListsAsBytes() async throws {
    // Data by itself, which an import of its tree would store as data, and an array of one that begins with the array,
    // as version 0.2.0 stored a single value. A tree would restore the array after its element, which types that decode
    // from both read as an array.
    let bytes = try PropertyListSerialization.data(fromPropertyList: Data([1, 2, 3]), format: .binary, options: 0)
    let old = try PropertyListSerialization.data(fromPropertyList: ["dark"], format: .binary, options: 0)
    let text = bytes.base64EncodedString()
    let line = """
      {"op":"set","key":"odd","type":"plist","value":"\(text)"}
      {"op":"set","key":"theme","type":"plist","value":"\(old.base64EncodedString())"}
      """
    #expect(try await kvtool("txn", input: Data(line.utf8)).status == 0)
    let document = try await kvtool("export")
    #expect(document.output.contains("{\"type\":\"plist\",\"value\":\"\(text)\"}"), "\(document.output)")
    let copy = kvtool.folder.appendingPathComponent("copy.db").path
    #expect(try await kvtool("import", "-", "--db", copy, input: document.bytes).status == 0)
    #expect(try await kvtool("get", "odd", "--db", copy).bytes == kvtool("get", "odd").bytes)
    #expect(try await kvtool("get", "theme", "--db", copy).output == "[\"dark\"]\n")
    #expect(try await kvtool("export", "--db", copy).bytes == document.bytes)
    let workspace = try SQLiteWorkspace.open(filePath: copy)
    #expect(try workspace.dictionary.storedValue(forKey: "theme") == .propertyList(old))
    await workspace.shutdown()
  }

  @Test("A property list that can't be printed is imported from its export", arguments: ["json", "plist"])
  func exportsUnprintablePropertyLists(format: String) async throws {
    // An array of two references to an integer of 65 bits.
    let number: [UInt8] = [0x14, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    let trailer: [UInt8] =
      [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28]
    let list = Data(Array("bplist00".utf8) + [0xA2, 1, 1] + number + [8, 11] + trailer)
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait { transaction in transaction.dictionary["wide"] = StoredValue.propertyList(list) }
    await workspace.shutdown()
    #expect(try await kvtool("get", "wide").error.contains("more than 64 bits"))
    let document = try await kvtool("export", "--format", format)
    let copy = kvtool.folder.appendingPathComponent("copy.db").path
    let outcome = try await kvtool("import", "-", "--db", copy, input: document.bytes)
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(try await kvtool("export", "--format", format, "--db", copy).bytes == document.bytes)
    #expect(document.output.contains(list.base64EncodedString()), "\(document.output)")
    // Bytes that are no list are none.
    let damaged = document.output.replacing(
      list.base64EncodedString(), with: list.dropLast().base64EncodedString())
    #expect(try await kvtool("import", "-", "--db", copy, input: Data(damaged.utf8)).error.contains("damaged"))
  }

  @Test("A property list of the greatest depth is imported from its export", arguments: [508, 509, 512])
  func exportsDeepPropertyLists(depth: Int) async throws {
    let list = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(try await kvtool("set", "deep", "--json", input: Data(list.utf8)).status == 0)
    let document = try await kvtool("export")
    // The document's own four levels count, too.
    #expect(document.output.contains(list) == (depth + 4 <= 512))
    let copy = kvtool.folder.appendingPathComponent("copy.db").path
    let outcome = try await kvtool("import", "-", "--db", copy, input: document.bytes)
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(try await kvtool("get", "deep", "--db", copy).output == list + "\n")
  }

  @Test("An export names the namespaces and the objects that it leaves out", arguments: ["json", "plist"])
  func exportsNameWhatTheyLeaveOut(format: String) async throws {
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    try workspace.transactAndWait([Club.Member.self]) { transaction in
      transaction.dictionary["a"] = 1
      transaction.dictionary.namespace("other")["b"] = 2
      for number: UInt64 in 1...3 { try transaction.insert(Club.Member(number: number, email: "\(number)@")) }
    }
    await workspace.shutdown()
    let root = try await kvtool("export", "--format", format)
    #expect(root.status == 0)
    #expect(
      root.error == """
        kvtool: the export leaves out namespace "other" (see --all-namespaces), and 3 objects of "club__member" \
        ('kvtool backup' copies them)

        """)
    let all = try await kvtool("export", "--all-namespaces", "--format", format)
    #expect(
      all.error == "kvtool: the export leaves out 3 objects of \"club__member\" ('kvtool backup' copies them)\n")
  }

  @Test(
    "An export leaves out values that can't be read, names their keys, and can be imported",
    arguments: ["json", "plist"])
  func exportsTheRest(format: String) async throws {
    try await fill()
    try RawDatabase.execute(
      """
      UPDATE dictionary SET type = 99 WHERE key = 'bool';
      UPDATE dictionary SET value = x'00' WHERE key = 'int';
      UPDATE dictionary SET value = substr(value, 1, 20) WHERE key = 'plist';
      UPDATE dictionary SET type = 99 WHERE namespace = 'odd';
      """, on: kvtool.database.path)
    let document = try await kvtool("export", "--all-namespaces", "--format", format)
    #expect(document.status == 5)
    let messages = document.error.split(separator: "\n")
    #expect(messages.count == 5 && messages.last == "kvtool: the export leaves out 4 keys that can't be read")
    for name in ["'bool'", "'int'", "\"plist\"", "'$dictionary' in 'odd'"] {
      #expect(messages.contains { $0.contains(name) }, "\(name): \(document.error)")
    }
    let copy = kvtool.folder.appendingPathComponent("copy.db").path
    let outcome = try await kvtool("import", "-", "--db", copy, input: document.bytes)
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(
      try await kvtool("keys", "--db", copy).lines == ["data", "date", "double", "float", "infinite", "string", "uint"])
    #expect(try await kvtool("export", "-n", "absent").status == 0)
    // The status is that of the document also if nobody reads it.
    let closed = try await kvtool.shell("{ kvtool export; echo $? > status; } | :; cat status")
    #expect(closed.output == "5\n")
  }

  @Test("An import keeps canonically equivalent namespaces and keys apart", arguments: ["json", "plist"])
  func keepsEquivalentSpellingsOfNamespacesAndKeysApart(format: String) async throws {
    // "é" as one Unicode scalar, and as two.
    let lines = """
      {"op":"set","key":"k\\u00e9","namespace":"\\u00e9","value":1}
      {"op":"set","key":"ke\\u0301","namespace":"\\u00e9","value":2}
      {"op":"set","key":"k\\u00e9","namespace":"e\\u0301","value":3}
      """
    #expect(try await kvtool("txn", input: Data(lines.utf8)).status == 0)
    let document = try await kvtool("export", "--all-namespaces", "--format", format)
    let copy = kvtool.folder.appendingPathComponent("copy.db").path
    #expect(try await kvtool("import", "-", "--db", copy, input: document.bytes).status == 0)
    #expect(try await kvtool("export", "--all-namespaces", "--format", format, "--db", copy).bytes == document.bytes)
    #expect(try await kvtool("get", "k\u{e9}", "-n", "e\u{301}", "--db", copy).output == "3\n")
    #expect(try await kvtool("count", "-n", "\u{e9}", "--db", copy).output == "2\n")
    // A document with two namespaces can't be imported into one.
    #expect(try await kvtool("import", "-", "-n", "elsewhere", "--db", copy, input: document.bytes).status == 1)
  }

  @Test("The option --from-plist imports property lists of other programs")
  func importsPropertyListsOfOtherPrograms() async throws {
    let defaults: [String: Any] = [
      "AppleLanguages": ["en", "de"], "launchCount": 7, "scale": 1.0, "enabled": true, "token": Data([1, 2]),
      "lastOpened": Date(timeIntervalSinceReferenceDate: 10),
    ]
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let bytes = try PropertyListSerialization.data(fromPropertyList: defaults, format: format, options: 0)
      try await kvtool("delete", "--all")
      #expect(try await kvtool("import", "-", input: bytes).status == 1)
      #expect(try await kvtool("import", "--from-plist", "-", input: bytes).status == 0)
      let types = try await kvtool("keys", "--long").lines.map { $0.prefix { $0 != " " } }
      #expect(types == ["plist", "bool", "plist", "int", "double", "data"])
      #expect(try await kvtool("get", "AppleLanguages").output == "[\"en\",\"de\"]\n")
      #expect(try await kvtool("get", "lastOpened").output == "{\"$date\":\"2001-01-01T00:00:10Z\"}\n")
      let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
      let dictionary = workspace.dictionary
      #expect(dictionary["lastOpened", Date.self] == Date(timeIntervalSinceReferenceDate: 10))
      #expect(dictionary["launchCount", Double.self] == 7)
      #expect(dictionary["scale", Int?.self] == .some(1))
      #expect(dictionary["AppleLanguages", [Language].self] == [.en, .de])
      await workspace.shutdown()
    }
  }

  @Test(
    "A property list with a key twice is refused, at any depth",
    arguments: [
      "<key>a</key><true/>", "<key>b</key><array><dict><key>c</key><true/><key>c</key><true/></dict></array>",
    ])
  func repeatedKeys(members: String) async throws {
    let xml = Data("<plist version=\"1.0\"><dict><key>a</key><true/>\(members)</dict></plist>".utf8)
    for command in [["import", "--from-plist", "-"], ["set", "k", "--plist"]] {
      let outcome = try await kvtool.run(command, input: xml)
      #expect(outcome.status == 1 && outcome.error.contains("contains a key twice"), "\(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: kvtool.database.path))
  }

  private enum Language: String, Codable, Sendable { case en, de }

  @Test("An enum is printed as its raw value, and one that the tool sets is read") func enums() async throws {
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    workspace.dictionary["language"] = Language.de
    try await workspace.dictionary.flush()
    #expect(try await kvtool("get", "language").output == "de\n")
    #expect(try await kvtool("type", "language").output == "string\n")
    #expect(try await kvtool("set", "language", "en").status == 0)
    #expect(try workspace.transactAndWait { $0.dictionary["language", Language.self] } == .en)
    await workspace.shutdown()
  }

  @Test("On a terminal, the error of an import is on a line of its own") func errorOfAnImport() async throws {
    // Bytes that are no envelope are refused when the value is written.
    let document = """
      {"format":"dflatkv-export","version":2,"namespaces":{"":{"k":{"type":"sealed","value":"AA=="}}}}
      """
    let file = kvtool.folder.appendingPathComponent("export.json")
    try Data(document.utf8).write(to: file)
    let tool = try kvtool.startOnTerminal(["import", file.path])
    await tool.wait(for: "importing 1 of 1 keys\u{1B}[Kkvtool: ")
    #expect(await tool.status() == 1)
  }

  @Test("A malformed import changes nothing") func aBrokenImportChangesNothing() async throws {
    let document = """
      {"format":"dflatkv-export","version":1,"namespaces":{"":{
        "a":{"type":"int","value":1},
        "b":{"type":"int","value":"many"}}}}
      """
    let outcome = try await kvtool("import", "-", input: Data(document.utf8))
    #expect(outcome.status == 1 && outcome.error.contains("\"b\""))
    #expect(outcome.error.contains("nothing was imported, so correct this key or remove it"))
    #expect(!FileManager.default.fileExists(atPath: kvtool.database.path))
    for broken in ["", "{", "[]", "{}", "bplist00", "<plist>", #"{"format":"dflatkv-export","version":2}"#] {
      #expect(try await kvtool("import", "-", input: Data(broken.utf8)).status == 1)
      #expect(try await kvtool("import", "--from-plist", "-", input: Data(broken.utf8)).status == 1)
    }
    let missing = try await kvtool("import", "missing.json")
    #expect(missing.status == 1 && missing.error.contains("missing.json"))
  }

  @Test("The tool and a program read each other's values") func readsWhatAProgramStores() async throws {
    struct Window: Codable, Equatable, Sendable {
      var title: String
      var frame: [Double]
    }
    let workspace = try SQLiteWorkspace.open(filePath: kvtool.database.path)
    let window = Window(title: "Main", frame: [0, 0, 640, 480])
    workspace.dictionary["window", Window.self] = window
    workspace.dictionary["count"] = 3
    try workspace.dictionary.synchronize()
    #expect(try await kvtool("get", "window").output == "{\"frame\":[0.0,0.0,640.0,480.0],\"title\":\"Main\"}\n")
    let moved = #"{"title":"Main","frame":[1,2,3,4.5]}"#
    #expect(try await kvtool("set", "window", moved).status == 0)
    #expect(try await kvtool("incr", "count").output == "4\n")
    // A transaction is exact at once, while a plain read may be a moment behind.
    let seen = try workspace.transactAndWait { transaction in
      (
        try transaction.dictionary.value(forKey: "window", as: Window.self),
        try transaction.dictionary.value(forKey: "count", as: Int.self)
      )
    }
    #expect(seen == (Window(title: "Main", frame: [1, 2, 3, 4.5]), 4))
    await workspace.shutdown()
  }
}
