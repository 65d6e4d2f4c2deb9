import DflatKV
import Foundation
import TestSupport
import Testing

/// Programs compare the schemas of their FlatBuffers values with those that files store.
@Suite struct ValueSchemaTests {
  private typealias First = Profile<FirstProgram>
  private typealias Second = Profile<SecondProgram>
  private typealias Other = Profile<OtherProgram>
  private typealias Mistaken = Profile<MistakenProgram>
  private typealias Versioned = Profile<VersionedProgram>

  private static let sentence = "the field 'name' with the id 0 was removed"

  private let test: TestWorkspace
  private var dictionary: WorkspaceDictionary { test.dictionary }

  init() throws {
    test = try TestWorkspace()
    test.dictionary["k"] = First("a")
    try test.dictionary.synchronize()
  }

  // MARK: Support

  private func text(_ sql: String) throws -> String? { try RawDatabase(test.path).text(sql) }

  /// Returns the file's content: the schemas, the values, and the number of commits.
  private func contents() throws -> [String?] {
    [
      try text("SELECT group_concat(table_name || digest || schema, ';') FROM dflat_schema"),
      try text("SELECT group_concat(namespace || key || hex(value) || commit_number, ';') FROM dictionary"),
      try text("SELECT max(commit_number) FROM dflat_log"),
    ]
  }

  /// Changes the file's list of schemas as another program would: open workspaces read the list again after a commit.
  private func edit(_ sql: String) throws {
    try RawDatabase.execute(sql, on: test.path)
    let other = try test.another()
    try other.workspace.transactAndWait { $0.dictionary["commit"] = UUID().uuidString }
    try test.core.checkForCommits()
  }

