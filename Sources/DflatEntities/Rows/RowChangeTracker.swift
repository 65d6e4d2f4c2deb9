/// The net changes of one table's rows by a transaction or a group. A value without locks or I/O.
struct RowChangeTracker {
  /// The maximum number of rows that are tracked one by one.
  static let maximumRows = 100_000
  /// The maximum size of the payloads that are kept for observers, in bytes.
  static let maximumKeptBytes = 64 << 20

  /// A changed row, without its contents.
  private struct Mark {
    /// True if the row existed before the first change.
    var existed: Bool
    /// True if the row exists after the newest change.
    var exists: Bool
    /// The change count at the newest change.
    var changeCount: Int
  }

  /// The state of a row since an earlier change count.
  enum Fate {
    case unchanged, changed, gone
    /// Too many rows changed to track them.
    case unknown
  }

  private var marks: [Int64: Mark] = [:]
  /// The rows' contents, for observers; nil if they aren't kept.
  private var contents: [Int64: (old: StoredEntity?, new: StoredEntity?)]?
  private var isUnknown = false
  /// The number of changes so far. Requests remember it to detect later changes.
  private(set) var changeCount = 0
  /// The size of the kept payloads in bytes.
  private(set) var keptBytes = 0

  init(keepsContents: Bool) { contents = keepsContents ? [:] : nil }

  var keepsContents: Bool { contents != nil }

  /// Notes the change of a row. `content` is called only if contents are kept.
  mutating func note(
    _ rowid: Int64, existed: Bool, exists: Bool, _ content: () -> (old: StoredEntity?, new: StoredEntity?)
  ) {
    changeCount += 1
    if isUnknown { return }
    mark(rowid, Mark(existed: existed, exists: exists, changeCount: changeCount))
    if contents == nil { return }
    keep(rowid, content())
    if keptBytes > Self.maximumKeptBytes { dropContents() }
  }

  /// Notes that any row may have changed.
  mutating func noteUnknown() {
    changeCount += 1
    isUnknown = true
    marks = [:]
    dropContents()
  }

  mutating func dropContents() {
    contents = nil
    keptBytes = 0
  }

  private mutating func mark(_ rowid: Int64, _ new: Mark) {
    var new = new
    if let before = marks[rowid] { new.existed = before.existed }
    marks[rowid] = new
    if marks.count > Self.maximumRows { noteUnknown() }
  }

  private mutating func keep(_ rowid: Int64, _ content: (old: StoredEntity?, new: StoredEntity?)) {
    var content = content
    if let before = contents?[rowid] {
      content.old = before.old
      keptBytes -= before.new?.bytes.count ?? 0
    } else {
      keptBytes += content.old?.bytes.count ?? 0
    }
    keptBytes += content.new?.bytes.count ?? 0
    contents?[rowid] = content
  }

  /// Notes that the changes after an earlier change count were undone. Their rows count as changed again, whether they
  /// exist or not: a request that was made in between has read contents that are gone. Drops the contents of all rows.
  mutating func undo(since earlier: Int) {
    if changeCount == earlier { return }
    changeCount += 1
    if isUnknown { return }
    dropContents()
    let undone = Mark(existed: true, exists: true, changeCount: changeCount)
    marks = marks.mapValues { $0.changeCount > earlier ? undone : $0 }
  }

  /// Returns the state of a row since `changeCount`.
  func fate(of rowid: Int64, since changeCount: Int) -> Fate {
    if changeCount == self.changeCount { return .unchanged }
    if isUnknown { return .unknown }
    guard let mark = marks[rowid], mark.changeCount > changeCount else { return .unchanged }
    return mark.exists ? .changed : .gone
  }

  /// Adds the changes of a later transaction of the group.
  mutating func merge(_ later: RowChangeTracker) {
    if marks.isEmpty, !isUnknown, changeCount == 0 {
      self = later
      return
    }
    if later.isUnknown { return noteUnknown() }
    if isUnknown { return }
    if contents == nil || later.contents == nil {
      dropContents()
    } else {
      for (rowid, content) in later.contents ?? [:] { keep(rowid, content) }
    }
    for (rowid, mark) in later.marks { self.mark(rowid, mark) }
  }

  /// The net changes; nil if there are none.
  var net: TableChange? {
    if isUnknown { return .unknown }
    let rowids = marks.filter { $1.existed || $1.exists }.keys.sorted()
    if rowids.isEmpty { return nil }
    guard let contents else { return .rowids(rowids) }
    let rows = rowids.compactMap { rowid in
      contents[rowid].map { RowChange(rowid: rowid, old: $0.old, new: $0.new) }
    }
    return .rows(rows)
  }
}
