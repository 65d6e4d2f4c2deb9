import CSQLite
import DflatSupport

/// An error of a changeset that doesn't fit the file.
package struct ChangesetConflict: Error, CustomStringConvertible {
  /// The table in which a row isn't as the changeset expects it; nil if the changeset itself is damaged.
  package let table: String?
  package let description: String

  fileprivate static let damaged = ChangesetConflict(table: nil, description: "It is damaged.")
}

extension Connection {
  /// Applies what another file's transaction changed, in an open write transaction.
  ///
  /// Every changed row must be as it was in the other file, and every table must pass the check of tables, before its
  /// rows are changed. After an error the caller rolls the transaction back.
  ///
  /// - Parameter excluded: Tables whose rows no segment may change.
  /// - Throws: ``ChangesetConflict`` if the file differs from the other one, or the segment is damaged; the check's
  ///   error; `SQLiteError`.
  package func apply(_ segment: ChangeSegment, excluding excluded: [String]) throws {
    for text in segment.schemaChanges {
      guard Self.isSchemaChange(text) else {
        throw ChangesetConflict(table: nil, description: "It contains a statement that changes no schema.")
      }
      try changeSchema(text)
    }
    guard !segment.changeset.isEmpty else { return }
    let library = try SessionLibrary.required()
    let application = ChangesetApplication(
      connection: self, library: library, excluded: excluded, schemaChanges: segment.schemaChanges)
    var bytes = segment.changeset
    try requireTables(of: &bytes, by: library)
    let result = try withoutTableProtection {
      bytes.withUnsafeMutableBytes { bytes in
        library.apply(
          handle, Int32(bytes.count), bytes.baseAddress,
          { context, table in
            Unmanaged<ChangesetApplication>.fromOpaque(context!).takeUnretainedValue().admits(table) ? 1 : 0
          },
          { context, kind, iterator in
            Unmanaged<ChangesetApplication>.fromOpaque(context!).takeUnretainedValue().resolve(kind, iterator)
          }, Unmanaged.passUnretained(application).toOpaque(), nil, nil, ChangesetApplication.withoutSavepoint)
      }
    }
    if let refusal = application.refusal { throw refusal }
    switch result & 0xff {
    case SQLITE_OK: break
    case SQLITE_CORRUPT where isSound, SQLITE_SCHEMA, SQLITE_ABORT:
      throw ChangesetConflict.damaged
    default: throw error(result, sql: nil)
    }
  }

  /// Throws unless the tables of a changeset have the columns that it expects. SQLite itself would skip the others'
  /// rows, and only note that in its log (<https://www.sqlite.org/session/sqlite3changeset_apply.html>).
  private func requireTables(of changeset: inout [UInt8], by library: SessionLibrary) throws {
    try changeset.withUnsafeMutableBytes { bytes in
      var iterator: SessionLibrary.Iterator?
      guard library.start(&iterator, Int32(bytes.count), bytes.baseAddress) == SQLITE_OK else {
        throw ChangesetConflict.damaged
      }
      defer { _ = library.finalize(iterator) }
      var checked: [CChar] = []
      while library.next(iterator) == SQLITE_ROW {
        var table: UnsafePointer<CChar>?
        var (columns, operation): (Int32, Int32) = (0, 0)
        _ = library.operation(iterator, &table, &columns, &operation, nil)
        // The rows of a table follow each other.
        guard let table, checked.isEmpty || strcmp(table, checked) != 0 else { continue }
        var flags: UnsafeMutablePointer<UInt8>?
        _ = library.primaryKey(iterator, &flags, nil)
        let isInKey = UnsafeBufferPointer(start: flags, count: Int(columns)).map { $0 != 0 }
        let name = String(cString: table)
        guard try columnsInKey(of: name) == isInKey else {
          throw ChangesetConflict(table: name, description: "'\(name)' is missing or has other columns.")
        }
        checked = [CChar](UnsafeBufferPointer(start: table, count: strlen(table) + 1))
      }
      // Damage behind the rows that can be read is found as the rest is applied.
    }
  }

