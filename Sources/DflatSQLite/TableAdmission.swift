import CSQLite

/// Restricts statements to tables that were checked.
///
/// SQLite asks the authorizer when it prepares a statement, and again when it prepares the statement again after a
/// schema change. Running a prepared statement costs nothing extra.
final class TableAdmission {
  fileprivate let check: (Connection, String) throws -> Void
  fileprivate let checkAll: (Connection) throws -> Void
  private var admitted: Set<[UInt8]> = []
  /// The number of times that all admissions were dropped.
  fileprivate var generation = 0
  /// The table that the newest rejected statement asked for.
  private var refused: String?
  /// True during a schema change, which refers to tables that aren't in the schema yet, during VACUUM, which moves
  /// every table, and while temporary tables are used.
  var isSuspended = false

  init(
    check: @escaping (Connection, String) throws -> Void, checkAll: @escaping (Connection) throws -> Void
  ) {
    self.check = check
    self.checkAll = checkAll
  }

  /// Answers the authorizer's question for one action on one table.
  fileprivate func allows(_ action: Int32, _ name: UnsafePointer<CChar>?) -> Bool {
    if isSuspended { return true }
    switch action {
    case SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      guard let name else { return true }
      var bytes: [UInt8] = []
      while name[bytes.count] != 0 { bytes.append(UInt8(bitPattern: name[bytes.count])) }
      // SQLite's own tables: a user can't create a table with this prefix.
      if bytes.starts(with: "sqlite_".utf8) || admitted.contains(bytes) { return true }
      refused = String(decoding: bytes, as: UTF8.self)
      return false
    case SQLITE_ATTACH, SQLITE_DETACH: return false
    default: return true
    }
  }

  /// Checks and admits the table that was rejected last. Returns true if the statement is worth another try.
  fileprivate func admitRefused(on connection: Connection) throws -> Bool {
    guard let name = refused else { return false }
    refused = nil
    try check(connection, name)
    return admitted.insert(Array(name.utf8)).inserted
  }

  /// Checks and admits tables.
  fileprivate func admit(_ names: [String], on connection: Connection) throws {
    if isSuspended { return }
    for name in names {
      let bytes = Array(name.utf8)
      if admitted.contains(bytes) { continue }
      try check(connection, name)
      admitted.insert(bytes)
    }
  }

  /// Drops all admissions, so that each table is checked again before its next use.
  func forget() {
    admitted = []
    generation += 1
  }
}

extension Connection {
  /// Installs a check that runs once for each table, before the first statement that uses it, and one of all tables,
  /// which `checkAllTables()` runs. They throw if a table isn't as expected, and may query the schema.
  package func checkTables(
    _ check: @escaping (Connection, String) throws -> Void,
    all checkAll: @escaping (Connection) throws -> Void = { _ in }
  ) {
    let made = TableAdmission(check: check, checkAll: checkAll)
    admission = made
    sqlite3_set_authorizer(
      handle,
      { context, action, name, _, _, _ in
        let admission = Unmanaged<TableAdmission>.fromOpaque(context!).takeUnretainedValue()
        return admission.allows(action, name) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(made).toOpaque())
  }

  /// Checks the table because of which SQLite just rejected a statement. Returns true if the caller should try the
  /// statement again.
  func admitRefused(after result: Int32) throws -> Bool {
    guard result & 0xff == SQLITE_AUTH, let admission else { return false }
    return try admission.admitRefused(on: self)
  }

  /// Checks tables before a statement uses them. For those of a full-text index: its module reads them as soon as
  /// SQLite prepares a statement, and in the middle of its own steps, which must not be refused.
  package func admit(_ names: [String]) throws { try admission?.admit(names, on: self) }

  /// Throws unless a table passes the check of tables.
  func check(_ name: String) throws { try admission?.check(self, name) }

  /// Changes whenever tables that `admit` has checked have to be checked again.
  package var admissionGeneration: Int { admission?.generation ?? 0 }

  /// Runs `body`, whose statements may use every table. For temporary tables, whose definitions are this package's own.
  package func withoutAdmission<T>(_ body: () throws -> T) throws -> T {
    let wasSuspended = admission?.isSuspended ?? true
    admission?.isSuspended = true
    defer { admission?.isSuspended = wasSuspended }
    return try body()
  }

  /// Checks all tables that the file must or may have.
  package func checkAllTables() throws { try admission?.checkAll(self) }

  /// Returns true at the first call, and if the schema has changed since the last call. All tables are checked again
  /// then.
  ///
  /// - Parameter statement: The same statement in all calls, which has just run.
  package func hasNewSchema(noticedBy statement: Statement) -> Bool {
    let count = statement.preparations
    defer { knownPreparations = count }
    guard count != knownPreparations else { return false }
    admission?.forget()
    return true
  }

  /// Makes SQLite parse the schema again before the next statement, and checks all tables again. SQLite does so by
  /// itself only if the schema's version changes, and a program that edits `sqlite_master` need not change it.
  package func reloadSchema() throws {
    try execute("PRAGMA writable_schema = RESET")
    admission?.forget()
  }

  /// Rewrites the file without its free pages.
  package func vacuum() throws { try withAllTables { try changeSchema("VACUUM") } }

  /// Runs statements that create or drop tables and indexes.
  package func changeSchema(_ text: String) throws {
    let wasSuspended = admission?.isSuspended ?? false
    admission?.isSuspended = true
    // A table whose creation is rolled back later may have been admitted meanwhile.
    defer {
      admission?.isSuspended = wasSuspended
      admission?.forget()
    }
    if let recorder, text.contains("DROP TABLE ") { try recorder.prepareForDropping() }
    try execute(text)
    recorder?.note(schemaChange: text)
  }
}
