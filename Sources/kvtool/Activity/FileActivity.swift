import DflatCore
import DflatEntities
import DflatKV
import DflatSupport

/// The changes of a file during an interval, counted from the change log.
struct FileActivity {
  /// A group of keys: those with the same beginning, up to the first `.`, `/` or `:`.
  struct Prefix: Hashable {
    let namespace: ByteComparedString
    let text: ByteComparedString

    init(namespace: String, key: String) {
      self.namespace = ByteComparedString(namespace)
      let end = key.unicodeScalars.firstIndex { $0 == "." || $0 == "/" || $0 == ":" }
      text = ByteComparedString(end.map { String(key.unicodeScalars[...$0]) } ?? key)
    }
  }

  private(set) var commits = 0
  /// The changed keys, counted once for each commit.
  private(set) var keys = 0
  /// The changed objects, counted once for each commit.
  private(set) var objects = 0
  private(set) var keysByPrefix: [Prefix: Int] = [:]
  /// The changes by the type of the value, `deleted`, `expired`, or the table of the objects.
  private(set) var changesByType: [ByteComparedString: Int] = [:]
  /// True if more was changed than the log tells: it had no room, or has been trimmed.
  private(set) var isIncomplete = false

  mutating func add(_ commit: LoggedCommit) {
    commits += 1
    if let changes = commit.keyChanges { changes.forEach { add($0) } } else { isIncomplete = true }
    if let changes = commit.tableChanges { changes.forEach { add($0) } } else { isIncomplete = true }
  }

  /// Adds commits that the log no longer has, at least this many.
  mutating func add(missed count: Int) {
    commits += count
    isIncomplete = true
  }

  private mutating func add(_ change: LoggedKeyChange) {
    switch change {
    case .set(let namespace, let key, let value): count(namespace, key, value.kind.rawValue)
    case .remove(let namespace, let key): count(namespace, key, "deleted")
    case .expire(let namespace, let key): count(namespace, key, "expired")
    // A value that the log has no room for.
    case .change(let namespace, let key): count(namespace, key, "large")
    // The log doesn't tell how many keys.
    case .removePrefix(let namespace, let prefix):
      count(namespace, prefix, "deleted")
      isIncomplete = true
    case .unknown: isIncomplete = true
    }
  }

  private mutating func count(_ namespace: String, _ key: String, _ type: String) {
    keys += 1
    keysByPrefix[Prefix(namespace: namespace, key: key), default: 0] += 1
    changesByType[ByteComparedString(type), default: 0] += 1
  }

  private mutating func add(_ change: LoggedTableChange) {
    guard let rowids = change.rowids else {
      isIncomplete = true
      return
    }
    objects += rowids.count
    changesByType[ByteComparedString(change.table), default: 0] += rowids.count
  }
}
