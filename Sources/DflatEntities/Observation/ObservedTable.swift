import DflatBuffers
import DflatCore
import DflatSQLite

/// The observers of one table's objects. Guarded by the publication lock.
final class ObservedTable {
  private let entity: EntityDescription
  /// The queries, by their numbers in the index.
  private var queries: [AnyLiveQuery?] = []
  private var freeNumbers: [Int32] = []
  private var index = MatchingIndex()
  /// The sorted queries of all rows, by their sort orders.
  private var orders: [[QueryOrder]: NumberSet] = [:]
  /// The observed objects, by rowid.
  private var objects: [Int64: OrderedBag<AnyLiveObject>] = [:]
  /// The memory of an earlier commit's candidates, for reuse.
  private var memory: [Int32] = []
  /// The number of candidates after which a part ends. The last row of a part may exceed it.
  private let partSize: Int

  init(_ entity: EntityDescription, partSize: Int = 1 << 18) {
    self.entity = entity
    self.partSize = partSize
  }

  var hasQueries: Bool { queries.count > freeNumbers.count }
  var isEmpty: Bool { objects.isEmpty && !hasQueries }

  var observers: [LiveObserver] { observers(of: objects.keys) }

  /// Returns the observers that a change of these rows may concern: the objects in the rows, and all queries.
  private func observers(of rowids: some Sequence<Int64>) -> [LiveObserver] {
    var all = queries.compactMap { $0 as LiveObserver? }
    for rowid in rowids { for observer in objects[rowid] ?? OrderedBag() { all.append(observer) } }
    return all
  }

  func add(_ observer: LiveObserver) {
    if let object = observer as? AnyLiveObject {
      object.token = objects[object.rowid, default: OrderedBag()].append(object)
      return
    }
    guard let query = observer as? AnyLiveQuery else { return }
    let number = freeNumbers.popLast() ?? Int32(queries.count)
    if number == queries.count { queries.append(query) } else { queries[Int(number)] = query }
    query.number = number
    index.insert(number, query.selection.condition)
    if let orders = query.selection.ordersOfAll { self.orders[orders, default: NumberSet()].insert(number) }
  }

  /// Removes an observer, if it is here.
  func remove(_ observer: LiveObserver) {
    if let query = observer as? AnyLiveQuery, let number = query.number {
      query.number = nil
      index.remove(number)
      if let orders = query.selection.ordersOfAll {
        self.orders[orders]?.remove(number)
        if self.orders[orders]?.isEmpty == true { self.orders[orders] = nil }
      }
      queries[Int(number)] = nil
      freeNumbers.append(number)
    } else if let object = observer as? AnyLiveObject, let token = object.token {
      object.token = nil
      objects[object.rowid]?.remove(token)
      if objects[object.rowid]?.isEmpty == true { objects[object.rowid] = nil }
    }
  }

  // MARK: Moving

  /// Adds the observers' updates to the state after a commit, except for those of stale observers.
  func move(
    _ changes: TableChange, at commitNumber: UInt64, on connection: Connection,
    for storage: EntityStorage, into steps: inout ObserverUpdates
  ) {
    func refetch(_ observers: [LiveObserver]) {
      for observer in observers where !observer.isBehind {
        steps.refetch(observer, on: connection, at: commitNumber, for: storage)
      }
    }
    let changed: PublishedRows
    switch changes {
    case .rows(let rows): changed = PublishedRows(rows, from: EntityOrigin(on: connection, at: commitNumber))
    case .rowids(let rowids):
      let wanted = hasQueries ? rowids : rowids.filter { objects[$0] != nil }
      do {
        let read = try PublishedRows(wanted, of: entity, at: commitNumber, on: connection)
        // Too large to be in memory at once.
        guard let read else { return refetch(observers(of: rowids)) }
        changed = read
      } catch { return steps.fail(observers, because: error) }
    case .unknown: return refetch(observers)
    }
    if changed.rows.isEmpty { return }
    moveObjects(changed, into: &steps)
    if hasQueries { moveQueries(changed, on: connection, for: storage, into: &steps) }
  }

  private func moveObjects(_ changes: PublishedRows, into steps: inout ObserverUpdates) {
    if objects.isEmpty { return }
    for (number, rowid) in changes.rowids.enumerated() {
      guard let observers = objects[rowid] else { continue }
      for object in observers where !object.isBehind {
        steps.add(object) { try object.moved(by: number, of: changes) }
      }
    }
  }

