package import DflatKV
import Foundation
internal import GoldenModels

/// A file with many objects whose indexes aren't filled, as a program with a schema without indexes leaves it.
package enum MemberFile {
  /// The number of objects, enough that filling an index takes several steps.
  package static let count = 1_300

  /// The bytes of the file, which takes long to create.
  private static let bytes = Result {
    let folder = try TemporaryDirectory("members")
    try write(folder.file())
    return try Data(contentsOf: URL(fileURLWithPath: folder.file()))
  }

  /// Creates the file. The last object has the unique `email` of the third one: the index can be filled, and must never
  /// be marked as checked.
  package static func make(at path: String) throws { try bytes.get().write(to: URL(fileURLWithPath: path)) }

  private static func write(_ path: String) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait([Club.Member.self]) { transaction in
      for number in 1..<UInt64(count) {
        try transaction.insert(
          Club.Member(number: number, email: "\(number)@club", balance: Double(number % 97), level: .regular))
      }
    }
    workspace.shutdown(flags: .truncate)
    try RawDatabase.execute(
      """
      INSERT INTO club__member (rowid, __pk0, payload) SELECT 5000, (SELECT max(__pk0) FROM club__member) + 1, payload
      FROM club__member WHERE rowid = 3;
      UPDATE dflat_entity SET last_rowid = 5000 WHERE name = 'club__member'
      """, on: path)
    try forgetIndexes(at: path)
  }

  /// Removes the indexes from the file and from its list of indexes.
  package static func forgetIndexes(at path: String) throws {
    let file = try RawDatabase(path)
    let drops = try file.text(
      """
      SELECT group_concat('DROP TABLE "' || name || '"', ';') FROM sqlite_master
      WHERE type = 'table' AND name GLOB 'club__member__*'
      """)
    try file.execute("BEGIN; \(drops ?? ""); DELETE FROM dflat_index WHERE table_name = 'club__member'; COMMIT")
  }

  /// Runs queries that use each of the indexes, so that they are filled in the background.
  package static func wantIndexes(_ workspace: SQLiteWorkspace) {
    let members = workspace.fetch(for: Club.Member.self)
    _ = members.count(where: Club.Member.balance > 96)
    _ = members.count(where: Club.Member.level == .board)
    _ = members.first(where: Club.Member.email == "7@club")
    _ = members.first(where: Club.Member.card == 7)
  }
}
