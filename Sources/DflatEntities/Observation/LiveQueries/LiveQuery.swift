import DflatBuffers
import DflatCore
import DflatSQLite

/// A subscription to a query. After every commit it has the result that a fetch would return.
final class LiveQuery<Element: Atom>: AnyLiveQuery, @unchecked Sendable {  // as its superclass
  private let query: EntityQuery<Element>
  private let origin: ResultOrigin<Element>
  private let callbacks: ObserverCallbacks<FetchedResult<Element>>
  /// The known rows in the result's order. For a limited query they include the rows before the offset and some after
  /// the limit.
  private var rows: AnyResultRows
  /// False if `rows` is empty, and the query is fetched again instead of moved: in the order of relevance, which any row
  /// of the table may change, and if the offset skips damaged rows, which have no objects.
  private var isMovable: Bool
  /// The objects in `rows`, or those of the result. Objects of unchanged rows are the same from result to result.
  private var objects: [Element]
  /// The moves of rows by the commit in progress.
  private var moves: AnyResultUpdate?
  /// The visible part of `objects`.
  private(set) var result: FetchedResult<Element>

  /// Creates a subscription without rows, which has to be refetched.
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
    rows = AnyResultRows([Element](), [], selection, isComplete: false)
    isMovable = !selection.isRanked
    objects = []
    super.init(Element._entity, selection)
  }

  override func end() { callbacks.end() }

  // MARK: Moving

  override func take(_ entries: ArraySlice<Candidates.Entry>, of changes: PublishedRows) throws {
    guard isMovable else { return }
    let changed = changes.objects(as: Element.self)
    try moves(of: changes, forEntries: entries.count).take(entries, of: changes, by: selection) { change, position in
      try changed.isSame(change, as: objects[position])
    }
  }

  override func take(_ arrivals: [ResultRows<SortKey>.Arrival], of changes: PublishedRows) throws {
    if isMovable { moves(of: changes, forEntries: .max).take(arrivals) }
  }

  override func forgetTaken() {
    moves = nil
    meetsDamage = false
  }

  private func moves(of changes: PublishedRows, forEntries count: Int) -> AnyResultUpdate {
    if let moves { return moves }
    let made = AnyResultUpdate(of: rows, by: selection, knowsOld: changes.knowsOld, forEntries: count)
    moves = made
    return made
  }

  override func moved(
    by changes: PublishedRows, on connection: Connection, for storage: EntityStorage
  ) throws -> ObserverUpdate? {
    if !meetsDamage, isMovable {
      do { return try finish(by: changes, on: connection, for: storage) } catch is FlatBufferError {}
    }
    // A fetch reports the row that can't be read, and skips it. It also finds rows that can't be moved.
    return try refetched(on: connection, at: changes.commitNumber, for: storage)
  }

  private func finish(
    by changes: PublishedRows, on connection: Connection, for storage: EntityStorage
  ) throws -> ObserverUpdate? {
    // Move the rows. Refetch if too few of a limited query are left.
    let changed = changes.objects(as: Element.self)
    let moves = moves(of: changes, forEntries: 0)
    let moved = try moves.finish(with: changes) { change, position in
      try changed.isSame(change, as: objects[position])
    }
    guard var rows = moved?.rows, let sources = moved?.sources else { return nil }
    if let needed = selection.needed, !rows.isComplete, rows.count < needed {
      return try refetched(on: connection, at: changes.commitNumber, for: storage)
    }
    let count = selection.most.flatMap { $0 < rows.count ? selection.wanted : nil } ?? rows.count
    rows.trim(to: count)
    // Collect the objects: the ones that stay, and those of changed rows.
    let newObjects = try [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
      for source in sources.prefix(count) {
        let object = source >= 0 ? objects[Int(source)] : try changed.present(Int(~source))
        (buffer.baseAddress.unsafelyUnwrapped + initialized).initialize(to: object)
        initialized += 1
      }
    }
    // Compare the visible rows with the previous result.
    let seen = selection.visible(of: count)
    let isSame =
      seen.count == result.underlyingArray.count
      && seen.allSatisfy { sources[$0] == Int32(truncatingIfNeeded: $0) }
    return step(to: rows, newObjects, seen: isSame ? nil : seen, at: changes.commitNumber)
  }

  override func refetched(
    on connection: Connection?, at commitNumber: UInt64, for storage: EntityStorage
  ) throws -> ObserverUpdate? {
    // Fetch the rows, and keep the known objects of unchanged ones. The row of an object that was undone may be that of
    // an equal one by now.
    var known: [Int64: Element] = [:]
    for object in result.underlyingArray where object._identity.insertion?.isOpen != true {
      known[object._rowid] = object
    }
    for object in objects { known[object._rowid] = object }
    let fetched =
      try connection.map { try fetch(on: $0, at: commitNumber, knowing: known, for: storage) }
      ?? (rows: [], isResult: false)
    guard isInOrder(fetched.rows) else {
      throw WorkspaceError.rowsOutOfOrder(in: entity.table, path: connection?.path ?? "")
    }
    let objects = fetched.rows.map(\.object)
    let isComplete = selection.wanted.map { objects.count < $0 } ?? true
    let isMovable = !selection.isRanked && !fetched.isResult
    let rows =
      isMovable
      ? AnyResultRows(objects, fetched.rows.compactMap(\.key), selection, isComplete: isComplete)
      : AnyResultRows([Element](), [], selection, isComplete: false)
    // Compare the visible objects with the previous result.
    let seen = fetched.isResult ? objects.indices : selection.visible(of: objects.count)
    let isSame =
      seen.count == result.underlyingArray.count && zip(objects[seen], result.underlyingArray).allSatisfy { $0 === $1 }
    return step(to: rows, objects, seen: isSame ? nil : seen, at: commitNumber, isMovable: isMovable)
  }

  /// Fetches the rows that have to be known, with their keys if they aren't in rowid order. Returns the known objects
  /// of unchanged rows.
  ///
  /// If the offset may skip damaged rows, which have no place among these, fetches the rows of the result only
  /// (`isResult`).
  private func fetch(
    on connection: Connection, at commitNumber: UInt64, knowing known: [Int64: Element], for storage: EntityStorage
  ) throws -> (rows: [(object: Element, key: SortKey?)], isResult: Bool) {
    let origin = EntityOrigin(on: connection, at: commitNumber)
    var hasDamage = false
    func read(limit: Int?, offset: Int) throws -> [(object: Element, key: SortKey?)] {
      var query = query
      query.limit = limit
      query.offset = offset
      return try query.collect(on: connection, storage: LazyEntityStorage(storage), trustingLookups: true) {
        rowid, bytes in
        do {
          let key = try selection.keys?.key(of: bytes, rowid: rowid)
          let old = known[rowid]
          if let old, old.isEncoded(as: bytes) { return (old, key) }
          let now = try Element.stored(in: bytes, origin.identity(of: rowid))
          if let old, old.isIdentical(to: now) { return (old, key) }
          return (now, key)
        } catch {
          hasDamage = true
          throw error
        }
      }
    }
    let rows = try read(limit: selection.wanted, offset: 0)
    if selection.offset == 0 || !hasDamage { return (rows, false) }
    return (try read(limit: selection.limit, offset: selection.offset), true)
  }

  /// Returns false for rows that are not in ascending order, each once, as in a damaged file.
  private func isInOrder(_ rows: [(object: Element, key: SortKey?)]) -> Bool {
    if selection.isRanked { return true }
    return zip(rows, rows.dropFirst()).allSatisfy { row, next in
      if let key = row.key, let nextKey = next.key { return key < nextKey }
      return row.object._rowid < next.object._rowid
    }
  }

  /// Returns the step to a new state.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - objects: The objects in the rows.
  ///   - seen: The visible rows; nil if they are the same as before.
  ///   - commitNumber: The commit that shows the rows.
  ///   - isMovable: False if later commits can't move the rows.
  private func step(
    to rows: AnyResultRows, _ objects: [Element], seen: Range<Int>?, at commitNumber: UInt64, isMovable: Bool = true
  ) -> ObserverUpdate {
    let result = seen.map { seen in
      FetchedResult(
        seen == objects.indices ? objects : Array(objects[seen]), commitNumber: commitNumber, origin: origin,
        replacing: self.result.underlyingArray)
    }
    return ObserverUpdate(observer: self) { [self] in
      self.rows = rows
      self.isMovable = isMovable
      self.objects = objects
      guard let result else { return nil }
      self.result = result
      return { [callbacks] in callbacks.deliver(result) }
    }
  }
}

extension AnyResultRows {
  /// Creates the set from objects in the result's order, with their keys if that isn't the order of their rowids.
  init<Element: Atom>(_ objects: [Element], _ keys: [SortKey], _ selection: RowSelection, isComplete: Bool) {
    if let reader = selection.keys {
      self = .byKey(ResultRows(keys: keys, isComplete: isComplete), reader)
    } else {
      self = .byRowid(ResultRows(keys: objects.map(\._rowid), isComplete: isComplete))
    }
  }
}
