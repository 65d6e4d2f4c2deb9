import DflatKV
import DflatSQLite
import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// Tests of a file in which `FirstProgram` has stored two items, "a" and "b".
protocol StoredSchemaSuite {
  var test: TestWorkspace { get }
}

extension StoredSchemaSuite {
  var workspace: SQLiteWorkspace { test.workspace }

  static func workspaceWithItems() throws -> TestWorkspace {
    let test = try TestWorkspace()
    try test.workspace.insert(Item<FirstProgram>("a") { $0.count = 1 }, Item<FirstProgram>("b"))
    return test
  }

  /// Returns the file's content: the schema and each row.
  func contents() throws -> [String] {
    let connection = try Connection(path: test.path, mode: .readOnly, busyTimeout: .seconds(30))
    defer { connection.close() }
    var lines: [String] = []
    for sql in [
      "SELECT digest || schema FROM dflat_schema ORDER BY table_name",
      "SELECT rowid || hex(payload) FROM evolving_item ORDER BY rowid",
      "SELECT name || sql FROM sqlite_master WHERE type = 'table' ORDER BY name",
    ] {
      try connection.prepare(sql).forEachRow { lines.append($0.string(at: 0)) }
    }
    return lines
  }

  /// Changes the file's list of schemas as another program would: open workspaces read the list again after a commit.
  func edit(_ sql: String) throws {
    try RawDatabase.execute(sql, on: test.path)
    try commitElsewhere()
  }

  func commitElsewhere() throws {
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    try other.transactAndWait { $0.dictionary["commit"] = UUID().uuidString }
  }

  func storedSchema() throws -> String? {
    try RawDatabase(test.path).text("SELECT schema FROM dflat_schema WHERE table_name = 'evolving_item'")
  }

  /// Runs `body` in a transaction, with the description of a program that has the schema.
  func use(_ text: String, _ body: (EntityDescription, Connection) throws -> Void) throws {
    let entity = ItemPath.entity([], schema: text)
    try workspace.transactAndWait { txn in
      let group = try txn.joinedGroup()
      try body(entity, group.connection)
      group.hasChanges = true
    }
  }

  func expectMismatch(
    naming sentence: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: WorkspaceError.self, sourceLocation: sourceLocation, performing: body)
    let message = error?.message ?? ""
    #expect(
      error?.code == .schemaVersionMismatch && message.contains(sentence), "\(message)", sourceLocation: sourceLocation)
    #expect(message.contains("EvolvingItem") && message.contains(test.path), sourceLocation: sourceLocation)
  }
}
