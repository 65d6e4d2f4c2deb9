@testable import DflatEntities
import GoldenModels
import TestSupport
import Testing

/// Net changes of rows (`RowChangeTracker`).
@Suite struct RowChangeTrackerTests {
  private func entity(_ byte: UInt8) -> StoredEntity { StoredEntity(bytes: [byte], object: nil) }

  private func summary(_ changes: RowChangeTracker) -> String {
    switch changes.net {
    case nil: "nothing"
    case .unknown: "anything"
    case .rowids(let rowids): "\(rowids)"
    case .rows(let rows):
      rows.map { "\($0.rowid): \($0.old?.bytes ?? []) to \($0.new?.bytes ?? [])" }.joined(separator: ", ")
    }
  }

  @Test("Several changes of one row become one")
  func changesOfOneRowBecomeOne() {
    var changes = RowChangeTracker(keepsContents: true)
    changes.note(2, existed: true, exists: true) { (entity(1), entity(2)) }
    changes.note(2, existed: true, exists: true) { (entity(2), entity(3)) }
    changes.note(1, existed: false, exists: true) { (nil, entity(9)) }
    #expect(summary(changes) == "1: [] to [9], 2: [1] to [3]")
    #expect(changes.keptBytes == 3)
    changes.note(2, existed: true, exists: false) { (entity(3), nil) }
    changes.note(1, existed: true, exists: false) { (entity(9), nil) }
    #expect(summary(changes) == "2: [1] to []")
    #expect(changes.keptBytes == 1)
  }

  @Test("A row that is inserted and deleted again is not a change", arguments: [false, true])
  func aRowThatCameAndWentIsNothing(keepsContents: Bool) {
    var changes = RowChangeTracker(keepsContents: keepsContents)
    changes.note(1, existed: false, exists: true) { (nil, entity(1)) }
    changes.note(1, existed: true, exists: false) { (entity(1), nil) }
    #expect(summary(changes) == "nothing")
  }

  @Test("Changes of a later transaction combine with those of earlier ones in its group")
  func laterTransactionsGoOnFromEarlierOnes() {
    var group = RowChangeTracker(keepsContents: false)
    var first = RowChangeTracker(keepsContents: true)
    first.note(1, existed: false, exists: true) { (nil, entity(1)) }
    first.note(5, existed: true, exists: true) { (entity(5), entity(6)) }
    group.merge(first)
    var second = RowChangeTracker(keepsContents: true)
    second.note(1, existed: true, exists: false) { (entity(1), nil) }
    second.note(5, existed: true, exists: true) { (entity(6), entity(7)) }
    group.merge(second)
    #expect(summary(group) == "5: [5] to [7]")
    // A transaction that keeps no contents leaves only the rowids.
    var third = RowChangeTracker(keepsContents: false)
    third.note(7, existed: true, exists: true) { (nil, nil) }
    group.merge(third)
    #expect(summary(group) == "[5, 7]")
    #expect(group.keptBytes == 0)
    var fourth = RowChangeTracker(keepsContents: true)
    fourth.noteUnknown()
    group.merge(fourth)
    group.merge(third)
    #expect(summary(group) == "anything")
  }

  @Test("A group keeps a transaction's contents after a transaction without changes")
  func aTransactionThatDidNothingKeepsTheFirstOnesContents() {
    var group = RowChangeTracker(keepsContents: false)
    group.merge(RowChangeTracker(keepsContents: true))
    var first = RowChangeTracker(keepsContents: true)
    first.note(1, existed: true, exists: true) { (entity(1), entity(2)) }
    group.merge(first)
    #expect(summary(group) == "1: [1] to [2]")
  }

  @Test("Changes of too many rows become changes of unknown rows")
  func tooManyRowsAreAnyRow() {
    var changes = RowChangeTracker(keepsContents: true)
    for rowid in 0..<Int64(RowChangeTracker.maximumRows) {
      changes.note(rowid, existed: true, exists: true) { (nil, nil) }
    }
    #expect(summary(changes) != "anything")
    changes.note(-1, existed: true, exists: true) { (nil, nil) }
    #expect(summary(changes) == "anything")
  }

