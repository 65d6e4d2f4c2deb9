import CSQLite

extension Connection {
  /// Turns off whatever a file could use to run SQL of its own: its views, its triggers, functions with side effects in its
  /// schema, extensions. None of our statements needs them.
  func harden() {
    // A library that lacks one of them lacks what it turns off.
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
    // A column in double quotes that isn't there is an error, not a text.
    (SQLITE_DBCONFIG_DQS_DML, 0),
  ]

  /// Limits of what our own statements need. Those that parsing the schema is subject to keep their defaults: tables of other
  /// programs may be in the file.
  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_ATTACHED, 1),  // VACUUM attaches its copy
    (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (SQLITE_LIMIT_COMPOUND_SELECT, 8),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (SQLITE_LIMIT_VARIABLE_NUMBER, 2_000),
    (SQLITE_LIMIT_VDBE_OP, 10_000_000),
    (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]
}
