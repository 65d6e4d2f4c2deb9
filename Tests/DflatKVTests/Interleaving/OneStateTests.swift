import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// A read of several keys answers from one state: its copy of the overlay matches its view of the file.
@Suite struct OneStateTests {
  enum Read: CaseIterable, Sendable { case keys, count, entries }

  private func read(_ read: Read, _ dictionary: WorkspaceDictionary) throws -> [String] {
    switch read {
    case .keys: dictionary.keys
    case .count: Array(repeating: "", count: dictionary.count)
    case .entries: try dictionary.entries().map(\.key)
    }
  }

  @Test("A list of keys shows a transaction that commits during it in full or not at all", arguments: Read.allCases)
  func commitBetween(kind: Read) throws {
    // reader:       has copied the overlay, which holds "a" ─ stops                      ─ reads the file
    // transaction:                                                  replaces "a" by "b"
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    test.dictionary["0"] = 0
    try test.dictionary.synchronize()
    let writeToken = try HeldWriteToken(test) { transaction in
      transaction.dictionary["a"] = nil
      transaction.dictionary["b"] = 1
    }
    test.dictionary["a"] = 1
    let stop = Stop(at: .overlayCopied, in: test)
    let reader = BackgroundThread { try self.read(kind, test.dictionary) }
    try stop.wait()
    try writeToken.end()
    stop.resume()
    let seen = try reader.join()
    #expect(seen.count == 2)
  }

  @Test("A list of keys includes a waiting plain write that commits during it", arguments: Read.allCases)
  func plainCommitBetween(kind: Read) throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    test.dictionary["0"] = 0
    try test.dictionary.synchronize()
    let writeToken = try HeldWriteToken(test)
    test.dictionary["a"] = 1
    let stop = Stop(at: .overlayCopied, in: test)
    let reader = BackgroundThread { try self.read(kind, test.dictionary) }
    try stop.wait()
    try writeToken.end()
    try test.dictionary.synchronize()
    stop.resume()
    #expect(try reader.join().count == 2)
  }

  @Test("A list of keys that is read before a commit's publication shows one state", arguments: Read.allCases)
  func unpublished(kind: Read) throws {
    // writer:  COMMIT ─ stops                                           ─ publishes
    // reader:                 takes a view of the commit ─ stops ─ waits           ─ copies the overlay, reads
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    test.dictionary["a"] = 1
    try test.dictionary.synchronize()
    let stop = Stop(at: .committedBeforePublish, in: test)
    let writer = BackgroundThread {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["a"] = nil
        transaction.dictionary["b"] = 1
      }
    }
    try stop.wait()
    let view = Stop(at: .renewedView, in: test)
    let copies = EventLog<UInt64>()
    Failpoint.overlayCopied.arm(in: test.core) { copies.append(test.core.publication.published) }
    defer { Failpoint.overlayCopied.arm(in: test.core, nil) }
    let reader = BackgroundThread { try self.read(kind, test.dictionary) }
    try view.wait()
    #expect(test.core.publication.published == 1)
    view.resume()
    // A reader that doesn't wait copies the overlay now.
    for _ in 0..<1_000 where copies.events.isEmpty { sched_yield() }
    #expect(copies.events.isEmpty)
    stop.resume()
    try writer.join()
    #expect(try reader.join().count == 1)
    #expect(copies.events == [2])
  }

  /// "slot.a" is written plainly and "slot.b" replaces it in a transaction, so no state has both.
  @Test("Commits, failed transactions and another workspace tear no list of keys") func stress() throws {
    let test = try TestWorkspace()
    let other = try test.another { $0.busyTimeout = .seconds(30) }
    let isOver = Gate("the end")
    let mover = BackgroundThread {
      while !isOver.opened {
        test.dictionary["slot.a"] = 1
        try test.workspace.transactAndWait { transaction in
          transaction.dictionary["slot.a"] = nil
          transaction.dictionary["slot.b"] = 1
        }
        try test.workspace.transactAndWait { $0.dictionary["slot.b"] = nil }
      }
    }
    let noise = BackgroundThread {
      var number = 0
      while !isOver.opened {
        number += 1
        test.dictionary["slot noise"] = number
        if number % 64 == 0 { try test.dictionary.synchronize() }
        if number % 128 == 0 {
          try? test.workspace.transactAndWait { transaction in
            transaction.dictionary["slot.torn"] = 1
            transaction.abort()
          }
        }
        if number % 1_024 == 0 { try other.workspace.transactAndWait { $0.dictionary["foreign"] = number } }
      }
    }
    var torn: [[String]] = []
    for round in 0..<6_000 {
      let keys =
        round % 2 == 0
        ? test.dictionary.keys(withPrefix: "slot.") : try test.dictionary.entries(withPrefix: "slot.").map(\.key)
      if keys.count > 1 || keys.contains("slot.torn") { torn.append(keys) }
    }
    isOver.open()
    try mover.join()
    try noise.join()
    #expect(torn.isEmpty, "\(torn.count) of 6,000 lists are torn; the first is \(torn.first ?? [])")
  }
}
