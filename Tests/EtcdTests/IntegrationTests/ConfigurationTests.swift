import Configuration
import ConfigurationTesting
import DflatConfiguration
import DflatKV
import Foundation
import Testing

/// The provider for swift-configuration.
@Suite(.timeLimit(.minutes(15))) struct ConfigurationTests {
  private let file = TestFile()
  private let workspace: SQLiteWorkspace

  init() throws {
    workspace = try SQLiteWorkspace.open(filePath: file.path)
  }

  private func provider(_ namespace: String = "") -> DflatConfigProvider {
    DflatConfigProvider(workspace, namespace: namespace)
  }

  private func key(_ name: String) -> AbsoluteConfigKey { AbsoluteConfigKey(ConfigKey(name).components) }

  @Test("The provider passes the tests that swift-configuration has for providers") func passesTheirTests() async throws
  {
    // Their magic bytes are not public, so they are the tests' values for the keys of bytes.
    let (magic, magic2) = (Data("magic".utf8), Data("magic2".utf8))
    let dictionary = workspace.dictionary
    try workspace.transactAndWait { txn in
      for (prefix, isOther) in [("", false), ("other.", true)] {
        let values = txn.dictionary
        values[prefix + "string"] = isOther ? "Other Hello" : "Hello"
        values[prefix + "int"] = isOther ? 24 : 42
        values[prefix + "double"] = isOther ? 2.72 : 3.14
        values[prefix + "bool"] = !isOther
        values[prefix + "bytes"] = isOther ? magic2 : magic
        values[prefix + "stringy.array"] = ["Hello", isOther ? "Swift" : "World"]
        values[prefix + "inty.array"] = isOther ? [16, 32] : [42, 24]
        values[prefix + "doubly.array"] = isOther ? [0.9, 1.8] : [3.14, 2.72]
        values[prefix + "booly.array"] = isOther ? [false, true, true] : [true, false]
        values[prefix + "byteChunky.array"] = isOther ? [magic, magic2, magic] : [magic, magic2]
      }
    }
    let bytes = (Array(magic), Array(magic2))
    try await ProviderCompatTest(
      provider: provider(),
      configuration: .init(overrides: [
        "bytes": .bytes(bytes.0), "other.bytes": .bytes(bytes.1),
        "byteChunky.array": .byteChunkArray([bytes.0, bytes.1]),
        "other.byteChunky.array": .byteChunkArray([bytes.0, bytes.1, bytes.0]),
      ])
    ).runTest()
    #expect(dictionary.count == 20)
    await workspace.shutdown()
  }

  @Test("A reader of a namespace sees its values, and defaults for absent ones") func readsNamespaces() async throws {
    let values = workspace.dictionary.namespace("config")
    values["http.port"] = 8080
    workspace.dictionary["http.port"] = 1
    let reader = ConfigReader(provider: provider("config"))
    #expect(reader.int(forKey: "http.port") == 8080)
    #expect(reader.scoped(to: "http").int(forKey: "port", default: 80) == 8080)
    #expect(reader.string(forKey: "http.host", default: "localhost") == "localhost")
    #expect(try await reader.fetchInt(forKey: "http.port") == 8080)
    #expect(provider("config").description == "DflatConfigProvider[config]")
    await workspace.shutdown()
  }

  /// A value that can't be encoded.
  private struct Refusing: Codable, Equatable, Sendable {
    struct Refusal: Error {}

    func encode(to encoder: any Encoder) throws { throw Refusal() }
  }

  @Test("Fetching a value leaves the failure of another write to those that wrote") func leavesFailures() async throws {
    workspace.dictionary["bad"] = Refusing()
    workspace.dictionary["a"] = 1
    #expect(try await provider().fetchValue(forKey: key("a"), type: .int).value?.content == .int(1))
    let error = await #expect(throws: WorkspaceError.self) { try await workspace.dictionary.flush() }
    #expect(error?.code == .unencodable && error?.key == "bad")
    await workspace.shutdown()
  }

  @Test("A number is any number type that represents it, and another type is an error") func convertsNumbers()
    async throws
  {
    workspace.dictionary["whole"] = 2.0
    workspace.dictionary["half"] = 0.5
    workspace.dictionary["large"] = UInt64.max
    workspace.dictionary["text"] = "1"
    let provider = provider()
    #expect(try provider.value(forKey: key("whole"), type: .int).value?.content == .int(2))
    #expect(try provider.value(forKey: key("half"), type: .double).value?.content == .double(0.5))
    for (name, type) in [
      ("half", ConfigType.int), ("large", .int), ("text", .int), ("whole", .string), ("text", .intArray),
    ] {
      let error = #expect(throws: WorkspaceError.self) { try provider.value(forKey: key(name), type: type) }
      #expect(error?.code == .typeMismatch && error?.key == name)
      let other = #expect(throws: WorkspaceError.self) { try provider.snapshot().value(forKey: key(name), type: type) }
      #expect(other?.code == .typeMismatch && other?.message == error?.message)
    }
    await workspace.shutdown()
  }

  @Test("Secrets are redacted") func redactsSecrets() async throws {
    workspace.dictionary["password"] = "1234"
    workspace.dictionary["name"] = "Ada"
    let provider = DflatConfigProvider(workspace, secrets: .dynamic { key, _ in key == "password" })
    #expect(try provider.value(forKey: key("password"), type: .string).value?.isSecret == true)
    #expect(try provider.value(forKey: key("name"), type: .string).value?.isSecret == false)
    await workspace.shutdown()
  }

  @Test("A watched value changes with each commit, by any workspace") func watchesValues() async throws {
    let other = try SQLiteWorkspace.open(filePath: file.path)
    let seen = try await ConfigReader(provider: provider()).watchInt(forKey: "port", default: 80) { ports in
      var seen: [Int] = []
      for await port in ports {
        seen.append(port)
        switch seen.count {
        case 1: try await other.transact { txn in txn.dictionary["port"] = 81 }
        case 2: workspace.dictionary["port"] = nil as Int?
        default: return seen
        }
      }
      return seen
    }
    #expect(seen == [80, 81, 80])
    await other.shutdown()
    await workspace.shutdown()
  }

  @Test("A snapshot holds its values, and watched snapshots are those of transactions") func watchesSnapshots()
    async throws
  {
    try workspace.transactAndWait { txn in
      txn.dictionary["from"] = 1
      txn.dictionary["to"] = 1
    }
    let provider = provider()
    let first = provider.snapshot()
    let writer = Task { [workspace] in
      for number in 2...50 {
        try await workspace.transact { txn in
          txn.dictionary["from"] = number
          txn.dictionary["to"] = number
        }
      }
    }
    try await provider.watchSnapshot { snapshots in
      for await snapshot in snapshots {
        let from = try snapshot.value(forKey: key("from"), type: .int).value?.content
        #expect(try snapshot.value(forKey: key("to"), type: .int).value?.content == from)
        if from == .int(50) { break }
      }
    }
    try await writer.value
    #expect(try first.value(forKey: key("from"), type: .int).value?.content == .int(1))
    await workspace.shutdown()
  }

  @Test(
    "A watch of snapshots goes on after one that can't be read",
    arguments: [
      (99, .undecodable),  // a type that only newer versions know
      (1, .corrupt),  // a Bool, which isn't stored as text
    ] as [(UInt8, WorkspaceError.Code)])
  func goesOnAfterErrors(type: UInt8, code: WorkspaceError.Code) async throws {
    let workspace = try await withUnreadableText(ofType: type)
    var codes: [WorkspaceError.Code?] = []
    try await DflatConfigProvider(workspace).watchSnapshot { snapshots in
      for await snapshot in snapshots {
        do {
          let value = try snapshot.value(forKey: key("a"), type: .string).value
          #expect(value?.content == .string("b"))
          break
        } catch {
          if codes.isEmpty { workspace.dictionary["a"] = "b" }
          codes.append((error as? WorkspaceError)?.code)
        }
      }
    }
    #expect(codes.contains(code) && codes.allSatisfy { $0 == code })
    await workspace.shutdown()
  }

  @Test(
    "A watched value that can't be read is its error, not an absent value",
    arguments: [(99, .undecodable), (1, .corrupt)] as [(UInt8, WorkspaceError.Code)])
  func watchesUnreadableValues(type: UInt8, code: WorkspaceError.Code) async throws {
    let workspace = try await withUnreadableText(ofType: type)
    var codes: [WorkspaceError.Code?] = []
    try await DflatConfigProvider(workspace).watchValue(forKey: key("a"), type: .string) { values in
      for await value in values {
        do {
          #expect(try value.get().value?.content == .string("b"))
          break
        } catch {
          codes.append((error as? WorkspaceError)?.code)
          workspace.dictionary["a"] = "b"
        }
      }
    }
    #expect(codes == [code])
    await workspace.shutdown()
  }

  /// Opens the file with a text under "a" that has another type.
  private func withUnreadableText(ofType type: UInt8) async throws -> SQLiteWorkspace {
    let text = "a text to be found in the file"
    workspace.dictionary["a"] = text
    await workspace.shutdown(flags: .truncate)
    try damage(text, type: type)
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    return try SQLiteWorkspace.open(filePath: file.path, options: options)
  }

  /// Changes the number of a stored text's type, which precedes the text in its row.
  private func damage(_ text: String, type: UInt8) throws {
    let url = URL(fileURLWithPath: file.path)
    var bytes = try Data(contentsOf: url)
    var row = [UInt8(6)] + Array(text.utf8)
    let place = try #require(bytes.range(of: Data(row)))
    row[0] = type
    bytes.replaceSubrange(place, with: row)
    try bytes.write(to: url)
  }

  @Test("A watched value and watched snapshots end when the workspace shuts down")
  func endsWithWorkspace() async throws {
    workspace.dictionary["a"] = 1
    try await workspace.dictionary.flush()
    let provider = provider()
    var contents: [ConfigContent?] = []
    try await provider.watchValue(forKey: key("a"), type: .int) { values in
      try await provider.watchSnapshot { snapshots in
        await workspace.shutdown()
        for await value in values { contents.append(try value.get().value?.content) }
        for await snapshot in snapshots {
          contents.append(try snapshot.value(forKey: key("a"), type: .int).value?.content)
        }
      }
    }
    #expect(contents == [.int(1), .int(1)])
  }

  @Test("A watch that begins after shutdown has an empty sequence") func watchesNothingAfterShutdown() async throws {
    let provider = provider()
    await workspace.shutdown()
    try await provider.watchValue(forKey: key("a"), type: .int) { values in
      for await value in values { Issue.record("The sequence gave \(value) after shutdown") }
    }
    try await provider.watchSnapshot { snapshots in
      for await snapshot in snapshots { Issue.record("The sequence gave \(snapshot) after shutdown") }
    }
  }

  @Test("After shutdown, reads and snapshots throw") func throwsAfterShutdown() async throws {
    workspace.dictionary["a"] = 1
    let provider = provider()
    await workspace.shutdown()
    let error = #expect(throws: WorkspaceError.self) { try provider.value(forKey: key("a"), type: .int) }
    #expect(error?.code == .shutdown)
    #expect(throws: WorkspaceError.self) { try provider.snapshot().value(forKey: key("a"), type: .int) }
  }
}
