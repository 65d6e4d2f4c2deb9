import DflatKV
import DflatSQLite
import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Stored schemas that a program can't read, and damaged ones.
@Suite struct DamagedSchemaTests: StoredSchemaSuite {
  let test: TestWorkspace

  init() throws { test = try Self.workspaceWithItems() }

  private static let unknown = "table EvolvingItem { key: string (primary) } root_type EvolvingItem @later;"

  @Test("A schema that only a newer program can read refuses the type's objects with .newerFormat")
  func unknownSyntax() throws {
    try edit(
      """
      UPDATE dflat_schema SET schema = '\(Self.unknown)', digest = \(FlatBuffersSchema.digest(of: Self.unknown))
      """)
    #expect(try errorCode { _ = try workspace.query(for: Item<FirstProgram>.self).fetch() } == .newerFormat)
    #expect(try errorCode { try workspace.insert(Item<FirstProgram>("c")) } == .newerFormat)
    let problems = try workspace.checkIntegrity([Item<FirstProgram>.self])
    #expect(
      problems == ["The stored schema of 'evolving_item' can't be read by this program: a newer program stored it."])
    #expect(try workspace.reindex([Item<FirstProgram>.self]) == [])
  }

  @Test("A text that is too large is not parsed, and counts as a newer program's") func hugeText() throws {
    let text = ItemText.first + String(repeating: " ", count: 1 << 16)
    try edit("UPDATE dflat_schema SET schema = '\(text)', digest = \(FlatBuffersSchema.digest(of: text))")
    #expect(try errorCode { _ = try workspace.query(for: Item<FirstProgram>.self).fetch() } == .newerFormat)
    #expect(try workspace.checkIntegrity().count == 1)
  }

  @Test("A row whose name is not text belongs to no table: the check and the repair leave it alone")
  func unnamed() throws {
    try edit("INSERT INTO dflat_schema VALUES (CAST('evolving_item' AS BLOB), 7, 'damaged')")
    #expect(try workspace.checkIntegrity([Item<FirstProgram>.self]) == [])
    #expect(try workspace.reindex([Item<FirstProgram>.self]) == [])
    #expect(try storedSchema() == ItemText.first)
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 2)
  }

  @Test(
    "A damaged schema is reported, and repaired by its removal",
    arguments: ["digest = 7", "digest = 'none'", "schema = x'00', digest = 8", "schema = '\(unknown)', digest = 9"])
  func damaged(change: String) throws {
    try edit("UPDATE dflat_schema SET \(change)")
    #expect(try errorCode { _ = try workspace.query(for: Item<FirstProgram>.self).fetch() } == .corrupt)
    #expect(try errorCode { try workspace.insert(Item<FirstProgram>("c")) } == .corrupt)
    let problems = try workspace.integrityProblems(of: [EntitySchema(Item<FirstProgram>.self)])
    #expect(problems.map(\.line) == ["The stored schema of 'evolving_item' is damaged."])
    #expect(problems.map(\.isRepairable) == [true])
    #expect(
      try workspace.reindex([Item<FirstProgram>.self]) == [
        "Removed the stored schema of 'evolving_item', which was damaged."
      ])
    #expect(try workspace.checkIntegrity([Item<FirstProgram>.self]) == [])
    try workspace.insert(Item<FirstProgram>("c"))
    #expect(try storedSchema() == ItemText.first)
  }

  @Test("A text that is damaged under the right digest is found by the check") func damagedText() throws {
    try edit("UPDATE dflat_schema SET schema = schema || ' '")
    #expect(try workspace.query(for: Item<FirstProgram>.self).count() == 2)
    #expect(try workspace.checkIntegrity() == ["The stored schema of 'evolving_item' is damaged."])
  }
}