  /// Returns for each column of a table whether it is part of the primary key.
  private func columnsInKey(of table: String) throws -> [Bool] {
    try withoutAdmission {
      let statement = try prepare("PRAGMA main.table_info(\(quoted(table)))")
      defer { statement.reset() }
      var columns: [Bool] = []
      try statement.forEachRow { columns.append($0.int64(at: 5) != 0) }
      return columns
    }
  }

  /// True unless SQLite itself has reported damage of the file: the session extension reports a damaged changeset with
  /// the same code, but leaves no message on the connection.
  private var isSound: Bool { sqlite3_errcode(handle) & 0xff != SQLITE_CORRUPT }

  /// Returns true if a text consists of nothing but statements that create or drop tables and indexes.
  private static func isSchemaChange(_ text: String) -> Bool {
    let statements = text.split(separator: ";").map { $0.drop { $0.isWhitespace } }.filter { !$0.isEmpty }
    return statements.allSatisfy { statement in
      [
        "CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ", "CREATE VIRTUAL TABLE ", "DROP TABLE ", "DROP INDEX ",
      ].contains { statement.hasPrefix($0) }
    }
  }
}

/// Decides, while a changeset is applied, which tables it may change, and what to do about rows that aren't as it
/// expects them.
private final class ChangesetApplication {
  /// `SQLITE_CHANGESETAPPLY_NOSAVEPOINT`.
  static let withoutSavepoint: Int32 = 1
  /// `SQLITE_CHANGESET_REPLACE` and `SQLITE_CHANGESET_ABORT`.
  private static let (replace, abort): (Int32, Int32) = (1, 2)
  /// `SQLITE_CHANGESET_DATA` and `SQLITE_CHANGESET_CONFLICT`: there is another row.
  private static let otherRow: [Int32] = [1, 3]

  private let connection: Connection
  private let library: SessionLibrary
  private let excluded: [String]
  /// The statements that have created virtual tables.
  private let virtualTables: [String]
  private(set) var refusal: (any Error)?

  init(connection: Connection, library: SessionLibrary, excluded: [String], schemaChanges: [String]) {
    self.connection = connection
    self.library = library
    self.excluded = excluded
    virtualTables = schemaChanges.filter { $0.hasPrefix("CREATE VIRTUAL TABLE ") }
  }

  /// Returns true if the changeset may change a table.
  func admits(_ table: UnsafePointer<CChar>?) -> Bool {
    guard refusal == nil, let table else { return false }
    do {
      guard let name = String(validatingCString: table), !excluded.contains(where: { $0.hasSameBytes(as: name) }) else {
        throw ChangesetConflict(table: nil, description: "It changes a table that it must not contain.")
      }
      try connection.check(name)
      return true
    } catch {
      refusal = error
      return false
    }
  }

  /// Returns the action for a row that isn't as the changeset expects it.
  func resolve(_ kind: Int32, _ iterator: SessionLibrary.Iterator?) -> Int32 {
    var table: UnsafePointer<CChar>?
    var (columns, operation): (Int32, Int32) = (0, 0)
    _ = library.operation(iterator, &table, &columns, &operation, nil)
    let name = table.map { String(cString: $0) } ?? ""
    if Self.otherRow.contains(kind), isPart(ofNewVirtualTable: name) { return Self.replace }
    refusal = refusal ?? ChangesetConflict(table: name, description: "A row of '\(name)' is not as it expects it.")
    return Self.abort
  }

  /// Returns true for the tables in which a virtual table keeps its contents, if the segment has created it: with
  /// first rows, which the changeset contains, too.
  private func isPart(ofNewVirtualTable name: String) -> Bool {
    guard let end = name.lastIndex(of: "_") else { return false }
    let owner = quoted(String(name[..<end]))
    return virtualTables.contains { $0.contains(owner) }
  }
}