  private func expect(
    _ code: WorkspaceError.Code, naming part: String = "", sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: WorkspaceError.self, sourceLocation: sourceLocation, performing: body)
    let message = error?.message ?? ""
    #expect(
      error?.code == code && (part.isEmpty || message.contains(part)), "\(message)", sourceLocation: sourceLocation)
  }

  private func expectMismatch(
    _ sentence: String = Self.sentence, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    expect(.schemaVersionMismatch, naming: sentence, sourceLocation: sourceLocation, body)
  }

  // MARK: Reading

  @Test("A file without schemas is read, and the first changed value stores one") func olderFile() throws {
    try edit("DROP TABLE dflat_schema")
    let program = try test.another()
    #expect(program.dictionary["k"] == Mistaken("a"))
    #expect(try program.workspace.checkIntegrity() == [])
    program.dictionary["k"] = Second("b")
    try program.dictionary.synchronize()
    #expect(try test.storedSchema() == SecondProgram.schema?.text)
  }

  @Test("A program with a contradicting schema reads no value, wherever it reads, and the value stays")
  func refusedReads() throws {
    let before = try contents()
    let program = try test.another()
    let d = program.dictionary
    expectMismatch { _ = try d.value(forKey: "k", as: Mistaken.self) }
    expectMismatch { _ = try d.value(forKey: .mistaken) }
    #expect(d["k", Mistaken.self] == nil)
    #expect(d["k", default: Mistaken("default")] == Mistaken("default"))
    #expect(d[.mistaken] == Mistaken("default"))
    try program.workspace.fetchWithinASnapshot { () throws in
      expectMismatch { _ = try d.value(forKey: "k", as: Mistaken.self) }
      #expect(try d.value(forKey: "k", as: First.self) == First("a"))
    }
    try program.workspace.transactAndWait { txn in
      expectMismatch { _ = try txn.dictionary.value(forKey: "k", as: Mistaken.self) }
    }
    #expect(try program.errors.wait(forCount: 3).allSatisfy { $0.code == .schemaVersionMismatch && $0.key == "k" })
    #expect(d["k"] == First("a") && d.contains("k"))
    #expect(try contents() == before)
  }

  @Test("The error names the type, the file, and the remedy") func message() throws {
    let program = try test.another()
    for part in ["'App.Profile'", "dictionary's values", test.path, "Undo the edit", "change 'v'"] {
      expectMismatch(part) { _ = try program.dictionary.value(forKey: "k", as: Mistaken.self) }
    }
  }

  @Test("Observers with a contradicting schema get no value, and the errors are reported") func observers() throws {
    let program = try test.another()
    let log = EventLog<SubscribedDictionaryValue<Mistaken>>()
    let changes = EventLog<DictionaryChange>()
    let subscriptions = [
      program.dictionary.subscribe("k", of: Mistaken.self) { log.append($0) },
      program.dictionary.subscribe(withPrefix: "") { changes.append($0) },
    ]
    defer { for subscription in subscriptions { subscription.cancel() } }
    dictionary["k"] = First("b")
    try dictionary.synchronize()
    try program.core.checkForCommits()
    try program.settle()
    #expect(log.events == [.initial(nil), .deleted])
    #expect(try program.errors.wait(forCount: 2).map(\.code) == [.schemaVersionMismatch, .schemaVersionMismatch])
    let change = try #require(changes.events.first)
    expectMismatch { _ = try change.value(as: Mistaken.self) }
    #expect(try change.value(as: First.self) == First("b"))
    // A transaction that has nothing to do with the value, and doesn't join a group for it.
    try program.workspace.transactAndWait { _ in
      expectMismatch { _ = try change.value(as: Mistaken.self) }
    }
    // After the workspace is closed, there is no file to compare with: the last comparisons stand, although another
    // commit may have changed the list since.
    dictionary["other"] = 1
    try dictionary.synchronize()
    try program.core.checkForCommits()
    program.workspace.shutdown()
    #expect(try change.value(as: First.self) == First("b"))
    expectMismatch { _ = try change.value(as: Mistaken.self) }
  }

  @Test("A program that has read before is refused after another one has stored a contradicting schema")
  func contradictingSuccessors() throws {
    let second = try test.another()
    let other = try test.another()
    #expect(second.dictionary["k"] == Second("a"))
    #expect(other.dictionary["k"] == Other("a"))
    other.dictionary["new"] = Other("b")
    try other.dictionary.synchronize()
    try second.core.checkForCommits()
    // A value that is decoded already is still right.
    #expect(second.dictionary["k"] == Second("a"))
    let sentence = "'rating' (formerly 'note') is 'double' and was 'string'"
    expectMismatch(sentence) { _ = try second.dictionary.value(forKey: "new", as: Second.self) }
    second.dictionary["k"] = Second("c")
    expectMismatch(sentence) { try second.dictionary.synchronize() }
    #expect(try test.storedSchema() == OtherProgram.schema?.text)
    #expect(dictionary["k"] == First("a"))
  }

  @Test("A snapshot compares with the schema of its own commit") func snapshot() throws {
    let second = try test.another()
    try second.workspace.fetchWithinASnapshot {
      #expect(try second.dictionary.value(forKey: "k", as: First.self) == First("a"))
      let other = try test.another()
      other.dictionary["k"] = Other("b")
      try other.dictionary.synchronize()
      #expect(try second.dictionary.value(forKey: "k", as: Second.self) == Second("a"))
    }
    try second.core.checkForCommits()
    expectMismatch("'rating'") { _ = try second.dictionary.value(forKey: "k", as: Second.self) }
  }

  // MARK: Writing

  @Test("A plain write with a contradicting schema fails alone, and touches nothing") func refusedPlainWrites() throws {
    let program = try test.another()
    let d = program.dictionary
    d["k"] = Mistaken("b")
    d["kept"] = 1
    d["new"] = Mistaken("c")
    expectMismatch { try d.synchronize() }
    #expect(d["k"] == First("a") && !d.contains("new") && d["kept", Int.self] == 1)
    #expect(try text("SELECT group_concat(key) FROM (SELECT key FROM dictionary ORDER BY key)") == "k,kept")
    #expect(try test.storedSchema() == FirstProgram.schema?.text)
    #expect(program.errors.events.allSatisfy { $0.code == .schemaVersionMismatch })
    // A batch with nothing else commits nothing.
    let before = try contents()
    d["k"] = Mistaken("b")
    expectMismatch { try d.synchronize() }
    #expect(try contents() == before)
  }

  @Test("A transaction that writes with a contradicting schema fails, and touches nothing")
  func refusedTransactions() throws {
    let before = try contents()
    let program = try test.another()
    let changes: [(TransactionContext) throws -> Void] = [
      { $0.dictionary["k"] = Mistaken("b") },
      { $0.dictionary["new"] = Mistaken("b") },
      {
        $0.dictionary["kept"] = 1
        $0.dictionary[.mistaken] = Mistaken("b")
      },
      {
        $0.dictionary.removeAll()
        $0.dictionary["k"] = Mistaken("b")
      },
      { _ = try $0.dictionary.update("k", default: Mistaken()) { $0.count += 1 } },
      { _ = try $0.dictionary.compareAndSet("k", expected: Mistaken("a"), new: Mistaken("b")) },
    ]
    for change in changes { expectMismatch { try program.workspace.transactAndWait { try change($0) } } }
    #expect(try contents() == before)
    #expect(program.dictionary["kept", Int.self] == nil)
    // Other transactions of the program go on.
    try program.workspace.transactAndWait { $0.dictionary["k"] = First("b") }
    try test.core.checkForCommits()
    #expect(dictionary["k"] == First("b"))
  }

  @Test("A write of the value that is in the file changes nothing, also with a contradicting schema") func same() throws
  {
    let before = try contents()
    let program = try test.another()
    program.dictionary["k"] = Mistaken("a")
    try program.dictionary.synchronize()
    try program.workspace.transactAndWait { $0.dictionary["k"] = Mistaken("a") }
    #expect(try contents() == before)
  }

  @Test("With another version, values start over, and a migration reads the earlier ones") func versions() throws {
    let program = try test.another()
    #expect(program.dictionary[.migrating] == Versioned("a"))
    program.dictionary[.migrating] = Versioned("b")
    try program.dictionary.synchronize()
    #expect(try test.storedSchema("dictionary:App.Profile:2") == VersionedProgram.schema?.text)
    // The file keeps the value that the write has replaced.
    #expect(
      try program.dictionary.replacedValues().map(\.value) == [
        .flatBuffers(First("a").toData(), schemaVersion: nil)
      ])
    #expect(try test.storedSchema() == FirstProgram.schema?.text)
    let fresh = try test.another()
    #expect(fresh.dictionary[.migrating] == Versioned("b"))
    expect(.schemaVersionMismatch, naming: "version '2'") {
      _ = try fresh.dictionary.value(forKey: "k", as: First.self)
    }
    #expect(try test.workspace.checkIntegrity() == [])
  }

  @Test("A migration reads values of the file's schema, but without another version its key can't be written")
  func migrationWithoutVersion() throws {
    let before = try contents()
    let program = try test.another()
    let key = DictionaryKey(
      "k", default: Mistaken("default"), migrating: [.from(First.self) { Mistaken($0.name, count: $0.count) }])
    #expect(program.dictionary[key] == Mistaken("a"))
    #expect(program.errors.events.isEmpty)
    program.dictionary[key] = Mistaken("b")
    expectMismatch { try program.dictionary.synchronize() }
    #expect(program.dictionary[key] == Mistaken("a"))
    #expect(try contents() == before)
  }

  // MARK: Damage

  @Test(
    "A damaged schema is reported, and repaired by its removal",
    arguments: ["digest = 7", "digest = 'none'", "schema = x'00', digest = 8"])
  func damaged(change: String) throws {
    let program = try test.another()
    try edit("UPDATE dflat_schema SET \(change)")
    try program.core.checkForCommits()
    expect(.corrupt, naming: "'App.Profile'") { _ = try program.dictionary.value(forKey: "k", as: First.self) }
    program.dictionary["k"] = First("b")
    expect(.corrupt) { try program.dictionary.synchronize() }
    let subject = "stored schema of the dictionary's 'App.Profile'"
    #expect(try program.workspace.checkIntegrity() == ["The \(subject) is damaged."])
    #expect(try program.workspace.reindex() == ["Removed the \(subject), which was damaged."])
    #expect(try program.workspace.checkIntegrity() == [])
    #expect(program.dictionary["k"] == First("a"))
    program.dictionary["k"] = First("b")
    try program.dictionary.synchronize()
    #expect(try test.storedSchema() == FirstProgram.schema?.text)
  }

  @Test("A schema that only a newer program can read refuses the values with .newerFormat") func unknownSyntax() throws
  {
    let unknown = "table Profile { name: string } root_type Profile @later;"
    let digest = FlatBuffersSchema(root: "App.Profile", text: unknown).digest
    try edit("UPDATE dflat_schema SET schema = '\(unknown)', digest = \(digest)")
    let program = try test.another()
    expect(.newerFormat) { _ = try program.dictionary.value(forKey: "k", as: First.self) }
    program.dictionary["k"] = First("b")
    expect(.newerFormat) { try program.dictionary.synchronize() }
    let problems = try program.workspace.checkIntegrity()
    #expect(problems.count == 1 && problems[0].contains("dictionary's 'App.Profile' can't be read"), "\(problems)")
    #expect(try program.workspace.reindex() == [])
  }

  @Test("A value whose schema contradicts the program's is kept aside when it is removed") func removed() throws {
    try expectKeptWhenRemoved()
  }

  @Test("A value whose schema this program can't parse is kept aside when it is removed") func removedUnknown() throws {
    let unknown = "table Profile { name: string } root_type Profile @later;"
    let digest = FlatBuffersSchema(root: "App.Profile", text: unknown).digest
    try edit("UPDATE dflat_schema SET schema = '\(unknown)', digest = \(digest)")
    try expectKeptWhenRemoved()
  }

  private func expectKeptWhenRemoved() throws {
    let program = try test.another()
    // The two accesses of `dictionary["k", Mistaken.self]?.count += 1`.
    #expect(program.dictionary["k", Mistaken.self] == nil)
    program.dictionary["k", Mistaken.self] = nil
    try program.dictionary.synchronize()
    #expect(!program.dictionary.contains("k"))
    let kept = try program.dictionary.replacedValues()
    #expect(kept.map(\.value) == [.flatBuffers(First("a").toData(), schemaVersion: nil)])
  }

  @Test("A workspace that only reads compares, and stores nothing") func readOnly() throws {
    let program = try test.another { $0.isReadOnly = true }
    expectMismatch { _ = try program.dictionary.value(forKey: "k", as: Mistaken.self) }
    #expect(program.dictionary["k"] == Second("a"))
    #expect(try test.storedSchema() == FirstProgram.schema?.text)
  }

  @Test("A type that also conforms to Codable is compared, also where only that is known of it") func codable() throws {
    func read<T: DictionaryCodable>(_ type: T.Type, from dictionary: WorkspaceDictionary) throws -> T? {
      try dictionary.value(forKey: "k", as: type)
    }
    func write<T: DictionaryCodable>(_ value: T, to dictionary: WorkspaceDictionary) throws {
      dictionary["k"] = value
      try dictionary.synchronize()
    }
    let before = try contents()
    let program = try test.another()
    expectMismatch { _ = try read(CodableProfile.self, from: program.dictionary) }
    expectMismatch { try write(CodableProfile(count: 7), to: program.dictionary) }
    #expect(program.dictionary["k"] == First("a"))
    #expect(try contents() == before)
  }

  @Test("A stored schema of another type under the right digest is refused") func otherType() throws {
    let text = "namespace App; table Profile (v: \"9\") { name: string; } root_type Profile;"
    let digest = FlatBuffersSchema(root: "App.Profile", text: text).digest
    try edit("UPDATE dflat_schema SET schema = '\(text)', digest = \(digest)")
    let program = try test.another()
    expectMismatch("the stored schema describes the type 'App.Profile:9', not 'App.Profile'.") {
      _ = try program.dictionary.value(forKey: "k", as: First.self)
    }
  }

  @Test("Rows of parts that this version doesn't know are left alone") func unknownParts() throws {
    try edit("INSERT INTO dflat_schema VALUES ('later:App.Profile', 7, 'damaged')")
    #expect(try test.workspace.checkIntegrity() == [])
    #expect(try test.workspace.reindex() == [])
    #expect(try text("SELECT count(*) FROM dflat_schema") == "2")
  }
}
