import DflatBuffers
import DflatCore
import DflatSQLite

/// The rows of one table that a commit changed, read and decoded once for all observers. Exists during one publication,
/// under the publication lock.
final class PublishedRows {
  struct Row {
    let rowid: Int64
    /// The row before the commit; nil if it didn't exist, or isn't known.
    let old: StoredEntity?
    /// The row after the commit; nil if it was deleted.
    let new: StoredEntity?
  }

  let rows: [Row]
  /// The rowids of `rows`, which are read a hundred times as often as the contents.
  let rowids: [Int64]
  /// False for other processes' commits, whose changes are known by their rowids only.
  let knowsOld: Bool
  /// The view that gives the objects their identities.
  let origin: EntityOrigin
  var commitNumber: UInt64 { origin.commitNumber }
  private var decoded: [ObjectIdentifier: AnyObject] = [:]
  /// The position in `rows` of each rowid.
  private(set) lazy var numbers = [Int64: Int](
    uniqueKeysWithValues: rowids.enumerated().map { ($1, $0) })

  /// The rows as candidates for a query that no lookup narrows.
  private(set) lazy var entries = rows.enumerated().map { change, row in
    Candidates.Entry(change: Int32(change), mayHaveMatched: row.old != nil, mayMatch: row.new != nil)
  }

  /// Creates the rows that this process changed, without those whose contents stay the same.
  init(_ changes: [RowChange], from origin: EntityOrigin) {
    rows = changes.compactMap { change in
      if let old = change.old, let new = change.new, old.bytes == new.bytes { return nil }
      return Row(rowid: change.rowid, old: change.old, new: change.new)
    }
    rowids = rows.map(\.rowid)
    knowsOld = true
    self.origin = origin
  }

  /// Creates rows of which only the rowids are known, with the contents that the connection shows. Returns nil if the
  /// contents have more than `maximumBytes`.
  init?(
    _ rowids: [Int64], of entity: EntityDescription, at commitNumber: UInt64, on connection: Connection,
    maximumBytes: Int = RowChangeTracker.maximumKeptBytes
  ) throws {
    try SchemaCatalog.requireCompatibility(of: entity, on: connection)
    var rows: [Row] = []
    var size = 0
    for rowid in rowids {
      let bytes = try EntityRows.payload(of: rowid, in: entity, on: connection)
      size += bytes?.count ?? 0
      if size > maximumBytes { return nil }
      rows.append(Row(rowid: rowid, old: nil, new: bytes.map { StoredEntity(bytes: $0, object: nil) }))
    }
    self.rows = rows
    self.rowids = rowids
    knowsOld = false
    origin = EntityOrigin(on: connection, at: commitNumber)
  }

  /// Returns the rows that exist, sorted by their keys.
  func arrivals(by reader: SortKeyReader) throws -> [ResultRows<SortKey>.Arrival] {
    var arrivals: [ResultRows<SortKey>.Arrival] = []
    arrivals.reserveCapacity(rows.count)
    for (change, row) in rows.enumerated() {
      guard let new = row.new else { continue }
      let key = try new.bytes.withUnsafeBytes { try reader.key(of: $0, rowid: row.rowid) }
      arrivals.append(.init(key: key, change: Int32(change)))
    }
    arrivals.sort { $0.key < $1.key }
    return arrivals
  }

  /// Returns the rows as objects of a type.
  func objects<Element: Atom>(as type: Element.Type) -> PublishedObjects<Element> {
    if let found = decoded[ObjectIdentifier(type)] as? PublishedObjects<Element> { return found }
    let made = PublishedObjects<Element>(self)
    decoded[ObjectIdentifier(type)] = made
    return made
  }
}

/// Changed rows as objects of one type. Each is decoded on first use.
final class PublishedObjects<Element: Atom> {
  private enum Sameness: UInt8 { case unknown, same, different }

  private let rows: [PublishedRows.Row]
  private let origin: EntityOrigin
  /// The decoded objects, all of them `Element`s. `[Element?]` would look up the generic type at every access.
  private var objects: [AnyObject?]
  /// The cached results of `isSame`.
  private var sameness: [Sameness]

  fileprivate init(_ changes: PublishedRows) {
    rows = changes.rows
    origin = changes.origin
    objects = [AnyObject?](repeating: nil, count: rows.count)
    sameness = [Sameness](repeating: .unknown, count: rows.count)
  }

  /// Returns the object in a row, or nil if the row was deleted.
  func object(_ change: Int) throws -> Element? {
    if let found = objects[change] { return unsafeDowncast(found, to: Element.self) }
    return try decoded(change)
  }

  private func decoded(_ change: Int) throws -> Element? {
    let row = rows[change]
    guard let new = row.new else { return nil }
    let object =
      try new.object as? Element ?? Element.decoded(new.bytes, origin.identity(of: row.rowid))
    objects[change] = object
    return object
  }

  /// Returns the object in a row that exists.
  func present(_ change: Int) throws -> Element {
    guard let object = try object(change) else { preconditionFailure("A deleted row can't be in a result.") }
    return object
  }

  /// Returns true if a row that exists has the same fields as `old`, bit for bit. The result is cached: every caller's
  /// `old` is the row's previous object, or has the same fields.
  func isSame(_ change: Int, as old: Element) throws -> Bool {
    switch sameness[change] {
    case .same: return true
    case .different: return false
    case .unknown:
      let isSame = try compare(rows[change], change, with: old)
      sameness[change] = isSame ? .same : .different
      return isSame
    }
  }

  private func compare(_ row: PublishedRows.Row, _ change: Int, with old: Element) throws -> Bool {
    if row.old == nil, let new = row.new, new.bytes.withUnsafeBytes({ old.isEncoded(as: $0) }) { return true }
    return try present(change).isIdentical(to: old)
  }
}
