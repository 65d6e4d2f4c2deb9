import TestSupport
import Testing

@testable import DflatEntities

/// The effect of a commit on the rows of one live query, compared with a sorted list of all rows.
@Suite struct ResultUpdateTests {
  private struct Row: Equatable {
    var value: UInt64
    var matches: Bool
    var version = 0
  }

  private typealias Table = [Int64: Row]

  private static let selections = [(limit: Int?.none, offset: 0), (2, 0), (5, 3), (30, 0)].map { limit, offset in
    RowSelection(where: nil, orderBy: [], limit: limit, offset: offset)
  }

  private static func sortKey(_ rowid: Int64, _ row: Row) -> SortKey {
    SortKey(SortValue(bits: row.value, isDescending: false), [], rowid: rowid)
  }

  /// Changes about `count` rows. Returns the new table and the changes.
  private func change(
    _ table: Table, count: Int, using random: inout SeededGenerator
  ) -> (after: Table, changes: [RowChange]) {
    var after = table
    func row() -> Row { Row(value: .random(in: 0..<50, using: &random), matches: .random(using: &random)) }
    for _ in 0..<count {
      let rowid = Int64.random(in: 0..<400, using: &random)
      switch (after[rowid], Int.random(in: 0..<4, using: &random)) {
      case (nil, _): after[rowid] = row()
      case (_?, 0): after[rowid] = nil
      case (let old?, 1): after[rowid]?.version = old.version + 1
      case (_?, _): after[rowid] = row()
      }
    }
    func stored(_ row: Row?) -> StoredEntity? {
      row.map { StoredEntity(bytes: "\($0)".utf8.map { $0 }, object: nil) }
    }
    let changed = Set(table.keys).union(after.keys).filter { table[$0] != after[$0] }.sorted()
    return (after, changed.map { RowChange(rowid: $0, old: stored(table[$0]), new: stored(after[$0])) })
  }

