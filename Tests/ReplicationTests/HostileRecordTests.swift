import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore

/// Records and snapshots that this library has not written, or that were damaged.
@Suite struct HostileRecordTests {
  private typealias Article = Golden.Search.Article
  private let replicas: Replicas
  private let number: UInt64
  private let content: CommitContent

  /// One machine has two commits, the other only the first of them.
  init() throws {
    replicas = try Replicas()
    let one = try replicas.open("one")
    try one.transactAndWait([Article.self]) { txn in
      txn.dictionary["k"] = "before"
      try txn.insert(Article(id: 1, title: "fox", tag: "t"))
    }
    replicas.close(try replicas.open("victim"))
    try one.transactAndWait([Article.self]) { txn in
      txn.dictionary["k"] = "after"
      txn.dictionary["new"] = String(repeating: "x", count: 300)
      try txn.insert(Article(id: 2, title: "hare", tag: "t"))
    }
    number = replicas.cluster.head
    content = try CommitContent(decoding: try #require(replicas.cluster.record(number)))
    replicas.close(one)
  }

  /// Opens the victim. The record has to be refused as a whole, or taken as a whole.
  private func open(expectsRefusal: Bool, _ comment: Comment) throws {
    var refused = false
    do { replicas.close(try replicas.open("victim")) } catch is WorkspaceError { refused = true }
    if expectsRefusal { #expect(refused, comment) }
    let reader = try TestWorkspace.open(replicas.path("victim")) { $0.isReadOnly = true }
    defer { reader.shutdown() }
    let position = try reader.fileStatistics().commitNumber
    #expect(position == (refused ? number - 1 : number), comment)
    if refused {
      #expect(reader.dictionary["k", String.self] == "before", comment)
      #expect(reader.fetch(for: Article.self).all().count == 1, comment)
      #expect(try reader.checkIntegrity([Article.self]) == [], comment)
    }
  }

  @Test(
    "Statements that this library doesn't write are refused, and change nothing",
    arguments: [
      "DELETE FROM dictionary", "DROP TABLE dictionary", "DROP TABLE dflat_log", "DROP TABLE dflat_cluster",
      "DROP TABLE dflat_entity", "CREATE TABLE temp.dictionary (key, value)",
      "CREATE TABLE a (x); DELETE FROM dictionary",
      "CREATE INDEX i ON dictionary (value)", "CREATE UNIQUE INDEX i ON dflat_log (changes)",
      "CREATE VIRTUAL TABLE temp.dictionary USING fts5(x)",
      "CREATE TRIGGER t AFTER INSERT ON dictionary BEGIN SELECT 1; END", "CREATE VIEW v AS SELECT 1",
      "PRAGMA writable_schema = ON", "COMMIT", "DROP TABLE dictionary; COMMIT", "nonsense", "CREATE TABLE",
      "create table x (y)", "ATTACH 'x' AS y", "\u{0}DELETE FROM dictionary",
    ])
  func statements(text: String) throws {
    var changed = content
    changed.segments[0].schemaChanges = [text]
    replicas.cluster.replaceRecord(number, changed.encoded)
    try open(expectsRefusal: true, "\(text)")
  }

  @Test(
    "A record with a feature that this version doesn't know is refused", arguments: [1, 8, 16, 6, 2, 4, 0] as [Int64])
  func features(number features: Int64) throws {
    var changed = content
    changed.features = FileFormat.Features(rawValue: features)
    replicas.cluster.replaceRecord(number, changed.encoded)
    let isKnown = features & ~6 == 0
    try open(expectsRefusal: !isKnown, "\(features)")
    let connection = try Connection(path: replicas.path("victim"), mode: .readWrite, busyTimeout: .seconds(30))
    #expect(try connection.integer("PRAGMA user_version") == 2 + (isKnown ? features : 0))
  }

  @Test("Any damaged byte of a record is refused or taken as a whole, without a trap")
  func flippedBytes() throws {
    let bytes = content.encoded
    let original = try Data(contentsOf: URL(fileURLWithPath: replicas.path("victim")))
    var random = SeededGenerator(seed: 5)
    for round in 0..<150 {
      try original.write(to: URL(fileURLWithPath: replicas.path("victim")))
      var changed = bytes
      // The beginning of a changeset describes its tables.
      let index = round < 80 ? round : Int.random(in: 0..<bytes.count, using: &random)
      changed[index % bytes.count] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
      replicas.cluster.replaceRecord(number, changed)
      try open(expectsRefusal: false, "byte \(index)")
    }
  }

  @Test("Rows of tables that no record may change are refused", arguments: ["dflat_log", "dflat_cluster"])
  func localTables(name: String) throws {
    // Recorded without the exclusion of these tables.
    let file = replicas.directory.file("source.db")
    try FileManager.default.copyItem(atPath: replicas.path("one"), toPath: file)
    let source = try Connection(path: file, mode: .readWrite, busyTimeout: .seconds(30))
    defer { source.close() }
    try source.beginImmediate()
    let recorder = try ChangeRecorder(on: source, excluding: [])
    try source.execute("DELETE FROM \(name)")
    let segments = try #require(try recorder.finish())
    try source.rollBack()
    replicas.cluster.replaceRecord(number, CommitContent(changes: content.changes, segments: segments).encoded)
    try open(expectsRefusal: true, "\(name)")
  }
}
