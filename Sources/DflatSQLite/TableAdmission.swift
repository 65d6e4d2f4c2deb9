import CSQLite

/// Lets statements use the tables that were checked, and no others.
///
/// SQLite asks when it prepares a statement, and again when it prepares it anew because the schema has changed: running a
/// prepared statement costs nothing more.
final class TableAdmission {
  private let check: (Connection, String) throws -> Void
  private var admitted: Set<[UInt8]> = []
  /// The table that the newest refused statement asked for.
  private var refused: String?
  /// True while the schema is changed, which refers to tables that aren't in it yet, or VACUUM moves every table.
  var isSuspended = false

  init(check: @escaping (Connection, String) throws -> Void) { self.check = check }

  fileprivate func allows(_ action: Int32, _ name: UnsafePointer<CChar>?) -> Bool {
    if isSuspended { return true }
    switch action {
    case SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      guard let name else { return true }
      var bytes: [UInt8] = []
      while name[bytes.count] != 0 { bytes.append(UInt8(bitPattern: name[bytes.count])) }
      // SQLite's own tables; nobody else can make one of such a name.
      if bytes.starts(with: "sqlite_".utf8) || admitted.contains(bytes) { return true }
      refused = String(decoding: bytes, as: UTF8.self)
      return false
    case SQLITE_ATTACH, SQLITE_DETACH: return false
    default: return true
    }
  }

  fileprivate func admitRefused(on connection: Connection) throws -> Bool {
    guard let name = refused else { return false }
    refused = nil
    try check(connection, name)
    return admitted.insert(Array(name.utf8)).inserted
  }

  func forget() { admitted = [] }
}

extension Connection {
  /// From now on each table is checked before the first statement that uses it. `check` throws when the table isn't what it
  /// should be; it may query the schema.
  package func checkTables(_ check: @escaping (Connection, String) throws -> Void) {
    let made = TableAdmission(check: check)
    admission = made
    sqlite3_set_authorizer(
      handle,
      { context, action, name, _, _, _ in
        let admission = Unmanaged<TableAdmission>.fromOpaque(context!).takeUnretainedValue()
        return admission.allows(action, name) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(made).toOpaque())
  }

  /// Checks the table that SQLite has just refused a statement for; true when the statement may be tried again.
  func admitRefused(after result: Int32) throws -> Bool {
    guard result & 0xff == SQLITE_AUTH, let admission else { return false }
    return try admission.admitRefused(on: self)
  }

  /// True when this is asked for the first time, and when the schema has changed since it was last asked with the same
  /// statement, which has just been run. All tables are checked anew then.
  package func hasNewSchema(noticedBy statement: Statement) -> Bool {
    let count = statement.preparations
    defer { knownPreparations = count }
    guard count != knownPreparations else { return false }
    admission?.forget()
    return true
  }

  /// Parses the schema anew before the next statement, and checks all tables anew. SQLite by itself does so when the schema
  /// has another version, which a program that edits `sqlite_master` need not give it.
  package func reloadSchema() throws {
    try execute("PRAGMA writable_schema = RESET")
    admission?.forget()
  }

  /// Rewrites the file without its free pages.
  package func vacuum() throws { try withAllTables { try changeSchema("VACUUM") } }

  /// Runs statements that make or drop tables and indexes.
  package func changeSchema(_ text: String) throws {
    admission?.isSuspended = true
    // A table whose creation is undone later may have been admitted meanwhile.
    defer {
      admission?.isSuspended = false
      admission?.forget()
    }
    try execute(text)
  }
}