  @Test("Rows whose changes were undone still count as changed, without their contents")
  func whatWasUndoneLeavesItsRowsInQuestion() {
    var changes = RowChangeTracker(keepsContents: true)
    changes.note(1, existed: false, exists: true) { (nil, entity(1)) }
    let mark = changes.changeCount
    changes.undo(since: mark)
    #expect(summary(changes) == "1: [] to [1]")
    changes.note(1, existed: true, exists: false) { (entity(1), nil) }
    changes.note(2, existed: true, exists: true) { (entity(2), entity(3)) }
    let middle = changes.changeCount
    changes.undo(since: mark)
    #expect(summary(changes) == "[1, 2]")
    #expect(changes.fate(of: 2, since: middle) == .changed)
    #expect(changes.fate(of: 2, since: changes.changeCount) == .unchanged)
    changes.noteUnknown()
    changes.undo(since: mark)
    #expect(summary(changes) == "anything")
  }

  @Test("Contents that are too large are not kept")
  func contentsThatAreTooLargeAreNotKept() {
    var changes = RowChangeTracker(keepsContents: true)
    let large = StoredEntity(bytes: [UInt8](repeating: 0, count: RowChangeTracker.maximumKeptBytes / 2), object: nil)
    for rowid: Int64 in 1...2 { changes.note(rowid, existed: false, exists: true) { (nil, large) } }
    #expect(changes.keptBytes == RowChangeTracker.maximumKeptBytes)
    changes.note(3, existed: false, exists: true) { (nil, entity(1)) }
    #expect(changes.keptBytes == 0)
    #expect(summary(changes) == "[1, 2, 3]")
  }

  @Test("A row's fate depends on the changes since a change count")
  func fates() {
    var changes = RowChangeTracker(keepsContents: false)
    let start = changes.changeCount
    changes.note(1, existed: true, exists: true) { (nil, nil) }
    let middle = changes.changeCount
    changes.note(2, existed: true, exists: false) { (nil, nil) }
    #expect(changes.fate(of: 1, since: start) == .changed)
    #expect(changes.fate(of: 1, since: middle) == .unchanged)
    #expect(changes.fate(of: 2, since: middle) == .gone)
    #expect(changes.fate(of: 3, since: start) == .unchanged)
    changes.noteUnknown()
    #expect(changes.fate(of: 3, since: middle) == .unknown)
    #expect(changes.fate(of: 3, since: changes.changeCount) == .unchanged)
  }
}

/// `EntityRecord`: records are small and name all changed rows if there is room. Decoding accepts any bytes.
@Suite struct EntityRecordTests {
  private func decode(_ bytes: [UInt8]) -> [EntityRecord.Table]? { EntityRecord.decode(RecordReader(bytes)) }

  @Test("A record decodes to the tables that were encoded")
  func roundTrip() {
    let tables = [
      EntityRecord.Table(name: "post", rowids: [1, 2, 300, .max]), .init(name: "täble", rowids: nil),
      .init(name: "m", rowids: [.min, -1, 0]), .init(name: "none", rowids: []),
    ]
    let decoded = decode(EntityRecord.encode(tables))
    #expect(decoded?.sorted { $0.name < $1.name } == tables.sorted { $0.name < $1.name })
  }

  @Test("A record has the documented bytes")
  func isTheDocumentedText() {
    #expect(EntityRecord.encode([.init(name: "ab", rowids: [3, 5, 300])]) == [1, 2, 0x61, 0x62, 3, 3, 2, 0xa7, 2])
    #expect(EntityRecord.encode([.init(name: "ab", rowids: nil)]) == [2, 2, 0x61, 0x62])
  }

  @Test("A record that exceeds its capacity omits the rows of the largest table first")
  func theLargestTablesLoseTheirRowsFirst() throws {
    let small = EntityRecord.Table(name: "small", rowids: Array(1...100))
    let large = EntityRecord.Table(name: "large", rowids: Array(stride(from: 1, to: 300_000, by: 200)))
    let larger = EntityRecord.Table(name: "larger", rowids: Array(stride(from: 1, to: 1_000_000, by: 200)))
    let bytes = EntityRecord.encode([larger, small, large])
    #expect(bytes.count <= EntityRecord.capacity)
    let tables = try #require(decode(bytes)).sorted { $0.name > $1.name }
    #expect(tables.map(\.name) == ["small", "larger", "large"])
    #expect(tables.map { $0.rowids?.count } == [100, nil, 1_500])
  }