  /// Adds the queries' steps, in the order of their numbers.
  ///
  /// The queries take the rows in parts, which bounds the number of candidates in memory.
  private func moveQueries(
    _ changes: PublishedRows, on connection: Connection, for storage: EntityStorage, into steps: inout ObserverUpdates
  ) {
    func take(_ number: Int32, _ body: (AnyLiveQuery) throws -> Void) {
      guard let query = queries[Int(number)], !query.isBehind else { return }
      do { try body(query) } catch { query.meetsDamage = true }
    }
    // Queries that the index narrows take their candidates, part by part.
    var numbers = takeCandidates(of: changes) { number, entries in
      take(number) { try $0.take(entries, of: changes) }
    }
    // The others take all rows. Those with the same sort order share the sorted rows.
    if !index.unnarrowed.isEmpty {
      let sharing = takeSorted(changes) { number, arrivals in
        take(number) { try $0.take(arrivals.get(), of: changes) }
      }
      let entries = changes.entries[...]
      for number in index.unnarrowed.numbers where !sharing.contains(number) {
        take(number) { try $0.take(entries, of: changes) }
      }
    }
    // Move the queries that may have changed.
    if changes.knowsOld {
      numbers += index.unnarrowed.numbers
      numbers.sort()
    } else {
      // Any row may have been in any result.
      numbers = Array(0..<Int32(queries.count))
    }
    for number in numbers {
      guard let query = queries[Int(number)], !query.isBehind else { continue }
      defer { query.forgetTaken() }
      steps.add(query) { try query.moved(by: changes, on: connection, for: storage) }
    }
  }

  /// Gives the rows that a query may have matched or may match now to each query that the index finds.
  ///
  /// - Returns: The queries, each once.
  private func takeCandidates(
    of changes: PublishedRows, _ take: (Int32, ArraySlice<Candidates.Entry>) -> Void
  ) -> [Int32] {
    index.prepare(forRows: changes.rows.count)
    let (index, count) = (index, Int32(queries.count))
    var candidates = Candidates(count: queries.count, reusing: memory)
    memory = []
    var touched: [Int32] = []
    var isFirstPart = true
    /// Gives the collected candidates to their queries.
    func endPart() {
      memory = candidates.forEachQuery { number, entries in
        touched.append(number)
        take(number, entries)
      }
      if !isFirstPart { touched = Array(Set(touched)) }
    }
    // Look up the queries for the old and the new contents of each row.
    for (change, row) in changes.rows.enumerated() {
      // A part that is full goes to the queries, which bounds the memory.
      if candidates.count >= partSize {
        endPart()
        candidates = Candidates(count: queries.count, reusing: memory)
        isFirstPart = false
      }
      switch (row.old, row.new) {
      case (let old?, let new?):
        Self.find(old: old.bytes, new: new.bytes, in: index, of: count) { number, mayHaveMatched, mayMatch in
          if mayHaveMatched { candidates.add(number, change: change, isNew: false) }
          if mayMatch { candidates.add(number, change: change, isNew: true) }
        }
      case (let old?, nil):
        Self.find(old.bytes, in: index, of: count) { candidates.add($0, change: change, isNew: false) }
      case (nil, let new?):
        Self.find(new.bytes, in: index, of: count) { candidates.add($0, change: change, isNew: true) }
      case (nil, nil): break
      }
    }
    endPart()
    return touched
  }

  /// Gives the arriving rows to sorted queries that differ only in their limits, sorted once for all of them.
  ///
  /// - Returns: The queries.
  private func takeSorted(
    _ changes: PublishedRows, _ take: (Int32, Result<[ResultRows<SortKey>.Arrival], any Error>) -> Void
  ) -> Set<Int32> {
    var sharing: Set<Int32> = []
    // With few rows, each query sorts them faster than the queries of one order are found.
    if changes.rows.count <= 16 { return sharing }
    for sameOrder in orders.values where sameOrder.count > 1 {
      guard let keys = queries[Int(sameOrder.numbers[0])]?.selection.keys else { continue }
      let sorted = Result { try changes.arrivals(by: keys) }
      for number in sameOrder.numbers {
        sharing.insert(number)
        take(number, sorted)
      }
    }
    return sharing
  }

  /// Calls `body` for the queries that the index finds for an object. If the object's bytes are damaged, these are all
  /// queries that the index narrows, and reading the bytes will reveal the damage.
  private static func find(
    _ bytes: [UInt8], in index: MatchingIndex, of count: Int32, _ body: (Int32) -> Void
  ) {
    do {
      try bytes.withUnsafeBytes { bytes in
        let root = try FlatBufferTable(rootOf: bytes)
        try index.forEachCandidate({ reader, _ in try reader.value(in: root) }, body)
      }
    } catch {
      for query in 0..<count where index.narrows(query) { body(query) }
    }
  }

  /// Does the same for the old and the new contents of a row. Damaged old contents say nothing about the new ones.
  private static func find(
    old: [UInt8], new: [UInt8], in index: MatchingIndex, of count: Int32,
    _ body: (Int32, _ mayHaveMatched: Bool, _ mayMatch: Bool) -> Void
  ) {
    do {
      try old.withUnsafeBytes { old in
        try new.withUnsafeBytes { new in
          try index.forEachCandidate(old: FlatBufferTable(rootOf: old), new: FlatBufferTable(rootOf: new), body)
        }
      }
    } catch {
      for query in 0..<count where index.narrows(query) { body(query, true, false) }
      find(new, in: index, of: count) { body($0, false, true) }
    }
  }
}
