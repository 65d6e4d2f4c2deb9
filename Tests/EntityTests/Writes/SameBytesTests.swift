import DflatKV
import TestSupport
import Testing

@testable import DflatEntities

/// Changes are decided by stored bytes, not by `==`: NaN differs from itself, and -0 equals 0.
@Suite struct SameBytesTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws { test = try TestWorkspace { $0.fillsIndexes = false } }

  @Test("A request that changes nothing of an object with NaN keeps its bytes and notifies nobody")
  func nan() throws {
    try workspace.transactAndWait([Item<V3>.self]) { txn in
      _ = try txn.insert(Item<V3>("a") { ($0.rating, $0.code) = (.nan, "kept") })
    }
    let log = EventLog<Int>()
    let live = workspace.subscribe(fetchedResult: workspace.fetch(for: Item<V2>.self).all()) { log.append($0.count) }
    let item = try #require(workspace.fetch(for: Item<V2>.self).all().first)
    let object = workspace.subscribe(object: item) { _ in log.append(-1) }
    try workspace.settle()
    let commit = workspace.published
    try workspace.transactAndWait([Item<V2>.self]) { txn in
      _ = try txn.update(item) { _ in }
      _ = try txn.update(item) { $0.fields.rating = .nan }
      _ = try txn.upsert(item)
      _ = try txn.upsert(Item<V2>(item.fields))
      let count = try txn.updateAll(Item<V2>.self) { _ in }
      #expect(count == 1)
    }
    try workspace.settle()
    #expect(workspace.published == commit)
    #expect(log.events == [])
    #expect(workspace.fetch(for: Item<V3>.self).all().first?.fields.code == "kept")
    live.cancel()
    object.cancel()
  }

  @Test("A change of a field that only a newer schema knows doesn't notify observers of an older one")
  func newerField() throws {
    try workspace.transactAndWait([Item<V3>.self]) { txn in _ = try txn.insert(Item<V3>("a") { $0.rating = .nan }) }
    let log = EventLog<Int>()
    let item = try #require(workspace.fetch(for: Item<V2>.self).all().first)
    let subscriptions = [
      workspace.subscribe(fetchedResult: workspace.fetch(for: Item<V2>.self).all()) { log.append($0.count) },
      workspace.subscribe(object: item) { _ in log.append(-1) },
    ]
    try workspace.transactAndWait([Item<V3>.self]) { txn in
      _ = try txn.updateAll(Item<V3>.self) { $0.fields.code = "new" }
    }
    try workspace.settle()
    #expect(log.events == [])
    subscriptions.forEach { $0.cancel() }
  }

  @Test("Replacing 0 by -0 is a change")
  func zeros() throws {
    try workspace.transactAndWait([Item<V3>.self]) { txn in _ = try txn.insert(Item<V3>("a") { $0.rating = 0 }) }
    let log = EventLog<FloatingPointSign>()
    let live = workspace.subscribe(fetchedResult: workspace.fetch(for: Item<V3>.self).all()) {
      log.append($0.first?.fields.rating?.sign ?? .plus)
    }
    try workspace.transactAndWait([Item<V3>.self]) { txn in
      _ = try txn.updateAll(Item<V3>.self) { $0.fields.rating = -0.0 }
    }
    #expect(try log.wait(forCount: 1) == [.minus])
    live.cancel()
  }
}
