import CSQLite

extension Connection {
  /// Turns off everything that a file could use to run its own SQL: views, triggers, extensions, and functions with
  /// side effects in its schema. None of this package's statements needs them.
  func harden() {
    // A library that doesn't know a flag doesn't have the feature that the flag turns off.
    for (flag, value) in Self.flags { _ = csqlite_set_flag(handle, flag, value) }
    for (limit, value) in Self.limits { sqlite3_limit(handle, limit, value) }
  }

  private static let flags: [(Int32, Int32)] = [
    (SQLITE_DBCONFIG_DEFENSIVE, 1),
    (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
    (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
    (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    // Treats an unknown column in double quotes as an error instead of a string literal.
    (SQLITE_DBCONFIG_DQS_DML, 0),
  ]

  /// Limits that this package's own statements stay within. The limits that apply to parsing the schema keep their
  /// defaults because the file may contain other programs' tables.
  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_ATTACHED, 1),  // VACUUM attaches its copy.
    (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (SQLITE_LIMIT_COMPOUND_SELECT, 8),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (SQLITE_LIMIT_VARIABLE_NUMBER, 2_000),
    (SQLITE_LIMIT_VDBE_OP, 10_000_000),
    (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]
}
