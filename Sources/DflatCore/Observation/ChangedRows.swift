import DflatBuffers
import DflatSQLite

/// The rows of one table that a commit changed, with what is in them now, read and decoded once for all that observe them.
/// Lives for one publication, under its lock.
final class ChangedRows {
  struct Row {
    let rowid: Int64
    /// Nil when the row was not there, or what it was isn't known.
    let old: StoredEntity?
    /// Nil when the row is gone.
    let new: StoredEntity?
  }

  let rows: [Row]
  /// Those of the rows: read a hundred times as often as their contents.
  let rowids: [Int64]
  /// False of other processes' changes, of which only the rows are known.
  let knowsOld: Bool
  /// Gives the objects their identities.
  let origin: EntityOrigin
  var commitNumber: UInt64 { origin.commitNumber }
  private var decoded: [ObjectIdentifier: AnyObject] = [:]
  /// The changes, by their rows.
  private(set) lazy var numbers = [Int64: Int](
    uniqueKeysWithValues: rowids.enumerated().map { ($1, $0) })

  /// The changes as a query sees them that no look-up narrows.
  private(set) lazy var entries = rows.enumerated().map { change, row in
    Candidates.Entry(change: Int32(change), mayHaveMatched: row.old != nil, mayMatch: row.new != nil)
  }

  /// This process's changes. Those that changed nothing are left out.
  init(_ changes: [EntityChange], from origin: EntityOrigin) {
    rows = changes.compactMap { change in
      if let old = change.old, let new = change.new, old.bytes == new.bytes { return nil }
      return Row(rowid: change.rowid, old: change.old, new: change.new)
    }
    rowids = rows.map(\.rowid)
    knowsOld = true
    self.origin = origin
  }

  /// Rows of which only the rowids are known, as the connection shows them.
  init(_ rowids: [Int64], of entity: EntityDescription, at commitNumber: UInt64, on connection: Connection) throws {
    self.rowids = rowids
    rows = try rowids.map { rowid in
      let bytes = try EntityRows.payload(of: rowid, in: entity, on: connection)
      return Row(rowid: rowid, old: nil, new: bytes.map { StoredEntity(bytes: $0, object: nil) })
    }
    knowsOld = false
    origin = EntityOrigin(on: connection, at: commitNumber)
  }

  /// The rows that are there, in an order.
  func arrivals(by reader: SortKeyReader) throws -> [LiveRows<SortKey>.Arrival] {
    var arrivals: [LiveRows<SortKey>.Arrival] = []
    arrivals.reserveCapacity(rows.count)
    for (change, row) in rows.enumerated() {
      guard let new = row.new else { continue }
      let key = try new.bytes.withUnsafeBytes { try reader.key(of: $0, rowid: row.rowid) }
      arrivals.append(.init(key: key, change: Int32(change)))
    }
    arrivals.sort { $0.key < $1.key }
    return arrivals
  }

  /// The rows as objects of a type.
  func objects<Element: Atom>(as type: Element.Type) -> ChangedObjects<Element> {
    if let found = decoded[ObjectIdentifier(type)] as? ChangedObjects<Element> { return found }
    let made = ChangedObjects<Element>(self)
    decoded[ObjectIdentifier(type)] = made
    return made
  }
}

/// Changed rows as objects of one type, each decoded when it is first asked for.
final class ChangedObjects<Element: Atom> {
  private enum Sameness: UInt8 { case unknown, same, different }

  private let rows: [ChangedRows.Row]
  private let origin: EntityOrigin
  /// All of them `Element`s. Not `[Element?]`, whose every access looks the generic type up.
  private var objects: [AnyObject?]
  /// Whether the row's fields are those that it had before, where somebody asked.
  private var sameness: [Sameness]

  fileprivate init(_ changes: ChangedRows) {
    rows = changes.rows
    origin = changes.origin
    objects = [AnyObject?](repeating: nil, count: rows.count)
    sameness = [Sameness](repeating: .unknown, count: rows.count)
  }

  /// The object that a row holds now; nil when it is gone.
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

  /// The object that a row holds, of a row that is there.
  func present(_ change: Int) throws -> Element {
    guard let object = try object(change) else { preconditionFailure("A row that is gone is in no result.") }
    return object
  }

  /// Whether a row that is there has the fields of the object that it held before, bit by bit. All who ask show that
  /// object, or one with the same fields.
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

  private func compare(_ row: ChangedRows.Row, _ change: Int, with old: Element) throws -> Bool {
    if row.old == nil, let new = row.new, new.bytes.withUnsafeBytes({ old.isEncoded(as: $0) }) { return true }
    return try present(change).isIdentical(to: old)
  }
}

extension Atom {
  /// Whether an object has the same fields, bit by bit, as for an update: to `==` two spellings of a text are one value, which
  /// sort differently, and NaN is another value each time.
  func isIdentical(to other: Self) -> Bool {
    if self === other { return true }
    let bytes = try? SpareBuilder.with { builder throws(FlatBufferError) in
      try encode(in: &builder)
      return builder.withFinishedBytes { Array($0) }
    }
    return bytes?.withUnsafeBytes { other.isEncoded(as: $0) } ?? (self == other)
  }

  /// Whether the object would be written as these bytes.
  func isEncoded(as bytes: UnsafeRawBufferPointer) -> Bool {
    let isSame = try? SpareBuilder.with { builder throws(FlatBufferError) in
      try encode(in: &builder)
      return builder.withFinishedBytes { $0.isEqual(to: bytes) }
    }
    return isSame ?? false
  }

  /// The object of a row's bytes.
  ///
  /// - Throws: `FlatBufferError`.
  static func decoded(_ bytes: [UInt8], _ identity: EntityIdentity) throws -> Self {
    try bytes.withUnsafeBytes { bytes throws(FlatBufferError) in try stored(in: bytes, identity) }
  }
}
