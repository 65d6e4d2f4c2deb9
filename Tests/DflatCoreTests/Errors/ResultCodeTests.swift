import CSQLite
import DflatCore
import DflatSQLite
import Testing

/// SQLite's result codes, and the codes that users get for them.
@Suite struct ResultCodeTests {
  /// The primary codes of sqlite3.h.
  static let expected: [(code: Int32, meaning: WorkspaceError.Code)] = [
    (SQLITE_ERROR, .sqlite), (SQLITE_INTERNAL, .sqlite), (SQLITE_PERM, .readOnly), (SQLITE_ABORT, .sqlite),
    (SQLITE_BUSY, .busy), (SQLITE_LOCKED, .busy), (SQLITE_NOMEM, .outOfMemory), (SQLITE_READONLY, .readOnly),
    (SQLITE_INTERRUPT, .sqlite), (SQLITE_IOERR, .inputOutput), (SQLITE_CORRUPT, .corrupt), (SQLITE_NOTFOUND, .sqlite),
    (SQLITE_FULL, .diskFull), (SQLITE_CANTOPEN, .cannotOpen), (SQLITE_PROTOCOL, .busy), (SQLITE_EMPTY, .sqlite),
    (SQLITE_SCHEMA, .sqlite), (SQLITE_TOOBIG, .tooLarge), (SQLITE_CONSTRAINT, .corrupt), (SQLITE_MISMATCH, .corrupt),
    (SQLITE_MISUSE, .sqlite), (SQLITE_NOLFS, .sqlite), (SQLITE_AUTH, .sqlite), (SQLITE_FORMAT, .notADatabase),
    (SQLITE_RANGE, .sqlite), (SQLITE_NOTADB, .notADatabase), (SQLITE_NOTICE, .sqlite), (SQLITE_WARNING, .sqlite),
  ]

  /// The extended codes, as primary code and number, whose meaning differs from that of the primary code.
  static let exceptions: [Int32: WorkspaceError.Code] = [
    SQLITE_READONLY | 4 << 8: .cannotOpen,  // DBMOVED
    SQLITE_READONLY | 6 << 8: .cannotOpen,  // DIRECTORY
    SQLITE_IOERR | 12 << 8: .outOfMemory,  // NOMEM
    SQLITE_IOERR | 32 << 8: .corrupt,  // DATA
    SQLITE_CANTOPEN | 2 << 8: .isDirectory,  // ISDIR
  ]

  @Test("Each primary result code of SQLite translates to its workspace error code")
  func eachPrimaryCode() {
    for (code, meaning) in Self.expected { #expect(translated(code).code == meaning, "SQLite \(code)") }
    #expect(Set(Self.expected.map(\.code)) == Set(1...28))
  }

  /// A code that a newer SQLite adds has the meaning of its primary code.
  @Test("An extended result code has its own meaning or that of its primary code")
  func eachExtendedCode() {
    for (primary, meaning) in Self.expected {
      for number in Int32(1)...64 {
        let code = primary | number << 8
        #expect(translated(code).code == Self.exceptions[code] ?? meaning, "SQLite \(code)")
      }
    }
  }

  @Test("Unknown result codes and codes that are no errors become sqlite errors")
  func codesThatAreNotErrors() {
    for code in [29, 99, SQLITE_ROW, SQLITE_DONE] { #expect(translated(code).code == .sqlite) }
  }

  @Test("An error's message names the failed action and the file")
  func theMessageSaysWhatAndWhere() {
    for code in Self.expected.map(\.code) + Self.exceptions.keys {
      let error = translated(code)
      #expect(error.message.hasPrefix("Reading '/a/b.db': ") && error.message.hasSuffix("."))
      #expect(error.path == "/a/b.db" && error.sqlite?.extendedCode == code)
    }
  }

  private func translated(_ code: Int32) -> WorkspaceError {
    WorkspaceError(
      SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code))), path: "/a/b.db", doing: "Reading"
    )
  }
}
