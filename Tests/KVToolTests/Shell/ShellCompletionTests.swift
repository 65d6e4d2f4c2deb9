import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import kvtool

private typealias Monster = MyGame.Sample.Monster

/// The choices and insertions of the Tab key.
@Suite struct ShellCompletionTests {
  private func completion(
    keys: [String] = [], namespaces: [String] = [], types: [StoredType] = []
  ) -> ShellCompletion {
    ShellCompletion(
      catalog: CommandCatalog(description: KVTool._dumpHelp()), shellCommands: ["begin", "use"],
      source: ShellCompletion.Source(
        keys: { prefix, namespace in
          keys.filter { $0.hasPrefix(prefix) }.map { (namespace.map { "\($0)." } ?? "") + $0 }
        },
        namespaces: { namespaces }, types: { types }))
  }

  /// Returns the line after the Tab key.
  private func completed(_ line: String, _ completion: ShellCompletion) -> String {
    let answer = completion.complete(line)
    return String(String.UnicodeScalarView(line.unicodeScalars.dropLast(answer.removedCount))) + answer.insertion
  }

  @Test(
    "Commands, their options and the values of options are completed",
    arguments: [
      ("ge", "get "), ("beg", "begin "), ("  subs", "  subscribe "), ("kvtool ge", "kvtool get "),
      ("help que", "help query "), ("get a --no-n", "get a --no-newline "),
      ("get a --format nd", "get a --format ndjson "),
      ("set a 1 --type dou", "set a 1 --type double "), ("cluster stat", "cluster status "),
      ("nonsense a", "nonsense a"), ("get a --limit", "get a --limit"),
    ])
  func completesCommands(line: String, expected: String) {
    #expect(completed(line, completion()) == expected)
  }

  @Test("Several choices are completed as far as they agree, and then listed") func listsChoices() {
    let completion = completion(keys: ["volume.left", "volume.right", "other"])
    #expect(completed("get vo", completion) == "get volume.")
    #expect(completion.complete("get volume.").choices == ["volume.left", "volume.right"])
    #expect(completed("get volume.l", completion) == "get volume.left ")
    #expect(completed("get volume.left ot", completion) == "get volume.left other ")
    #expect(completed("rename ot", completion) == "rename other ")
    // The value of a key is the user's.
    #expect(completion.complete("set other vo") == LineEditor.Completion())
    // A prefix may go on.
    #expect(completed("keys --prefix ot", completion) == "keys --prefix other")
    #expect(completion.complete("ex").choices == ["exists", "export"])
  }

  @Test(
    "Keys are completed with the quotes that are open, or else escaped",
    arguments: [
      ("get my", #"get my\ key "#), ("get 'my", "get 'my key' "), ("get \"my", "get \"my key\" "),
      ("get it", #"get it\'s "#), ("get 'it", #"get 'it'\''s' "#), (#"get my\ "#, #"get my\ key "#),
      ("get 'my key", "get 'my key' "), ("get {", #"get \{a} "#), (#"get \{"#, #"get \{a} "#),
    ])
  func quotesKeys(line: String, expected: String) {
    let completion = completion(keys: ["my key", "it's", "{a}"])
    #expect(completed(line, completion) == expected)
  }

  @Test("Two spellings of a key are two choices, and a control character is none") func keysAreBytes() {
    let completion = completion(keys: ["caf\u{e9}", "caf\u{65}\u{301}", "caf\n"])
    #expect(completion.complete("get caf").choices.count == 2)
    #expect(completed("get caf\u{e9}", completion).utf8.elementsEqual("get caf\u{e9} ".utf8))
  }

  @Test("Namespaces are completed, and keys are those of the namespace") func completesNamespaces() {
    let completion = completion(keys: ["a"], namespaces: ["cache", "user data"])
    #expect(completed("use ca", completion) == "use cache ")
    #expect(completed("get -n us", completion) == #"get -n user\ data "#)
    #expect(completed("get --namespace cache ", completion) == "get --namespace cache cache.a ")
  }

  @Test("Types and fields are completed") func completesTypes() async throws {
    let folder = try TemporaryDirectory("completion")
    let workspace = try SQLiteWorkspace.open(filePath: folder.file("a.db"))
    try workspace.transactAndWait([Monster.self]) { txn in try txn.insert(Monster(name: "Ada", color: .red)) }
    let completion = completion(types: try workspace.storedTables().compactMap { StoredType($0) })
    await workspace.shutdown()
    let name = "Monster"
    #expect(completed("query \(name.dropLast(2))", completion) == "query \(name) ")
    #expect(completed("delete --from \(name.dropLast(2))", completion) == "delete --from \(name) ")
    #expect(completed("query \(name) --where 'mana > 3 && tr", completion).hasSuffix("&& truth "))
    #expect(completed("query \(name) --order ma", completion).hasSuffix("--order mana "))
    #expect(completed("query \(name) --where 'pos.", completion) == "query \(name) --where 'pos.")
    #expect(completion.complete("query \(name) --where 'pos.").choices == ["pos.x", "pos.y", "pos.z"])
    #expect(completed(#"insert \#(name) {"ma"#, completion) == #"insert \#(name) {"mana": "#)
    #expect(completed(#"update \#(name) {"mana": 3, "tr"#, completion) == #"update \#(name) {"mana": 3, "truth": "#)
    #expect(completed(#"insert \#(name) {"mana": ma"#, completion) == #"insert \#(name) {"mana": ma"#)
  }

  @Test("Files are completed") func completesFiles() throws {
    let folder = try TemporaryDirectory("completion")
    for name in ["first.json", "first.txt", ".hidden"] {
      try Data().write(to: URL(fileURLWithPath: folder.path + "/" + name))
    }
    try FileManager.default.createDirectory(atPath: folder.path + "/sub folder", withIntermediateDirectories: true)
    let completion = completion()
    #expect(completed("import \(folder.path)/first.j", completion) == "import \(folder.path)/first.json ")
    #expect(completed("import \(folder.path)/su", completion) == "import \(folder.path)/sub\\ folder/")
    #expect(completion.complete("import \(folder.path)/").choices.count == 3)
    #expect(completed("recover a.db \(folder.path)/first.j", completion) == "recover a.db \(folder.path)/first.json ")
    #expect(completed("get a --db \(folder.path)/.h", completion) == "get a --db \(folder.path)/.hidden ")
  }

  @Test("Choices are shown in columns") func columns() {
    #expect(LineEditor.columns(["aa", "b", "c"], width: 8) == "aa  c\nb")
    #expect(LineEditor.columns(["aa", "b", "c"], width: 3) == "aa\nb\nc")
  }
}