  private func check<Key: RowKey & Equatable>(
    _ round: Int, key: (Int64, Row) -> Key, using random: inout SeededGenerator
  ) throws {
    let selection = Self.selections[round % Self.selections.count]
    var table = Table()
    table = change(table, count: .random(in: 0...600, using: &random), using: &random).after
    func all(_ table: Table) -> [Key] { table.filter(\.value.matches).map { key($0, $1) }.sorted() }
    let known = all(table)
    let count = selection.wanted.map { min($0, known.count) } ?? known.count
    var rows = ResultRows(
      keys: Array(known.prefix(count)), isComplete: count == known.count && count != selection.wanted)
    for _ in 0..<6 {
      let size = [1, 3, 40, 500].randomElement(using: &random) ?? 1
      let (after, list) = change(table, count: size, using: &random)
      let knowsOld = Bool.random(using: &random)
      let changes = PublishedRows(list, from: EntityOrigin(inFile: 1, at: 1))
      let moves = ResultUpdate(of: rows, most: selection.most, knowsOld: knowsOld, forEntries: list.count)
      var left = changes.entries[...]
      func row(_ change: Int, in table: Table) -> Row? { table[changes.rowids[change]] }
      while !left.isEmpty {
        let part = left.prefix(.random(in: 1...200, using: &random))
        left = left.dropFirst(part.count)
        try moves.take(part) { change in
          row(change, in: after)?.matches == true
        } isSame: { change, position in
          rows.keys[position] == row(change, in: after).map { key(changes.rowids[change], $0) }
            && row(change, in: table)?.version == row(change, in: after)?.version
        } key: { change, isNew in
          guard let row = row(change, in: isNew ? after : table) else { throw Refusal() }
          return key(changes.rowids[change], row)
        }
        if let most = selection.most { #expect(moves.arrivals.count <= 2 * (most + 1)) }
      }
      let moved = try moves.finish(with: changes) { change, position in
        rows.keys[position] == row(change, in: after).map { key(changes.rowids[change], $0) }
          && row(change, in: table)?.version == row(change, in: after)?.version
      }
      let before = rows
      if let moved {
        rows = moved.rows
        for (source, key) in zip(moved.sources, rows.keys) {
          if source >= 0 {
            #expect(before.keys[Int(source)] == key)
          } else {
            #expect(changes.rowids[Int(~source)] == key.rowid)
          }
        }
      }
      if let most = selection.most, rows.keys.count > most { rows.trim(to: selection.wanted ?? 0) }
      table = after
      let expected = all(table)
      if rows.isComplete {
        #expect(rows.keys == expected, "\(selection) \(knowsOld)")
      } else {
        #expect(rows.keys == Array(expected.prefix(rows.keys.count)), "\(selection) \(knowsOld)")
        if rows.keys.count < selection.needed ?? 0 { return }
      }
    }
  }

  @Test("Changes taken in parts leave the rows of a sorted list, with and without a limit")
  func random() throws {
    var random = SeededGenerator.announced(for: "row moves")
    for round in 0..<200 {
      try check(round, key: { rowid, _ in rowid }, using: &random)
      try check(round, key: Self.sortKey, using: &random)
    }
  }

  @Test("The last known row keeps its position when it is replaced by one with the same key")
  func lastKnownRow() throws {
    func key(_ number: Int64) -> SortKey { Self.sortKey(number, Row(value: UInt64(number), matches: true)) }
    let stored = StoredEntity(bytes: [], object: nil)
    let changes = PublishedRows(
      [
        RowChange(rowid: 2, old: StoredEntity(bytes: [1], object: nil), new: stored),
        RowChange(rowid: 3, old: nil, new: stored),
      ], from: EntityOrigin(inFile: 1, at: 1))
    let rows = ResultRows(keys: [key(0), key(1), key(2)], isComplete: false)
    let moves = ResultUpdate(of: rows, most: 10, knowsOld: true, forEntries: .max)
    moves.take(sorted: [.init(key: key(2), change: 0), .init(key: key(3), change: 1)])
    let moved = try #require(try moves.finish(with: changes) { _, _ in false })
    #expect(moved.rows.keys == rows.keys && moved.sources == [0, 1, ~0])
  }

  @Test("Changes of the own process include the rows that they replaced")
  func ownChanges() { #expect(PublishedRows([], from: EntityOrigin(inFile: 1, at: 1)).knowsOld) }

  @Test("A limit and an offset of more than 2^30 rows together count as no limit")
  func needed() {
    func needed(_ limit: Int, _ offset: Int) -> Int? {
      RowSelection(where: nil, orderBy: [], limit: limit, offset: offset).needed
    }
    #expect(needed(1 << 30, 0) == 1 << 30 && needed(1, (1 << 30) - 1) == 1 << 30)
    #expect(needed(1 << 30, 1) == nil && needed(.max, 0) == nil && needed(.max, .max) == nil)
  }

  @Test("A limited query keeps a bounded number of arrivals, ordered by rowid, by key or presorted")
  func bounded() throws {
    let selection = RowSelection(where: nil, orderBy: [], limit: 10, offset: 0)
    let most = try #require(selection.most)
    let changes = PublishedRows(
      (0..<5_000).map { RowChange(rowid: $0, old: nil, new: StoredEntity(bytes: [], object: nil)) },
      from: EntityOrigin(inFile: 1, at: 1))
    var looked = 0
    let byRowid = ResultUpdate(
      of: ResultRows<Int64>(keys: [], isComplete: true), most: most, knowsOld: true, forEntries: 5_000)
    try byRowid.take(changes.entries[...]) { _ in
      looked += 1
      return true
    } isSame: { _, _ in
      false
    } key: { change, _ in
      Int64(change)
    }
    #expect(looked == most + 1 && byRowid.arrivals.count == most + 1)
    func key(_ change: Int) -> SortKey {
      SortKey(SortValue(bits: UInt64(change * 7_919 % 5_000), isDescending: true), [], rowid: Int64(change))
    }
    func moves() -> ResultUpdate<SortKey> {
      ResultUpdate(of: ResultRows(keys: [], isComplete: true), most: most, knowsOld: true, forEntries: .max)
    }
    let byKey = moves()
    for start in stride(from: 0, to: 5_000, by: 10) {
      try byKey.take(changes.entries[start..<start + 10], matches: { _ in true }, isSame: { _, _ in false }) {
        change, _ in key(change)
      }
      #expect(byKey.arrivals.count < 2 * (most + 1))
    }
    let sorted = moves()
    sorted.take(sorted: (0..<5_000).map { .init(key: key($0), change: Int32($0)) }.sorted { $0.key < $1.key })
    #expect(sorted.arrivals.count == most + 1)
    let same: (Int, Int) -> Bool = { _, _ in false }
    let (one, other) = (try byKey.finish(with: changes, isSame: same), try sorted.finish(with: changes, isSame: same))
    #expect(one?.rows.keys.prefix(most) == other?.rows.keys.prefix(most))
  }
}
