import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatCore

/// A9, with a second workspace on the file, which the first treats like another process.
@Suite struct ExternalCommitTests {
  @Test("A9: Commits of another workspace reach observers by themselves, in order") func arrive() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let all = EventLog<UInt64>()
    let subscriptions = [
      test.dictionary.subscribe("k", of: Int.self) { log.append($0) },
      test.dictionary.subscribe(withPrefix: "") { all.append($0.commitNumber) },
    ]
    for number in 1...50 { try other.workspace.transactAndWait { $0.dictionary["k"] = number } }
    try log.wait(forCount: 51)
    try all.wait(forCount: 50)
    #expect(log.events == [.initial(nil)] + (1...50).map { .updated($0) })
    #expect(all.events == Array(1...50))
    withExtendedLifetime(subscriptions) {}
  }

  @Test("A9: An observer gets another workspace's values of every kind, small and large") func kinds() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let values: [StoredValue] = [
      .bool(true), .int(.min), .uint(.max), .float(-0.0), .double(.infinity), .string(""), .string("a\0b"),
      .data(Data()), .data(Data(repeating: 1, count: 600)), .string(String(repeating: "x", count: 5_000)),
      .propertyList(Data([1])), .flatBuffers(Data([1]), schemaVersion: nil), .flatBuffers(Data(), schemaVersion: "1.2"),
    ]
    let log = EventLog<StoredValue?>()
    let subscription = test.dictionary.subscribe("k") { log.append($0.value) }
    for value in values {
      try other.workspace.transactAndWait { $0.dictionary["k"] = value }
      try test.core.checkForCommits()
    }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [nil] + values)
    #expect(test.dictionary["k"] == values.last)
    subscription.cancel()
  }

  @Test("A9: Observers get the changes of range removals and of commits too large for the log")
  func largeCommits() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let all = EventLog<String>()
    let subscriptions = [
      test.dictionary.subscribe("key7", of: Int.self) { log.append($0) },
      test.dictionary.subscribe(withPrefix: "key7") { all.append("\($0.event) \($0.key)") },
    ]
    try other.workspace.transactAndWait { transaction in
      for number in 0..<1_000 { transaction.dictionary["key\(number)"] = number }
    }
    try test.core.checkForCommits()
    #expect(test.dictionary["key7"] == 7)
    #expect(test.dictionary["key999"] == 999)
    #expect(test.dictionary.count == 1_000)
    try other.workspace.transactAndWait { $0.dictionary.removeAll(withPrefix: "key7") }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [.initial(nil), .updated(7), .deleted])
    #expect(all.events.count == 222)
    #expect(test.dictionary.count == 889)
    #expect(!test.dictionary.contains("key77"))
    withExtendedLifetime(subscriptions) {}
  }

  @Test("A9: Large values that are overwritten before they are read reach observers at most once")
  func overwritten() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let log = EventLog<Int?>()
    let subscription = test.dictionary.subscribe("k") { change in
      guard case .string(let text)? = change.value else { return log.append(nil) }
      log.append(text.utf8.count)
    }
    let stop = Stop(at: .renewedView, in: test)
    defer { stop.resume() }
    for count in [600, 700, 3, 800] {
      try other.workspace.transactAndWait { $0.dictionary["k"] = String(repeating: "x", count: count) }
    }
    stop.resume()
    try test.core.checkForCommits()
    try test.settle()
    let told = log.events
    #expect(told.first == .some(nil) && told.last == 800)
    #expect(told.dropFirst().allSatisfy { $0 != nil })
    #expect(Set(told).count == told.count)
    subscription.cancel()
  }

  @Test("A4: A key that a transaction of the same COMMIT removes and sets back is delivered once")
  func keptInTheSameCommit() throws {
    let test = try TestWorkspace()
    // Otherwise a slow machine would commit the first transaction before the second one joins.
    let other = try test.another { $0.commitLate() }
    let log = EventLog<StoredValue?>()
    let subscription = test.dictionary.subscribe(withPrefix: "k") { log.append($0.value) }
    let queued = Gate("both are queued")
    let done = Gate("both are committed")
    //   first:  takes the write token ── waits ── sets "gone" and "k"
    //   second:                          queued ──────────────────── removes all, sets "k" back
    other.workspace.performChanges([]) { transaction in
      _ = transaction.dictionary.contains("k")
      try? queued.wait()
      transaction.dictionary["gone"] = 1
      transaction.dictionary["k"] = 1
    }
    other.workspace.performChanges([]) { transaction in
      transaction.dictionary.removeAll()
      transaction.dictionary["k"] = 1
    } completionHandler: { _ in
      done.open()
    }
    queued.open()
    try done.wait()
    #expect(other.workspace.commitNumber == 1, "The transactions share a COMMIT.")
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [.int(1)])
    subscription.cancel()
  }

  @Test("A5: A waiting plain write hides another workspace's value and is committed over it")
  func overlayOverForeign() throws {
    let test = try TestWorkspace()
    let other = try test.another { $0.busyTimeout = .seconds(30) }
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    other.dictionary["k"] = 2
    try other.dictionary.synchronize()
    test.dictionary["k"] = 3
    try test.core.checkForCommits()
    #expect(test.dictionary["k"] == 3)
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 3)
  }

  @Test("A7: A plain write of the cached value replaces another workspace's newer value")
  func staleCache() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another()
    test.dictionary["k"] = 1
    test.dictionary["point"] = Point(x: 1, y: 1)
    try test.dictionary.synchronize()
    try other.workspace.transactAndWait { transaction in
      transaction.dictionary["k"] = 2
      transaction.dictionary["point"] = Point(x: 2, y: 2)
    }
    test.dictionary["k"] = 1
    test.dictionary["point"] = Point(x: 1, y: 1)
    try test.dictionary.synchronize()
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 1)
    #expect(fresh.dictionary["point"] == Point(x: 1, y: 1))
  }

  @Test("A9: A row that can't be decoded is reported, and later changes still arrive") func undecodableRow() throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let (log, all) = (EventLog<SubscribedDictionaryValue<Int>>(), EventLog<String>())
    let subscriptions = [
      test.dictionary.subscribe("k", of: Int.self) { log.append($0) },
      test.dictionary.subscribe("bad", of: Int.self) { log.append($0) },
      test.dictionary.subscribe(withPrefix: "") { all.append($0.key) },
    ]
    Failpoint.beforeCommit.arm(in: other.core) {
      do {
        try other.core.pipeline.writer.group?.connection.execute("UPDATE dictionary SET type = 99 WHERE key = 'bad'")
      } catch { Issue.record(error) }
    }
    try other.workspace.transactAndWait { transaction in
      transaction.dictionary["bad"] = String(repeating: "x", count: 1_000)
      transaction.dictionary["k"] = 1
    }
    Failpoint.beforeCommit.arm(in: other.core, nil)
    try other.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [.initial(nil), .initial(nil), .updated(1), .updated(2)])
    #expect(all.events.filter { $0 == "k" }.count == 2)
    #expect(try test.errors.wait(forCount: 1).contains { $0.code == .undecodable && $0.key == "bad" })
    #expect(throws: WorkspaceError.self) { try test.dictionary.storedValue(forKey: "bad") }
    test.dictionary["bad"] = 3
    try test.dictionary.synchronize()
    #expect(try other.dictionary.value(forKey: "k", as: Int.self) == 2)
    withExtendedLifetime(subscriptions) {}
  }

  enum Removal: CaseIterable, Sendable { case own, ownRange, external, externalRange, unnamed }

  @Test(
    "A4: An observer receives the removal of a key whose last value can't be decoded", arguments: Removal.allCases,
    [true, false])
  func undecodableRowRemoved(removal: Removal, isNamed: Bool) throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    try other.workspace.transactAndWait { $0.dictionary["bad"] = 1 }
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let subscription = test.dictionary.subscribe("bad", of: Int.self) { log.append($0) }
    Failpoint.beforeCommit.arm(in: other.core) {
      do {
        try other.core.pipeline.writer.group?.connection.execute("UPDATE dictionary SET type = 99 WHERE key = 'bad'")
      } catch { Issue.record(error) }
    }
    try other.workspace.transactAndWait { transaction in
      if !isNamed { transaction.dictionary.setMoreKeysThanARecordNames() }
      transaction.dictionary["bad"] = String(repeating: "x", count: 1_000)
    }
    Failpoint.beforeCommit.arm(in: other.core, nil)
    try test.core.checkForCommits()
    switch removal {
    case .own: try test.workspace.transactAndWait { $0.dictionary["bad"] = nil }
    case .ownRange: try test.workspace.transactAndWait { $0.dictionary.removeAll(withPrefix: "b") }
    case .external: try other.workspace.transactAndWait { $0.dictionary["bad"] = nil }
    case .externalRange: try other.workspace.transactAndWait { $0.dictionary.removeAll(withPrefix: "b") }
    case .unnamed:
      try other.workspace.transactAndWait { transaction in
        transaction.dictionary.namespace("more").setMoreKeysThanARecordNames()
        transaction.dictionary["bad"] = nil
      }
    }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [.initial(1), .deleted])
    try test.workspace.transactAndWait { $0.dictionary["bad"] = 2 }
    try test.settle()
    #expect(log.events == [.initial(1), .deleted, .updated(2)])
    subscription.cancel()
  }

  @Test("A9: A row that can't be decoded does not hold back the other keys of a large commit")
  func undecodableRowOfMany() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another()
    let all = EventLog<String>()
    let subscription = test.dictionary.subscribe(withPrefix: "k") { all.append($0.key) }
    Failpoint.beforeCommit.arm(in: other.core) {
      do {
        try other.core.pipeline.writer.group?.connection.execute("UPDATE dictionary SET type = 99 WHERE key = 'k7'")
      } catch { Issue.record(error) }
    }
    try other.workspace.transactAndWait { transaction in
      for number in 0..<1_000 { transaction.dictionary["k\(number)"] = number }
    }
    try test.core.checkForCommits()
    try test.settle()
    #expect(Set(all.events) == Set((0..<1_000).map { "k\($0)" }.filter { $0 != "k7" }) && all.events.count == 999)
    #expect(test.errors.events.map(\.key) == ["k7"] && test.errors.events.first?.code == .undecodable)
    subscription.cancel()
  }
}
