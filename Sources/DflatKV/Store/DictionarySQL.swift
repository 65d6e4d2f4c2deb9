import DflatSQLite

/// The SQL of the dictionary's rows. `DictionaryTables` creates the table.
extension SQL {
  static let load = SQL(
    "SELECT type, value, version, commit_number FROM dictionary WHERE namespace = ?1 AND key = ?2")
  static let replace = SQL(
    "REPLACE INTO dictionary (namespace, key, type, value, version, commit_number) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
  /// Leaves the row unchanged if it already has the value, or has one of another `ReadableKind` that doesn't expire, or a
  /// sealed one.
  static let store = SQL(
    """
    INSERT INTO dictionary (namespace, key, type, value, version, commit_number) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
    ON CONFLICT (namespace, key) DO UPDATE SET type = excluded.type, value = excluded.value, \
    version = excluded.version, commit_number = excluded.commit_number \
    WHERE CASE WHEN type IS NOT excluded.type THEN type \(numbers) AND excluded.type \(numbers) \
    OR type = \(TypeTag.expiring.rawValue) AND substr(value, 9, 1) <> x'0a' \
    ELSE value IS NOT excluded.value AND version IS excluded.version END
    """)
  private static let numbers = TypeTag.range(where: \.isNumber)
  /// 1 if the row's type and schema version are those of a value.
  static let hasKind = SQL(
    "SELECT type IS ?3 AND version IS ?5 FROM dictionary WHERE namespace = ?1 AND key = ?2")
  /// The type, and the beginning of the value, of a namespace's first row whose value hasn't expired at an instant.
  static let headers = SQL(
    """
    SELECT type, substr(value, 1, \(Expiration.byteCount + 1 + SealEnvelope.headerCount)), key FROM dictionary \
    WHERE namespace = ?1 AND NOT (\(ExpiryIndex.condition) AND \(ExpiryIndex.instant) <= ?2) ORDER BY key
    """)
  static let remove = SQL("DELETE FROM dictionary WHERE namespace = ?1 AND key = ?2")
  static let removeAll = SQL("DELETE FROM dictionary WHERE namespace = ?1")
  static let removeRange = SQL("DELETE FROM dictionary WHERE namespace = ?1 AND key >= ?2 AND key < ?3")
  static let countInRange = SQL("SELECT count(*) FROM dictionary WHERE namespace = ?1 AND key >= ?2 AND key < ?3")
  static let keysInRange = SQL(
    "SELECT key FROM dictionary WHERE namespace = ?1 AND key >= ?2 AND key < ?3 ORDER BY key")
  static let rowsInRange = SQL(
    """
    SELECT type, value, version, commit_number, key FROM dictionary \
    WHERE namespace = ?1 AND key >= ?2 AND key < ?3 ORDER BY key
    """)
  /// True for a row of the index that has an instant. SQL sorts text before all bytes, so damaged rows would come first.
  private static let hasInstant = """
    \(ExpiryIndex.condition) AND typeof(value) = 'blob' AND length(value) > \(Expiration.byteCount) \
    AND typeof(namespace) = 'text' AND typeof(key) = 'text'
    """
  /// The values that have expired at an instant, first those that have for longest.
  static let expiredKeys = SQL(
    """
    SELECT namespace, key FROM dictionary \
    WHERE \(hasInstant) AND \(ExpiryIndex.instant) <= ?1 ORDER BY \(ExpiryIndex.instant)
    """)
  static let nextExpiration = SQL(
    """
    SELECT \(ExpiryIndex.instant) FROM dictionary \
    WHERE \(hasInstant) AND \(ExpiryIndex.instant) > ?1 ORDER BY \(ExpiryIndex.instant) LIMIT 1
    """)
  static let instantsInNamespace = SQL(
    "SELECT key, \(ExpiryIndex.instant) FROM dictionary WHERE \(hasInstant) AND namespace = ?1")
  static let countInNamespace = SQL("SELECT count(*) FROM dictionary WHERE namespace = ?1")
  static let namespaces = SQL("SELECT DISTINCT namespace FROM dictionary ORDER BY namespace")
}
