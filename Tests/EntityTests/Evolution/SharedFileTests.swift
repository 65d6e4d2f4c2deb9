import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatEntities

/// Files that programs with other schemas have written.
@Suite struct SharedFileTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace { $0.fillsIndexes = false }
    var random = SeededGenerator(seed: 20)
    let items = (0..<60).map { Item<V1>.random("item \($0)", using: &random) }
    try workspace.transactAndWait([Item<V1>.self]) { txn in for item in items { try txn.insert(item) } }
  }

  @Test("Removed indexes that a schema no longer lists can be filled again by an older program")
  func removal() throws {
    var random = SeededGenerator(seed: 21)
    try fill("serial", of: V2.self, on: workspace)
    try fill("rating", of: V2.self, on: workspace)
    let other = try TestWorkspace.open(test.path) { $0.fillsIndexes = false }
    defer { other.shutdown() }
    try writeAtRandom(V2.self, to: other, using: &random)
    #expect(try workspace.removeUnusedIndexes(of: Item<V3>.self) == ["f14", "f18", "f6"])
    #expect(try workspace.removeUnusedIndexes(of: Item<V3>.self) == [])
    #expect(try entry("serial", of: V2.self, in: other) == nil)
    #expect(try entry("rating", of: V3.self, in: other) != nil)
    // Another program that used the removed indexes.
    try writeAtRandom(V2.self, to: other, using: &random)
    try expectRightAnswers(V2.self, from: other)
    try expectRightAnswers(V1.self, from: other)
    try fill("serial", of: V2.self, on: other)
    try writeAtRandom(V3.self, to: workspace, using: &random)
    try expectRightAnswers(V2.self, from: other)
    #expect(try #require(try entry("serial", of: V2.self, in: workspace)).isComplete)
  }

  @Test("Removing indexes does nothing in a file without the table, and fails if it is read-only")
  func nothingToRemove() throws {
    let empty = try TestWorkspace()
    #expect(try empty.workspace.removeUnusedIndexes(of: Item<V1>.self) == [])
    #expect(try empty.workspace.fileStatistics().commitNumber == 0)
    let readOnly = try TestWorkspace.open(test.path) { $0.isReadOnly = true }
    defer { readOnly.shutdown() }
    let error = #expect(throws: WorkspaceError.self) { try readOnly.removeUnusedIndexes(of: Item<V3>.self) }
    #expect(error?.code == .readOnly)
  }

  @Test("Reading a read-only file with a newer schema changes nothing in it or beside it")
  func readOnly() throws {
    var filler = try IndexFill(of: V2.self, "rating", rowsInStep: 20)
    try expectStep(&filler, on: workspace, .more)
    try expectStep(&filler, on: workspace, .more)
    workspace.shutdown(flags: .truncate)
    let folder = test.directory.path + "/sealed"
    let path = folder + "/test.db"
    let files = FileManager.default
    try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try files.copyItem(atPath: test.path, toPath: path)
    try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let reported = EventLog<WorkspaceError>()
    let reader = try TestWorkspace.open(path) { options in
      options.isReadOnly = true
      options.errorHandler = { reported.append($0) }
    }
    let stored = try Copy(path, in: test.directory).objects()
    for question in ItemQuestion<V2>.all {
      let given = try question.query(reader.query(for: Item<V2>.self)).fetch().map(\._rowid)
      #expect(given == question.answer(stored).map(\._rowid), "\(question.name)")
    }
    #expect(try reader.query(for: Item<V2>.self).where(Item<V2>.rating > 1).explain().indexes == [])
    // A schema without a table in the file.
    #expect(try reader.query(for: Nowhere.self).count() == 0)
    reader.shutdown()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try files.contentsOfDirectory(atPath: folder) == ["test.db"])
    #expect(reported.events.isEmpty)
  }

  /// The objects of a file, read from a copy, because reading them makes files beside it.
  private struct Copy {
    let path: String

    init(_ path: String, in directory: TemporaryDirectory) throws {
      self.path = directory.file("copy.db")
      try FileManager.default.copyItem(atPath: path, toPath: self.path)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: self.path)
    }

    func objects() throws -> [Item<V2>] { try EntityFileCheck(Item<V2>.self, in: path).objects() }
  }

  @Test("An index with an unknown definition of a newer program allows reads and refuses writes")
  func newer() throws {
    try workspace.transactAndWait { txn in
      let group = try txn.joinedGroup()
      try group.connection.execute(
        """
        CREATE TABLE evolving_item__f99 (rowid INTEGER PRIMARY KEY, f99);
        INSERT INTO dflat_index (table_name, path, definition, filled_to, last, checked)
        VALUES ('evolving_item', 'f99', 'soundex:99', 0, 0, 0)
        """)
      group.hasChanges = true
      group.connection.dropCatalogs()
    }
    let query = workspace.query(for: Item<V1>.self)
    #expect(try query.where(Item<V1>.count > 3).explain().indexes == ["count"])
    #expect(try query.count() == 60)
    let error = #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait([Item<V1>.self]) { _ = try $0.insert(Item<V1>("new")) }
    }
    #expect(error?.code == .newerFormat)
    // A deletion is refused as cleanly: the transaction continues.
    let item = try #require(try query.first())
    try workspace.transactAndWait([Item<V1>.self]) { txn in
      let codes = [
        try errorCode { try txn.delete(item) },
        try errorCode { try txn.deleteAll(Item<V1>.self, where: Item<V1>.count > 3) },
        try errorCode { try txn.deleteAll(Item<V1>.self) },
      ]
      #expect(codes == [.newerFormat, .newerFormat, .newerFormat])
      txn.dictionary["continues"] = true
    }
    #expect(workspace.dictionary["continues", Bool.self] == true)
    #expect(try query.count() == 60)
  }
}

/// A schema whose table is in no file.
private enum NowhereSchema: ItemSchema {
  static let version = 1
  static let entity = EntityDescription("nowhere", primaryKey: [.init("key", ItemPath.key)])
}

private typealias Nowhere = Item<NowhereSchema>
