import DflatBuffers
import DflatSQLite

/// Who observes the objects of one table. Guarded by the publication lock.
final class ObservedTable {
  private let entity: EntityDescription
  /// By their numbers in the index.
  private var queries: [AnyLiveQuery?] = []
  private var freeNumbers: [Int32] = []
  private var index = MatchingIndex()
  private var objects: [Int64: [AnyLiveObject]] = [:]
  /// Of the candidates of an earlier commit.
  private var memory: [Int32] = []

  init(_ entity: EntityDescription) { self.entity = entity }

  var hasQueries: Bool { queries.count > freeNumbers.count }
  var isEmpty: Bool { objects.isEmpty && !hasQueries }

  var observers: [LiveObserver] {
    var all = queries.compactMap { $0 as LiveObserver? }
    for observers in objects.values { all += observers as [LiveObserver] }
    return all
  }

  func add(_ observer: LiveObserver) {
    if let object = observer as? AnyLiveObject { return objects[object.rowid, default: []].append(object) }
    guard let query = observer as? AnyLiveQuery else { return }
    let number = freeNumbers.popLast() ?? Int32(queries.count)
    if number == queries.count { queries.append(query) } else { queries[Int(number)] = query }
    query.number = number
    index.insert(number, query.selection.condition)
  }

  /// Harmless when it is not here.
  func remove(_ observer: LiveObserver) {
    if let query = observer as? AnyLiveQuery, let number = query.number {
      query.number = nil
      index.remove(number)
      queries[Int(number)] = nil
      freeNumbers.append(number)
    } else if let object = observer as? AnyLiveObject {
      objects[object.rowid]?.removeAll { $0 === object }
      if objects[object.rowid]?.isEmpty == true { objects[object.rowid] = nil }
    }
  }

  // MARK: Moving

  /// What the observers move to after a commit, those left out that are behind.
  func move(
    _ changes: TableChanges, at commitNumber: UInt64, on connection: Connection,
    for core: WorkspaceCore, into steps: inout LiveSteps
  ) {
    let changed: ChangedRows
    switch changes {
    case .rows(let rows): changed = ChangedRows(rows, at: commitNumber, on: connection)
    case .rowids(let rowids):
      let wanted = hasQueries ? rowids : rowids.filter { objects[$0] != nil }
      do { changed = try ChangedRows(wanted, of: entity, at: commitNumber, on: connection) } catch {
        return steps.fail(observers, because: error)
      }
    case .unknown:
      for observer in observers where !observer.isBehind {
        steps.refetch(observer, on: connection, at: commitNumber, for: core)
      }
      return
    }
    if changed.rows.isEmpty { return }
    moveObjects(changed, into: &steps)
    if hasQueries { moveQueries(changed, on: connection, for: core, into: &steps) }
  }

  private func moveObjects(_ changes: ChangedRows, into steps: inout LiveSteps) {
    if objects.isEmpty { return }
    for (number, rowid) in changes.rowids.enumerated() {
      guard let observers = objects[rowid] else { continue }
      for object in observers where !object.isBehind {
        steps.add(object) { try object.moved(by: number, of: changes) }
      }
    }
  }

  private func moveQueries(
    _ changes: ChangedRows, on connection: Connection, for core: WorkspaceCore, into steps: inout LiveSteps
  ) {
    func move(_ number: Int32, _ entries: ArraySlice<Candidates.Entry>) {
      guard let query = queries[Int(number)], !query.isBehind else { return }
      steps.add(query) { try query.moved(by: entries, of: changes, on: connection, for: core) }
    }
    let candidates = candidates(of: changes)
    if changes.knowsOld {
      memory = candidates.forEachQuery(move)
      return
    }
    // Any row may have been in any result.
    var entering = [ArraySlice<Candidates.Entry>](repeating: [], count: queries.count)
    memory = candidates.forEachQuery { entering[Int($0)] = $1 }
    for (number, entries) in entering.enumerated() { move(Int32(number), entries) }
  }

  private func candidates(of changes: ChangedRows) -> Candidates {
    index.prepare(forRows: changes.rows.count)
    let (index, count) = (index, Int32(queries.count))
    var candidates = Candidates(count: queries.count, reusing: memory)
    memory = []
    for (change, row) in changes.rows.enumerated() {
      if let old = row.old {
        Self.find(old.bytes, in: index, of: count) { candidates.add($0, change: change, isNew: false) }
      }
      if let new = row.new {
        Self.find(new.bytes, in: index, of: count) { candidates.add($0, change: change, isNew: true) }
      }
    }
    return candidates
  }

  /// The queries that an object may match: all of them, where its bytes are damaged; whoever reads them finds that out.
  private static func find(
    _ bytes: [UInt8], in index: MatchingIndex, of count: Int32, _ body: (Int32) -> Void
  ) {
    do {
      try bytes.withUnsafeBytes { bytes in
        let root = try FlatBufferTable(rootOf: bytes)
        try index.forEachCandidate({ reader, _ in try reader.value(in: root) }, body)
      }
    } catch {
      for query in 0..<count { body(query) }
    }
  }
}
