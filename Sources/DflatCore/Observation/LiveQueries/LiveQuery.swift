import DflatBuffers
import DflatSQLite

/// A subscription to a query's result, whatever its type.
class AnyLiveQuery: LiveObserver, @unchecked Sendable {  // as its superclass
  let selection: RowSelection
  /// Its number in the table's matching index, while it is registered.
  final var number: Int32?

  init(_ entity: EntityDescription, _ selection: RowSelection) {
    self.selection = selection
    super.init(entity)
  }

  /// Takes some of a commit's rows in, which may have left or entered. They come in ascending order.
  func take(_ entries: ArraySlice<Candidates.Entry>, of changes: ChangedRows) throws {
    preconditionFailure("Every live query takes changes.")
  }

  /// Takes all of a commit's rows in, of a sorted query of all rows: those that are there, in its order.
  func take(_ arrivals: [LiveRows<SortKey>.Arrival], of changes: ChangedRows) throws {
    preconditionFailure("Every live query takes changes.")
  }

  /// What it shows after the commit whose rows it took in; nil for the same rows. Moves nothing.
  func moved(by changes: ChangedRows, on connection: Connection, for core: WorkspaceCore) throws -> LiveStep? {
    preconditionFailure("Every live query takes changes.")
  }

  /// Forgets what it took in.
  func forgetTaken() {}

  /// True when one of the commit's rows can't be read.
  final var meetsDamage = false
}

/// A subscription to a query's result: after every commit it has what a fetch would give.
final class LiveQuery<Element: Atom>: AnyLiveQuery, @unchecked Sendable {  // as its superclass
  private let query: EntityQuery<Element>
  private let origin: ResultOrigin<Element>
  private let callbacks: ObserverCallbacks<FetchedResult<Element>>
  /// In the order of the result: of a limited query also those before the first and some after the last that is seen.
  private var rows: LiveRowSet
  /// The objects of the rows. Those of unchanged rows stay the same from result to result.
  private var objects: [Element]
  /// What the commit that is looked at does to the rows.
  private var moves: LiveRowMoves?
  /// What is seen of them.
  private(set) var result: FetchedResult<Element>

  /// With no rows yet: it is to be refetched.
  init(
    from result: FetchedResult<Element>, _ origin: ResultOrigin<Element>,
    _ callbacks: ObserverCallbacks<FetchedResult<Element>>
  ) {
    let query = origin.query
    let selection = RowSelection(
      where: query.predicate, orderBy: query.orders, limit: query.limit, offset: query.offset)
    self.query = query
    self.origin = origin
    self.callbacks = callbacks
    self.result = result
    rows = LiveRowSet([Element](), [], selection, isComplete: false)
    objects = []
    super.init(Element._entity, selection)
  }

  override func end() { callbacks.end() }

  // MARK: Moving

  override func take(_ entries: ArraySlice<Candidates.Entry>, of changes: ChangedRows) throws {
    let changed = changes.objects(as: Element.self)
    try moves(of: changes, forEntries: entries.count).take(entries, of: changes, by: selection) { change, position in
      try changed.isSame(change, as: objects[position])
    }
  }

  override func take(_ arrivals: [LiveRows<SortKey>.Arrival], of changes: ChangedRows) throws {
    moves(of: changes, forEntries: .max).take(arrivals)
  }

  override func forgetTaken() {
    moves = nil
    meetsDamage = false
  }

  private func moves(of changes: ChangedRows, forEntries count: Int) -> LiveRowMoves {
    if let moves { return moves }
    let made = LiveRowMoves(of: rows, by: selection, knowsOld: changes.knowsOld, forEntries: count)
    moves = made
    return made
  }

  override func moved(by changes: ChangedRows, on connection: Connection, for core: WorkspaceCore) throws -> LiveStep? {
    if !meetsDamage {
      do { return try finish(by: changes, on: connection, for: core) } catch is FlatBufferError {}
    }
    // A fetch reports the row that can't be read, and leaves it out.
    return try refetched(on: connection, at: changes.commitNumber, for: core)
  }

