import DflatKV
import DflatSQLite
import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Files store the schemas of their objects.
@Suite struct StoredSchemaTests: StoredSchemaSuite {
  let test: TestWorkspace

  init() throws { test = try Self.workspaceWithItems() }

  @Test("The first object of a type stores its schema") func first() throws {
    #expect(try storedSchema() == ItemText.first)
    let digest = try RawDatabase(test.path).text("SELECT digest FROM dflat_schema")
    #expect(digest == String(FlatBuffersSchema.digest(of: ItemText.first)))
    #expect(try workspace.checkIntegrity([Item<FirstProgram>.self]) == [])
  }

  @Test("The lists are read again after another program's commit or a change of a list, not after other commits")
  func catalogNumbers() throws {
    func number() throws -> UInt64? {
      var number: UInt64?
      try workspace.transactAndWait { txn in
        number = try txn.joinedGroup().connection.catalogNumber
        txn.dictionary["own"] = UUID().uuidString
      }
      return number
    }
    let first = try #require(try number())
    #expect(try number() == first)
    try workspace.insert(Item<FirstProgram>("c"))
    #expect(try number() == first)
    try commitElsewhere()
    let second = try #require(try number())
    #expect(second != first)
    // This program's next version stores its schema.
    try use(ItemText.second) { try SchemaCatalog.store($0, on: $1) }
    let third = try #require(try number())
    #expect(third != second)
    // Other tools change a list without a commit number.
    try RawDatabase.execute("UPDATE dflat_schema SET digest = digest + 1", on: test.path)
    #expect(try number() == nil)
  }

  @Test("The digest is the 64-bit FNV-1a hash") func digest() {
    let examples: KeyValuePairs<String, UInt64> = [
      "": 0xcbf2_9ce4_8422_2325, "a": 0xaf63_dc4c_8601_ec8c, "foobar": 0x8594_4171_f739_67e8,
    ]
    for (text, hash) in examples { #expect(FlatBuffersSchema.digest(of: text) == Int64(bitPattern: hash), "\(text)") }
  }

  @Test("A transaction that is undone stores no schema") func undone() throws {
    let test = try TestWorkspace()
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait([Item<FirstProgram>.self]) { txn in
        _ = try txn.insert(Item<FirstProgram>("a"))
        throw Refusal()
      }
    }
    #expect(try RawDatabase(test.path).text("SELECT name FROM sqlite_master WHERE name = 'dflat_schema'") == nil)
    try test.workspace.insert(Item<OtherProgram>("a"))
    #expect(try RawDatabase(test.path).text("SELECT schema FROM dflat_schema") == ItemText.other)
  }

  @Test("A part of a transaction that is undone stores no schema, and the next part stores it")
  func undonePart() throws {
    let newer = try TestWorkspace.open(test.path)
    defer { newer.shutdown() }
    try newer.transactAndWait([Item<SecondProgram>.self]) { txn in
      let connection = try txn.joinedGroup().connection
      var count = 0
      #expect(throws: Refusal.self) {
        try txn.updateAll(Item<SecondProgram>.self) { values throws in
          values.rating = 1
          count += 1
          guard count < 2 else {
            #expect(try connection.text("SELECT schema FROM dflat_schema") == ItemText.second)
            throw Refusal()
          }
        }
      }
      #expect(try connection.text("SELECT schema FROM dflat_schema") == ItemText.first)
      try txn.insert(Item<SecondProgram>("c"))
    }
    #expect(try storedSchema() == ItemText.second)
  }

  @Test("A commit stores no schema for a write that was refused, and the next write stores it") func refused() throws {
    let newer = try TestWorkspace.open(test.path)
    defer { newer.shutdown() }
    let gone = try #require(try newer.query(for: Item<SecondProgram>.self).first())
    try newer.transactAndWait([Item<FirstProgram>.self, Item<SecondProgram>.self]) { txn in
      try txn.delete(Item<FirstProgram>("b"))
      let codes = [
        try errorCode { try txn.insert(Item<SecondProgram>("a")) },
        try errorCode { try txn.delete(Item<SecondProgram>("b")) },
      ]
      #expect(codes == [.objectAlreadyExists, .objectNotFound])
      try txn.delete(Item<FirstProgram>("a"))
      #expect(try errorCode { try txn.delete(gone) } == .objectNotFound)
      txn.dictionary["committed"] = true
    }
    #expect(newer.dictionary["committed", Bool.self] == true)
    #expect(try storedSchema() == ItemText.first)
    try newer.insert(Item<SecondProgram>("c"))
    #expect(try storedSchema() == ItemText.second)
  }

  @Test("Refused writes to a file that lacks nothing keep what is known of its lists")
  func refusedWithoutChanges() throws {
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try other.transactAndWait([Item<FirstProgram>.self]) { txn in
      func upkeepAfterRefusal() throws -> TableUpkeep {
        #expect(try errorCode { try txn.insert(Item<FirstProgram>("a")) } == .objectAlreadyExists)
        return try #require(txn.entities[FirstProgram.entity]?.upkeep)
      }
      let upkeep = try upkeepAfterRefusal()
      #expect(try upkeepAfterRefusal() === upkeep)
      let connection = try txn.joinedGroup().connection
      #expect(TableUpkeep.known(for: FirstProgram.entity, on: connection) === upkeep)
    }
  }

  @Test("A newer schema is stored with its first write, not with reads; an older one changes nothing")
  func newerAndOlder() throws {
    let newer = try TestWorkspace.open(test.path)
    defer { newer.shutdown() }
    #expect(try newer.query(for: Item<SecondProgram>.self).fetch().count == 2)
    #expect(try storedSchema() == ItemText.first)
    try newer.insert(Item<SecondProgram>("c") { $0.rating = 1.5 })
    #expect(try storedSchema() == ItemText.second)
    try workspace.insert(Item<FirstProgram>("d"))
    #expect(try storedSchema() == ItemText.second)
    #expect(try workspace.query(for: Item<FirstProgram>.self).fetch().map(\.fields.key) == ["a", "b", "c", "d"])
    #expect(try newer.query(for: Item<SecondProgram>.self).where(Item<SecondProgram>.rating > 1).count() == 1)
  }

  @Test("A file without schemas is read, and the first write stores one") func olderFile() throws {
    workspace.shutdown(flags: .truncate)
    try RawDatabase.execute("DROP TABLE dflat_schema", on: test.path)
    let program = try TestWorkspace.open(test.path)
    defer { program.shutdown() }
    #expect(try program.query(for: Item<SecondProgram>.self).fetch().count == 2)
    #expect(try program.checkIntegrity([Item<SecondProgram>.self]) == [])
    try program.insert(Item<SecondProgram>("c"))
    #expect(try storedSchema() == ItemText.second)
  }

  @Test("After another tool drops the list, objects are read, and the next write stores the schema again")
  func droppedList() throws {
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 2)
    try edit("DROP TABLE dflat_schema")
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 2)
    #expect(try workspace.checkIntegrity([Item<FirstProgram>.self]) == [])
    try workspace.insert(Item<FirstProgram>("c"))
    #expect(try storedSchema() == ItemText.first)
  }
}
