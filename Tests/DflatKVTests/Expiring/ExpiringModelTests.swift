import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Random writes with and without lifetimes, in two workspaces of one file, while a clock goes on: every read agrees with a
/// model that knows when each value expires.
@Suite(.timeLimit(.minutes(15))) struct ExpiringModelTests {
  private static let names = ["", "n"]
  private static let keys = ["a", "aa", "ab", "b", "e\u{301}", "é", ""]

  private struct Place: Hashable {
    let namespace: String
    let key: [UInt8]
  }

  private struct Expected {
    var value: Int
    var instant: Int64?
  }

  @Test("All reads agree with a model", arguments: 1...12 as ClosedRange<UInt64>)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let clock = ManualClock()
    let first = try TestWorkspace(at: clock)
    let all = try [first, first.another { $0.wallClock = clock.clock }]
    var expected: [Place: Expected] = [:]
    let events = EventLog<DictionaryChange>()
    let subscriptions = Self.names.map { name in
      all[1].dictionary.namespace(name).subscribe(withPrefix: "") { events.append($0) }
    }
    for step in 0..<150 {
      let test = all[Int.random(in: 0...1, using: &random)]
      let name = Self.names.randomElement(using: &random) ?? ""
      let key = Self.keys.randomElement(using: &random) ?? ""
      let place = Place(namespace: name, key: Array(key.utf8))
      let lifetime = ([-1, 0, 1, 500, 1_000, 2_000] as [Int64]).randomElement(using: &random) ?? 0
      let isInTransaction = Bool.random(using: &random)
      let choice = Int.random(in: 0..<9, using: &random)
      func change(_ body: (WorkspaceDictionary) throws -> Void) throws {
        if isInTransaction {
          try test.workspace.transactAndWait { try body($0.dictionary.namespace(name)) }
        } else {
          try body(test.dictionary.namespace(name))
          try test.dictionary.synchronize()
        }
      }
      switch choice {
      case 0...2:
        let hours = ManualClock.hour * lifetime
        try change { $0.set(step, forKey: key, expiringAfter: Duration.milliseconds(hours)) }
        expected[place] = Expected(value: step, instant: clock.now + hours)
      case 3:
        try change { $0[key] = step }
        expected[place] = Expected(value: step)
      case 4:
        try change { $0.removeValue(forKey: key) }
        expected[place] = nil
      case 5:
        try change { $0.removeAll(withPrefix: key) }
        expected = expected.filter { $0.key.namespace != name || !$0.key.key.starts(with: Array(key.utf8)) }
      case 6:
        let present = expected[place].flatMap { ($0.instant ?? Int64.max) > clock.now ? $0 : nil }
        var result = 0
        try change { result = try $0.update(key, default: 0) { $0 += 1 } }
        expected[place] = Expected(value: (present?.value ?? 0) + 1, instant: present?.instant)
        #expect(result == (present?.value ?? 0) + 1)
      case 7: clock.advance(by: ManualClock.hour * ([1, 499, 500].randomElement(using: &random) ?? 1))
      case _: try test.removeExpired()
      }
      try check(all, expected, at: clock.now, step)
    }
    // What is left expires; what observers have received is what was there.
    clock.advance(by: ManualClock.hour * 10_000)
    try all[0].removeExpired()
    try all[1].core.checkForCommits()
    for test in all { try test.settle() }
    expected = expected.filter { $0.value.instant == nil }
    try check(all, expected, at: clock.now, -1)
    var observed: [Place: Int] = [:]
    for change in events.events {
      let place = Place(namespace: change.namespace, key: Array(change.key.utf8))
      switch change.event {
      case .updated:
        if case .int(let value)? = change.value { observed[place] = Int(value) }
      case .deleted, .expired: #expect(observed.removeValue(forKey: place) != nil)
      case .initial: Issue.record("A range has no initial value")
      }
    }
    #expect(observed == expected.mapValues(\.value))
    for test in all { #expect(test.errors.events.isEmpty) }
    #expect(try all[0].core.integrityProblems(in: [DictionaryTables()]).isEmpty)
    subscriptions.forEach { $0.cancel() }
  }

  private func check(_ all: [TestWorkspace], _ expected: [Place: Expected], at now: Int64, _ step: Int) throws {
    let present = expected.filter { ($0.value.instant ?? Int64.max) > now }
    for test in all {
      try test.core.checkForCommits()
      func compare(_ root: WorkspaceDictionary) throws {
        for name in Self.names {
          let dictionary = root.namespace(name)
          let keys = present.keys.filter { $0.namespace == name }.map(\.key).sorted { $0.lexicographicallyPrecedes($1) }
          #expect(dictionary.keys.map { Array($0.utf8) } == keys, "step \(step)")
          #expect(dictionary.count == keys.count)
          let entries = try dictionary.entries()
          #expect(entries.map { Array($0.key.utf8) } == keys)
          for entry in entries {
            let place = Place(namespace: name, key: Array(entry.key.utf8))
            #expect(entry.value == .int(Int64(present[place]?.value ?? -1)), "step \(step)")
            #expect(entry.expiration?.milliseconds == present[place]?.instant)
          }
          for key in Self.keys {
            let place = Place(namespace: name, key: Array(key.utf8))
            #expect(dictionary[key, Int.self] == present[place]?.value, "step \(step)")
            #expect(dictionary.contains(key) == (present[place] != nil))
            #expect(
              try dictionary.expirationDate(forKey: key).map { Expiration($0).milliseconds } == present[place]?.instant)
            #expect(try (dictionary.commitNumber(forKey: key) != nil) == (present[place] != nil))
          }
        }
        #expect(try root.namespaces() == Self.names.filter { name in present.keys.contains { $0.namespace == name } })
      }
      try compare(test.dictionary)
      try test.workspace.fetchWithinASnapshot { try compare(test.dictionary) }
      try test.workspace.transactAndWait { try compare($0.dictionary) }
    }
  }
}