  private func finish(
    by changes: ChangedRows, on connection: Connection, for core: WorkspaceCore
  ) throws -> LiveStep? {
    let changed = changes.objects(as: Element.self)
    let moves = moves(of: changes, forEntries: 0)
    let moved = try moves.finish(with: changes) { change, position in
      try changed.isSame(change, as: objects[position])
    }
    guard var rows = moved?.rows, let sources = moved?.sources else { return nil }
    if let needed = selection.needed, !rows.isComplete, rows.count < needed {
      return try refetched(on: connection, at: changes.commitNumber, for: core)
    }
    let count = selection.most.flatMap { $0 < rows.count ? selection.wanted : nil } ?? rows.count
    rows.trim(to: count)
    let newObjects = try [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
      for source in sources.prefix(count) {
        let object = source >= 0 ? objects[Int(source)] : try changed.present(Int(~source))
        (buffer.baseAddress.unsafelyUnwrapped + initialized).initialize(to: object)
        initialized += 1
      }
    }
    let seen = selection.visible(of: count)
    let isSame =
      seen.count == result.underlyingArray.count
      && seen.allSatisfy { sources[$0] == Int32(truncatingIfNeeded: $0) }
    return step(to: rows, newObjects, seen: isSame ? nil : seen, at: changes.commitNumber)
  }

  override func refetched(
    on connection: Connection?, at commitNumber: UInt64, for core: WorkspaceCore
  ) throws -> LiveStep? {
    var known: [Int64: Element] = [:]
    for object in result.underlyingArray { known[object._rowid] = object }
    for object in objects { known[object._rowid] = object }
    let fetched = try connection.map { try fetch(on: $0, at: commitNumber, knowing: known, for: core) } ?? []
    let objects = fetched.map(\.object)
    let isComplete = selection.wanted.map { objects.count < $0 } ?? true
    let rows = LiveRowSet(objects, fetched.compactMap(\.key), selection, isComplete: isComplete)
    let seen = selection.visible(of: objects.count)
    let isSame =
      seen.count == result.underlyingArray.count && zip(objects[seen], result.underlyingArray).allSatisfy { $0 === $1 }
    return step(to: rows, objects, seen: isSame ? nil : seen, at: commitNumber)
  }

  /// The rows that have to be known, with their keys where they aren't in the order of their rowids. Objects that have not
  /// changed are those that are known.
  private func fetch(
    on connection: Connection, at commitNumber: UInt64, knowing known: [Int64: Element], for core: WorkspaceCore
  ) throws -> [(object: Element, key: SortKey?)] {
    var query = query
    query.offset = 0
    query.limit = selection.wanted
    let origin = EntityOrigin(on: connection, at: commitNumber)
    return try query.collect(on: connection, core: core) { rowid, bytes in
      let key = try selection.keys?.key(of: bytes, rowid: rowid)
      let old = known[rowid]
      if let old, old.isEncoded(as: bytes) { return (old, key) }
      let now = try Element.stored(in: bytes, origin.identity(of: rowid))
      if let old, old.isIdentical(to: now) { return (old, key) }
      return (now, key)
    }
  }

  /// - Parameter seen: what is seen now; nil when it is what was seen before.
  private func step(
    to rows: LiveRowSet, _ objects: [Element], seen: Range<Int>?, at commitNumber: UInt64
  ) -> LiveStep {
    let result = seen.map { seen in
      FetchedResult(
        seen == objects.indices ? objects : Array(objects[seen]), commitNumber: commitNumber, origin: origin,
        replacing: self.result.underlyingArray)
    }
    return LiveStep(observer: self) { [self] in
      self.rows = rows
      self.objects = objects
      guard let result else { return nil }
      self.result = result
      return { [callbacks] in callbacks.deliver(result) }
    }
  }
}

extension LiveRowSet {
  /// The rows of objects in their order, with their keys where that isn't the order of their rowids.
  init<Element: Atom>(_ objects: [Element], _ keys: [SortKey], _ selection: RowSelection, isComplete: Bool) {
    if let reader = selection.keys {
      self = .byKey(LiveRows(keys: keys, isComplete: isComplete), reader)
    } else {
      self = .byRowid(LiveRows(keys: objects.map(\._rowid), isComplete: isComplete))
    }
  }
}
