import DflatKV
import Foundation
import TestSupport
import Testing

/// Files store the schemas of the FlatBuffers values in their dictionaries.
@Suite struct ValueSchemaStoringTests {
  private typealias First = Profile<FirstProgram>
  private typealias Second = Profile<SecondProgram>
  private typealias Other = Profile<OtherProgram>
  private typealias Mistaken = Profile<MistakenProgram>

  private struct Refusal: Error {}

  private let test: TestWorkspace
  private var dictionary: WorkspaceDictionary { test.dictionary }

  init() throws {
    test = try TestWorkspace()
    test.dictionary["k"] = First("a")
    try test.dictionary.synchronize()
  }

  @Test("The first value of a type stores its schema, once for all keys and namespaces") func first() throws {
    #expect(try test.storedSchema() == FirstProgram.schema?.text)
    let schema = try #require(FirstProgram.schema)
    #expect(try RawDatabase(test.path).text("SELECT digest FROM dflat_schema") == String(schema.digest))
    dictionary["other"] = First("b")
    dictionary.namespace("inner")["k"] = First("c")
    try test.workspace.transactAndWait { $0.dictionary["third"] = First("d") }
    try dictionary.synchronize()
    #expect(try RawDatabase(test.path).text("SELECT count(*) FROM dflat_schema") == "1")
    #expect(try test.workspace.checkIntegrity() == [])
  }

  @Test("A transaction stores the schema with its first value, in the same commit") func transaction() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      txn.dictionary["k"] = First("a")
      // The value is staged, and the schema is stored with it.
      #expect(txn.dictionary["k"] == First("a"))
    }
    let file = try RawDatabase(test.path)
    #expect(try file.text("SELECT schema FROM dflat_schema") == FirstProgram.schema?.text)
    #expect(try file.text("SELECT max(commit_number) FROM dflat_log") == "1")
  }

  @Test("A transaction that is undone stores no schema, alone or in a group of several", arguments: [false, true])
  func undone(isSecond: Bool) throws {
    let test = try TestWorkspace { $0.commitLate() }
    if isSecond { test.dictionary["before"] = 1 }
    #expect(throws: Refusal.self) { () throws in
      try test.workspace.transactAndWait { txn in
        txn.dictionary["k"] = First("a")
        throw Refusal()
      }
    }
    try test.dictionary.synchronize()
    let file = try RawDatabase(test.path)
    #expect(try file.text("SELECT name FROM sqlite_master WHERE name = 'dflat_schema'") == nil)
    test.dictionary["k"] = Other("a")
    try test.dictionary.synchronize()
    #expect(try file.text("SELECT schema FROM dflat_schema") == OtherProgram.schema?.text)
  }

  @Test("A newer schema is stored with its first changed value, not with reads; an older one changes nothing")
  func newerAndOlder() throws {
    let newer = try test.another()
    #expect(newer.dictionary["k"] == Second("a"))
    // The same bytes change nothing.
    newer.dictionary["k"] = Second("a")
    try newer.dictionary.synchronize()
    #expect(try test.storedSchema() == FirstProgram.schema?.text)
    newer.dictionary["k"] = Second("b")
    try newer.dictionary.synchronize()
    #expect(try test.storedSchema() == SecondProgram.schema?.text)
    try test.core.checkForCommits()
    #expect(dictionary["k"] == First("b"))
    dictionary["k"] = First("c")
    try dictionary.synchronize()
    #expect(try test.storedSchema() == SecondProgram.schema?.text)
    try newer.core.checkForCommits()
    #expect(newer.dictionary["k"] == Second("c"))
    #expect(newer.errors.events.isEmpty && test.errors.events.isEmpty)
  }

  @Test("Values of a type without a schema, and values given as bytes, are not compared, and store none")
  func silent() throws {
    let before = try test.storedSchema()
    dictionary["k"] = Profile<SilentProgram>("b")
    dictionary["bytes"] = StoredValue.flatBuffers(Mistaken("c").toData(), schemaVersion: nil)
    try dictionary.synchronize()
    #expect(dictionary["k"] == First("b"))
    #expect(dictionary["bytes"] == First("c"))
    #expect(try test.storedSchema() == before)
    #expect(try RawDatabase(test.path).text("SELECT count(*) FROM dflat_schema") == "1")
  }
}
