/// What a transaction or a group did to the rows of one table: the net of it, from the state before to the state now.
/// A value without locks or I/O.
struct RowChanges {
  /// Above so many rows the changes are not told row by row.
  static let maximumRows = 100_000
  /// Payloads that are kept for observers at most, in bytes.
  static let maximumKeptBytes = 64 << 20

  /// The end of a row's story so far.
  private struct Mark {
    /// Before the first change.
    var existed: Bool
    /// After the newest.
    var exists: Bool
    /// Of the newest change.
    var stamp: Int
  }

  /// What became of a row after some instant.
  enum Fate {
    case unchanged, changed, gone
    /// Too much has changed to tell.
    case unknown
  }

  private var marks: [Int64: Mark] = [:]
  /// The rows' contents, for observers; nil when they aren't kept.
  private var contents: [Int64: (old: StoredEntity?, new: StoredEntity?)]?
  private var isUnknown = false
  /// Counts the changes.
  private(set) var stamp = 0
  /// Bytes of payloads that are kept.
  private(set) var keptBytes = 0

  init(keepsContents: Bool) { contents = keepsContents ? [:] : nil }

  var keepsContents: Bool { contents != nil }

  /// Notes the change of a row. The contents count if they are kept.
  mutating func note(
    _ rowid: Int64, existed: Bool, exists: Bool, _ content: () -> (old: StoredEntity?, new: StoredEntity?)
  ) {
    stamp += 1
    if isUnknown { return }
    mark(rowid, Mark(existed: existed, exists: exists, stamp: stamp))
    if contents == nil { return }
    keep(rowid, content())
    if keptBytes > Self.maximumKeptBytes { dropContents() }
  }

  /// Anything may have changed.
  mutating func noteUnknown() {
    stamp += 1
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

  /// What came after an earlier instant is undone. The rows of it count as changed once more, whether they are there or not:
  /// whoever read one of them meanwhile read what is no more. What was in them is not told.
  mutating func undo(since earlier: Int) {
    if stamp == earlier { return }
    stamp += 1
    if isUnknown { return }
    dropContents()
    let undone = Mark(existed: true, exists: true, stamp: stamp)
    marks = marks.mapValues { $0.stamp > earlier ? undone : $0 }
  }

  /// What became of a row after `stamp`.
  func fate(of rowid: Int64, since stamp: Int) -> Fate {
    if stamp == self.stamp { return .unchanged }
    if isUnknown { return .unknown }
    guard let mark = marks[rowid], mark.stamp > stamp else { return .unchanged }
    return mark.exists ? .changed : .gone
  }

  /// Adds what a later transaction of the group did.
  mutating func merge(_ later: RowChanges) {
    if marks.isEmpty, !isUnknown, stamp == 0 {
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

  /// The net, nil for none.
  var net: TableChanges? {
    if isUnknown { return .unknown }
    let rowids = marks.filter { $1.existed || $1.exists }.keys.sorted()
    if rowids.isEmpty { return nil }
    guard let contents else { return .rowids(rowids) }
    let rows = rowids.compactMap { rowid in
      contents[rowid].map { EntityChange(rowid: rowid, old: $0.old, new: $0.new) }
    }
    return .rows(rows)
  }
}
