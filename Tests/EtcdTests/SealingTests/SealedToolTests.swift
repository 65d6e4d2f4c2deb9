import DflatKV
import DflatSealing
import Foundation
import Testing

/// kvtool with keys.
@Suite(.timeLimit(.minutes(15))) struct SealedToolTests {
  private let folder = TestFolder()
  private let key = String(repeating: "0a", count: 32)
  private let next = Data(repeating: 7, count: 32).base64EncodedString()

  private struct Outcome: Equatable {
    var status: Int32
    var output: String
    var error: String
  }

  /// The executable that was built together with the tests.
  private static let tool: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return (bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL).appending(path: "kvtool")
  }()

  /// Runs the tool by the shell, which opens descriptors: `kvtool("get k", "3<key")`.
  @discardableResult
  private func kvtool(_ command: String, environment: [String: String] = [:]) throws -> Outcome {
    let process = try start(command, environment: environment)
    process.process.waitUntilExit()
    return Outcome(
      status: process.process.terminationStatus, output: try String(contentsOf: process.output, encoding: .utf8),
      error: try String(contentsOf: process.error, encoding: .utf8))
  }

  private func start(
    _ command: String, environment: [String: String] = [:]
  ) throws -> (process: Process, output: URL, error: URL) {
    let (output, error) = (folder.file("out-\(UUID())"), folder.file("err-\(UUID())"))
    for file in [output, error] { try Data().write(to: file) }
    try Data(key.utf8).write(to: folder.file("key"))
    try Data((next + "\n").utf8).write(to: folder.file("next"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exec \(Self.tool.path()) \(command)"]
    process.currentDirectoryURL = folder.url
    process.environment = [
      "HOME": folder.url.path(), "PATH": "/usr/bin:/bin", "KVTOOL_DB": folder.file("test.db").path(),
      "KVTOOL_NAMESPACE": "secrets",
    ].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: error)
    try process.run()
    return (process, output, error)
  }

  @Test("Values are written and read with a key from a descriptor or the environment, in hex or base64") func keys()
    throws
  {
    #expect(try kvtool("set token 'a b' --seal-key-fd 3 3<key") == Outcome(status: 0, output: "", error: ""))
    #expect(try kvtool("get token --seal-key-fd 7 7<key").output == "a b\n")
    #expect(try kvtool("--seal-key-fd 0 get token <key").output == "a b\n")
    let base64 = Data(repeating: 0x0a, count: 32).base64EncodedString()
    #expect(try kvtool("get token", environment: ["KVTOOL_SEAL_KEY": base64]).output == "a b\n")
    #expect(try kvtool("get token", environment: ["KVTOOL_SEAL_KEY": key.uppercased()]).output == "a b\n")
    #expect(try kvtool("incr n 5", environment: ["KVTOOL_SEAL_KEY": key]).output == "5\n")
    #expect(try kvtool("type n", environment: ["KVTOOL_SEAL_KEY": key]).output == "int\n")
  }

  @Test("A text that is no key is a usage error that doesn't quote it, and creates no file") func badKeys() throws {
    for text in [
      "hunter2", key.dropLast() + "", key + "00", "zz" + key.dropFirst(2), String(repeating: "A", count: 44),
    ] {
      let outcome = try kvtool("set a 1", environment: ["KVTOOL_SEAL_KEY": text])
      #expect(outcome.status == 64 && outcome.error.contains("openssl rand -hex 32"))
      #expect(!outcome.error.contains(text) && outcome.error.split(separator: "\n").count == 1)
    }
    #expect(try kvtool("set a 1 --seal-key-fd 9").status == 64)
    #expect(try kvtool("set a 1 --seal-key-fd 3 3</dev/zero").status == 64)
    #expect(try kvtool("set a 1 --seal-key-fd \(key)").status == 64)
    #expect(!FileManager.default.fileExists(atPath: folder.file("test.db").path()))
  }

  @Test("Without the key, a value prints as sealed with its size, and can't be replaced or renamed") func withoutKey()
    throws
  {
    try kvtool("set token hunter2 --seal-key-fd 3 3<key")
    for command in [
      "get token", "get token --format json", "get token --format ndjson", "get token --format plist", "keys --long",
      "log",
      "stats", "export --all-namespaces", "subscribe token --count 1", "type token", "top --count 1", "replaced",
    ] {
      let outcome = try kvtool(command)
      #expect(!outcome.output.contains("hunter2") && !outcome.error.contains("hunter2"), "\(command)")
    }
    let unopened = try kvtool("get token")
    #expect(unopened.status == 1 && unopened.output.isEmpty && unopened.error.contains("--seal-key-fd"))
    #expect(try kvtool("get token --format json").output == #"{"$sealed":45}"# + "\n")
    #expect(try kvtool("get token --format json").output == "{\"$sealed\":45}\n")
    #expect(try kvtool("type token").output == "sealed\n")
    for command in ["set token x", "set token 5 --int", "incr token", "rename token other"] {
      let outcome = try kvtool(command)
      #expect(outcome.status == 1 && outcome.error.contains("--seal-key-fd"), "\(command)")
    }
    #expect(try kvtool("get token --seal-key-fd 3 3<key").output == "hunter2\n")
    #expect(try kvtool("rename token other --seal-key-fd 3 3<key").status == 0)
    #expect(try kvtool("get other --seal-key-fd 3 3<key").output == "hunter2\n")
  }

  @Test("A wrong key, a value that isn't sealed and a changed one are errors of one line") func errors() throws {
    try kvtool("set token hunter2 --seal-key-fd 3 3<key")
    let wrong = try kvtool("get token --seal-key-fd 3 3<next")
    #expect(wrong.status == 1 && wrong.error.contains("another key") && wrong.error.contains("token"))
    #expect(try kvtool("set other x --seal-key-fd 3 3<next").status == 1)
    let refused = try kvtool("set plain x")
    #expect(refused.status == 1 && refused.error.contains("--seal-key-fd"))
    #expect(try kvtool("incr number").status == 1)
    #expect(try kvtool("txn <<END\n{\"op\": \"set\", \"key\": \"plain\", \"value\": \"x\"}\nEND").status == 1)
    let document = """
      {"format": "dflatkv-export", "version": 1, "namespaces": {"secrets": {"plain": {"type": "string", "value": "x"}}}}
      """
    try Data(document.utf8).write(to: folder.file("plain.json"))
    let notImported = try kvtool("import plain.json")
    #expect(notImported.status == 1 && notImported.error.contains("--seal-key-fd"))
    let workspace = try SQLiteWorkspace.open(filePath: folder.file("test.db").path())
    workspace.dictionary.namespace("secrets")["plain"] = "x"
    try workspace.dictionary.synchronize()
    workspace.shutdown()
    let plain = try kvtool("get plain --seal-key-fd 3 3<key")
    #expect(plain.status == 1 && plain.error.contains("kvtool seal"))
    // An envelope of another key is of no use.
    let exported = try kvtool("export").output
    try Data(exported.replacingOccurrences(of: "token", with: "moved").utf8).write(to: folder.file("export.json"))
    let copy = ["KVTOOL_DB": folder.file("copy.db").path()]
    #expect(try kvtool("import export.json", environment: copy).status == 0)
    let moved = try kvtool("get moved --seal-key-fd 3 3<key", environment: copy)
    #expect(moved.status == 5 && moved.error.split(separator: "\n").count == 1)
    #expect(try kvtool("import export.json --namespace elsewhere").status == 1)
    #expect(try kvtool("check").output == "ok\n")
  }

  @Test("An export of all namespaces with one key has the envelopes of those that another key has sealed")
  func exportsOfTwoKeys() throws {
    try kvtool("set token hunter2 --seal-key-fd 3 3<key")
    try kvtool("set other x -n others --seal-key-fd 3 3<next")
    try kvtool("set plain 1 -n plain")
    for format in ["json", "plist"] {
      let export = try kvtool("export --all-namespaces --format \(format) --seal-key-fd 3 3<key")
      #expect(export.status == 0 && export.output.contains("hunter2") && export.output.contains("sealed"))
      #expect(export.error.hasPrefix("kvtool: namespace \"others\" is sealed with another key: "), "\(export)")
      #expect(export.error.split(separator: "\n").count == 1)
    }
    // A single namespace needs its own key.
    let refused = try kvtool("export -n others --seal-key-fd 3 3<key")
    #expect(refused.status == 1 && refused.output.isEmpty && refused.error.contains("another key"))
  }

  @Test("An export without the key restores envelopes, one with it values") func exports() throws {
    try kvtool("set token hunter2 --seal-key-fd 3 3<key")
    try kvtool("set plain 1 -n other")
    let sealed = try kvtool("export --all-namespaces").output
    let open = try kvtool("export --all-namespaces --seal-key-fd 3 3<key").output
    #expect(open.contains("hunter2") && open.contains("plain"))
    #expect(!sealed.contains("hunter2") && sealed.contains("\"type\":\"sealed\"") && sealed.contains("plain"))
    for format in ["json", "plist"] {
      try Data(try kvtool("export --format \(format)").output.utf8).write(to: folder.file("sealed.\(format)"))
      try Data(try kvtool("export --format \(format) --seal-key-fd 3 3<key").output.utf8)
        .write(to: folder.file("open.\(format)"))
      let fresh = ["KVTOOL_DB": folder.file("fresh-\(format).db").path()]
      #expect(try kvtool("import sealed.\(format)", environment: fresh).status == 0)
      #expect(try kvtool("get token --seal-key-fd 3 3<key", environment: fresh).output == "hunter2\n")
      // The envelopes of a document go to the keys that they were sealed for, whatever key the command has.
      #expect(try kvtool("import sealed.\(format) --seal-key-fd 3 3<next", environment: fresh).status == 0)
      #expect(try kvtool("get token --seal-key-fd 3 3<key", environment: fresh).output == "hunter2\n")
      // Values that are not sealed are sealed with the command's key.
      let other = ["KVTOOL_DB": folder.file("other-\(format).db").path()]
      #expect(try kvtool("import open.\(format) --seal-key-fd 3 3<next", environment: other).status == 0)
      #expect(try kvtool("get token", environment: other).status == 1)
      #expect(try kvtool("get token --seal-key-fd 3 3<next", environment: other).output == "hunter2\n")
    }
  }

  @Test("A document with values of both kinds restores the sealed ones as they are") func mixedDocuments() throws {
    try kvtool("set a 1 --seal-key-fd 3 3<key")
    try kvtool("set b two --seal-key-fd 3 3<key")
    let sealed = try JSONSerialization.jsonObject(with: Data(try kvtool("export").output.utf8))
    var document = try #require(sealed as? [String: Any])
    var namespaces = try #require(document["namespaces"] as? [String: [String: Any]])
    // The key before the sealed one is opened by the command.
    namespaces["secrets"]?["a"] = ["type": "string", "value": "one"]
    document["namespaces"] = namespaces
    try JSONSerialization.data(withJSONObject: document, options: .sortedKeys).write(to: folder.file("mixed.json"))
    let fresh = ["KVTOOL_DB": folder.file("fresh.db").path()]
    #expect(try kvtool("import mixed.json --seal-key-fd 3 3<key", environment: fresh).status == 0)
    #expect(try kvtool("get a --seal-key-fd 3 3<key", environment: fresh).output == "one\n")
    #expect(try kvtool("get b --seal-key-fd 3 3<key", environment: fresh).output == "two\n")
  }

  @Test("A recovered file whose only sealed value is a replaced one has their format") func recoversReplaced() throws {
    try kvtool("set a two --seal-key-fd 3 3<key")
    let workspace = try SQLiteWorkspace.open(filePath: folder.file("test.db").path())
    let secrets = workspace.dictionary.namespace(
      "secrets", sealedWith: try SealKey(bytes: [UInt8](repeating: 0x0a, count: 32)))
    secrets["a"] = 1
    try secrets.synchronize()
    secrets.removeValue(forKey: "a")
    try secrets.synchronize()
    workspace.shutdown()
    #expect(try kvtool("recover test.db recovered.db").status == 0)
    let recovered = ["KVTOOL_DB": folder.file("recovered.db").path()]
    #expect(try kvtool("stats --format json", environment: recovered).output.contains("\"format\":3"))
    #expect(try kvtool("replaced", environment: recovered).output.contains("sealed"))
  }

  @Test("A key doesn't seal some of a namespace's values, and a wrong or missing one is named") func mixing() throws {
    try kvtool("set plain 1")
    for command in ["set new x", "incr number", "txn <<END\n{\"op\": \"set\", \"key\": \"new\", \"value\": 1}\nEND"] {
      let refused = try kvtool(command, environment: ["KVTOOL_SEAL_KEY": key])
      #expect(refused.status == 1 && refused.error.contains("isn't sealed"), "\(refused)")
    }
    #expect(try kvtool("keys").output == "plain\n")
    try kvtool("seal --seal-key-fd 3 3<key")
    #expect(try kvtool("set new x --seal-key-fd 3 3<key").status == 0)
    let other = try kvtool("set newer x --seal-key-fd 3 3<next")
    #expect(other.status == 1 && other.error.contains("another key"))
    let again = try kvtool("seal --seal-key-fd 3 3<next")
    #expect(again.status == 1 && again.error.contains("--old-seal-key-fd"))
    let unknown = try kvtool("set new y --if-value x")
    #expect(unknown.status == 1 && unknown.error.contains("--seal-key-fd"))
    let expected = try kvtool("txn <<END\n{\"op\": \"expect\", \"key\": \"new\", \"value\": \"x\"}\nEND")
    #expect(expected.status == 1 && expected.error.contains("--seal-key-fd"))
  }

  @Test("seal seals a namespace, and changes its key") func seals() throws {
    try kvtool("set a 1 --int")
    try kvtool("set b two")
    #expect(try kvtool("seal").status == 64)
    #expect(try kvtool("seal --seal-key-fd 3 3<key").output == "2\n")
    #expect(try kvtool("get b --seal-key-fd 3 3<key").output == "two\n")
    #expect(try kvtool("seal --seal-key-fd 3 3<next").error.contains("sealed with another key"))
    let wrong = try kvtool("seal --seal-key-fd 3 --old-seal-key-fd 0 3<next 0<next")
    #expect(wrong.status == 1 && wrong.error.contains("neither of the two keys"), "\(wrong)")
    #expect(try kvtool("seal --seal-key-fd 3 --old-seal-key-fd 4 3<next 4<key").output == "2\n")
    #expect(try kvtool("seal --seal-key-fd 3 3<next", environment: ["KVTOOL_OLD_SEAL_KEY": key]).output == "0\n")
    #expect(try kvtool("get a --seal-key-fd 3 3<next").output == "1\n")
    #expect(try kvtool("get a --seal-key-fd 3 3<key").status == 1)
    #expect(try kvtool("stats --format json").output.contains("\"format\":3"))
  }

  @Test("An empty namespace can't be sealed, but replaced values can change their key") func emptyNamespace() throws {
    try kvtool("set a 1 -n other")
    let refused = try kvtool("seal --seal-key-fd 3 3<key")
    #expect(refused.status == 1 && refused.error.contains("no values to seal"), "\(refused)")
    try kvtool("set a one --seal-key-fd 3 3<key")
    try kvtool("set a 1 --int --seal-key-fd 3 3<key")
    try kvtool("delete a")
    #expect(try kvtool("keys").output.isEmpty)
    #expect(try kvtool("seal --seal-key-fd 3 --old-seal-key-fd 4 3<next 4<key").status == 0)
    let listed = try kvtool("replaced --format json --seal-key-fd 3 3<next").output
    #expect(listed.contains(#""value":"one""#), "\(listed)")
  }

  @Test(
    "Only JSON shows that a value is sealed; other formats would pass for values", arguments: ["raw", "plist", "hex"])
  func formats(format: String) throws {
    try kvtool("set a one --seal-key-fd 3 3<key")
    let refused = try kvtool("get a --format \(format)")
    #expect(refused.status == 1 && refused.output.isEmpty && refused.error.contains("sealed"), "\(refused)")
  }

  @Test(
    "Operations of a transaction don't add values that aren't sealed, nor replace those that are",
    arguments: [
      #"{"op": "incr", "key": "n"}"#, #"{"op": "set", "key": "n", "value": 1}"#,
      #"{"op": "set", "key": "a", "value": 1}"#, #"{"op": "set", "key": "a", "value": "text", "type": "string"}"#,
      #"{"op": "incr", "key": "a"}"#,
    ])
  func operations(line: String) throws {
    try kvtool("set a one --seal-key-fd 3 3<key")
    try Data((line + "\n").utf8).write(to: folder.file("operations"))
    let refused = try kvtool("txn < operations")
    #expect(
      refused.status == 1 && refused.error.contains("sealed") && refused.error.contains("--seal-key-fd"), "\(refused)")
    #expect(try kvtool("keys").output == "a\n")
    #expect(try kvtool("get a --seal-key-fd 3 3<key").output == "one\n")
  }

  @Test("An import mixes no envelopes with other values, nor with those of another key") func importsOneSeal() throws {
    try kvtool("set a one --seal-key-fd 3 3<key")
    try Data(try kvtool("export").output.utf8).write(to: folder.file("sealed.json"))
    let plain = ["KVTOOL_DB": folder.file("plain.db").path()]
    try kvtool("set b two", environment: plain)
    let beside = try kvtool("import sealed.json", environment: plain)
    #expect(beside.status == 1 && beside.error.contains("values of its namespace aren't"), "\(beside)")
    #expect(try kvtool("keys", environment: plain).output == "b\n")
    let other = ["KVTOOL_DB": folder.file("other.db").path()]
    try kvtool("set b two --seal-key-fd 3 3<next", environment: other)
    let wrong = try kvtool("import sealed.json", environment: other)
    #expect(wrong.status == 1 && wrong.error.contains("another key"), "\(wrong)")
    #expect(try kvtool("get b --seal-key-fd 3 3<next", environment: other).output == "two\n")
    // A document that has both is restored where there is nothing, so that an export of anything can be.
    let both = try kvtool("export").output.replacing(
      #""secrets": {"#, with: #""secrets": {"c": {"type": "int", "value": 1},"#)
    try Data(both.utf8).write(to: folder.file("both.json"))
    let new = ["KVTOOL_DB": folder.file("new.db").path()]
    #expect(try kvtool("import both.json", environment: new).status == 0)
    #expect(try kvtool("keys", environment: new).output == "a\nc\n")
  }

  @Test("The log shows values with their key, and others as sealed") func log() throws {
    try kvtool("set a one --seal-key-fd 3 3<key")
    try kvtool("seal --seal-key-fd 3 --old-seal-key-fd 4 3<next 4<key")
    try kvtool("set b two --seal-key-fd 3 3<next")
    let lines = try kvtool("log --seal-key-fd 3 3<next").output.split(separator: "\n")
    #expect(lines.last?.hasSuffix("b = two") == true && lines.first?.contains("a = sealed") == true, "\(lines)")
    #expect(try !kvtool("log").output.contains("two"))
    #expect(try kvtool("log --format ndjson", environment: ["KVTOOL_SEAL_KEY": key]).output.contains("\"one\""))
  }

  @Test("A hook gets the value, and no key") func hooks() throws {
    try kvtool("set token hunter2 --seal-key-fd 3 3<key")
    let outcome = try kvtool(
      "subscribe token --count 1 --exec 'echo \"$KVTOOL_VALUE\" >&2; env >&2'", environment: ["KVTOOL_SEAL_KEY": key])
    #expect(outcome.output == "token = hunter2\n")
    #expect(outcome.error.hasPrefix("hunter2\n") && !outcome.error.contains(key))
  }

  @Test("A shell's commands have the shell's key, in transactions, too") func shell() throws {
    let script = "set a 1 --int\\nbegin\\nincr a\\nset b x\\ncommit\\nget a\\n"
    let outcome = try kvtool(
      "shell --seal-key-fd 3 3<key <<END\n\(script.replacingOccurrences(of: "\\n", with: "\n"))END")
    #expect(outcome.output == "2\n2\n")
    #expect(try kvtool("get a").status == 1)
  }

  @Test("A transaction of the shell refuses the key of one command, and stores nothing unsealed")
  func shellTransaction() throws {
    let outcome = try kvtool("shell 3<key <<END\nbegin\nset token hunter2 --seal-key-fd 3\ncommit\nEND")
    #expect(outcome.status == 64 && outcome.error.contains("give --seal-key-fd to 'kvtool shell'"), "\(outcome)")
    #expect(try kvtool("get token").status != 0)
  }

  @Test("A rotation that is killed at any moment leaves all values with one key") func kills() throws {
    let workspace = try SQLiteWorkspace.open(filePath: folder.file("test.db").path())
    let keys = [
      try SealKey(bytes: [UInt8](repeating: 0x0a, count: 32)), try SealKey(bytes: [UInt8](repeating: 7, count: 32)),
    ]
    let secrets = workspace.dictionary.namespace("secrets", sealedWith: keys[0])
    for index in 0..<3_000 { secrets["k\(index)"] = String(repeating: "v", count: 100) }
    try secrets.synchronize()
    var current = 0
    var outcomes = (before: 0, after: 0)
    for round in 0..<30 {
      let (old, new) = current == 0 ? ("key", "next") : ("next", "key")
      let tool = try start("seal --seal-key-fd 3 --old-seal-key-fd 4 3<\(new) 4<\(old)")
      // Spread over the time that the command takes.
      usleep(UInt32(round) * 12_000)
      kill(tool.process.processIdentifier, SIGKILL)
      tool.process.waitUntilExit()
      let reader = try SQLiteWorkspace.open(filePath: folder.file("test.db").path())
      defer { reader.shutdown() }
      let opened = try keys.indices.filter { index in
        do {
          return try reader.dictionary.namespace("secrets", sealedWith: keys[index]).entries().count == 3_000
        } catch let error as WorkspaceError where error.code == .wrongSealKey { return false }
      }
      #expect(opened.count == 1)
      if opened == [current] { outcomes.before += 1 } else { outcomes.after += 1 }
      current = opened.first ?? current
      #expect(try reader.checkIntegrity() == [])
    }
    #expect(outcomes.before > 0 && outcomes.after > 0)
    workspace.shutdown()
  }
}

/// A folder that is removed with the last reference.
final class TestFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "sealing-\(UUID())")

  init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  func file(_ name: String) -> URL { url.appending(path: name) }

  deinit { try? FileManager.default.removeItem(at: url) }
}