  @Test("A record of too many tables decodes to unknown changes")
  func tooManyTablesAreEverything() {
    let tables = (0..<1_000).map { EntityRecord.Table(name: "table\($0)", rowids: [1]) }
    let bytes = EntityRecord.encode(tables)
    #expect(bytes.count <= EntityRecord.capacity)
    #expect(decode(bytes) == nil)
  }

  @Test("A damaged record decodes to unknown changes")
  func damageIsEverything() {
    for bytes: [UInt8] in [
      [9], [1], [1, 5, 0x61], [1, 1, 0x61], [1, 1, 0x61, 2, 1], [1, 1, 0x61, 2, 1, 0], [2], [2, 3, 0x61],
      [1, 1, 0x61, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [1, 1, 0x61, 2, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [1, 1, 0x61, 2, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    ] {
      #expect(decode(bytes) == nil, "\(bytes)")
    }
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
        Bool.random(using: &random) ? UInt8.random(in: 0...3, using: &random) : .random(in: 0...255, using: &random)
      }
      _ = decode(bytes)
    }
  }

  private func record(_ number: UInt64, _ tables: [EntityRecord.Table]) -> ChangeLog.Record {
    var writer = RecordWriter()
    writer.write(EntityRecord.kind)
    writer.write(counted: EntityRecord.encode(tables))
    return ChangeLog.Record(commitNumber: number, bytes: writer.bytes)
  }

  @Test("The rows of many commits are collected")
  func manyRecords() {
    let tables = (0..<500).map { EntityRecord.Table(name: "post", rowids: [$0 * 3, $0 * 3 + 1]) }
    let changes = ExternalChanges(tables.enumerated().map { record(UInt64($0), [$1]) })
    guard case .rowids(let rowids)? = changes.tables[Post._entity.number] else {
      Issue.record("\(changes)")
      return
    }
    #expect(rowids == (0..<1_500).filter { $0 % 3 != 2 })
  }

  @Test("The changes of a table are unknown once too many of its rows have changed")
  func tooManyRows() {
    let count = Int64(RowChangeTracker.maximumRows)
    let starts = stride(from: 0, through: count, by: 1_000)
    let all = starts.enumerated().map { number, start in
      record(UInt64(number), [.init(name: "post", rowids: Array(start..<min(start + 1_000, count + 1)))])
    }
    let post = Post._entity.number
    guard case .unknown? = ExternalChanges(all).tables[post],
      case .unknown? = ExternalChanges(all + [record(1_000, [.init(name: "post", rowids: [1])])]).tables[post],
      case .rowids(let rowids)? = ExternalChanges(Array(all.dropLast())).tables[post]
    else {
      Issue.record("the limit isn't \(count) rows")
      return
    }
    #expect(rowids.count == count)
  }

  @Test("Records of several commits combine to one set of changes")
  func recordsAddUp() throws {
    let post = Post._entity.number
    let member = Member._entity.number
    let changes = ExternalChanges([
      record(3, [.init(name: "post", rowids: [4, 9])]), record(4, [.init(name: "club__member", rowids: nil)]),
      ChangeLog.Record(commitNumber: 5, bytes: []),
      record(6, [.init(name: "post", rowids: [2, 4]), .init(name: "club__member", rowids: [1])]),
    ])
    #expect(changes.newest == [post: 6, member: 6])
    #expect(changes.unknown == nil)
    guard case .rowids([2, 4, 9])? = changes.tables[post], case .unknown? = changes.tables[member] else {
      Issue.record("\(changes)")
      return
    }
    let damaged = ExternalChanges([
      record(3, [.init(name: "post", rowids: [4])]), ChangeLog.Record(commitNumber: 4, bytes: [2, 9]),
    ])
    #expect(damaged.unknown == 4)
  }
}
