import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

extension DictionaryKeys {
  fileprivate static let attempts = DictionaryKey("attempts", default: 3)
}

/// No reader gets a value that has expired.
@Suite(.timeLimit(.minutes(15))) struct ExpiringReadTests {
  private let clock = ManualClock()
  private let test: TestWorkspace
  private var dictionary: WorkspaceDictionary { test.dictionary }

  init() throws { test = try TestWorkspace(at: clock) }

  /// Where a value is when it is read.
  enum Place: CaseIterable { case overlay, cache, file, transaction }

  /// Calls `body` with a dictionary that finds what `write` has written in one place.
  private func read(
    _ place: Place, after write: (WorkspaceDictionary) throws -> Void, _ body: (WorkspaceDictionary) throws -> Void
  ) throws {
    switch place {
    case .overlay:
      // No group begins while another transaction holds the write token.
      let held = try HeldWriteToken(test)
      try write(dictionary)
      try body(dictionary)
      try held.end()
    case .cache:
      try write(dictionary)
      try dictionary.synchronize()
      try body(dictionary)
    case .file:
      try write(dictionary)
      try dictionary.synchronize()
      let other = try test.another { $0.wallClock = clock.clock }
      try body(other.dictionary)
    case .transaction:
      try test.workspace.transactAndWait { transaction in
        try write(transaction.dictionary)
        try body(transaction.dictionary)
      }
    }
  }

  @Test("A value of each type is read until its instant", arguments: [Place.overlay, .cache, .file])
  func types(place: Place) throws {
    try read(place) { dictionary in
      dictionary.set(true, forKey: "bool", expiringAfter: .hour)
      dictionary.set(-7, forKey: "int", expiringAfter: .hour)
      dictionary.set(UInt64.max, forKey: "uint", expiringAfter: .hour)
      dictionary.set(Float.nan, forKey: "float", expiringAfter: .hour)
      dictionary.set(-0.0, forKey: "double", expiringAfter: .hour)
      dictionary.set("e\u{301}", forKey: "string", expiringAfter: .hour)
      dictionary.set(Data([1, 0]), forKey: "data", expiringAfter: .hour)
      dictionary.set(["a": [1, 2]], forKey: "plist", expiringAfter: .hour)
      dictionary.set(Note(title: "t", tags: ["x"]), forKey: "note", expiringAfter: .hour)
      dictionary.set(FirstVersion(number: 5), forKey: "versioned", expiringAfter: .hour)
      dictionary.set(StoredValue.string(""), forKey: "stored", expiringAt: clock.date.addingTimeInterval(3_600))
      dictionary.set(4, forKey: .attempts, expiringAfter: .hour)
    } _: { (dictionary: WorkspaceDictionary) throws in
      func expectPresent() throws {
        #expect(dictionary["bool"] == true)
        #expect(dictionary["int"] == -7)
        #expect(dictionary["uint"] == UInt64.max)
        #expect(dictionary["float", Float.self]?.isNaN == true)
        #expect(dictionary["double", Double.self]?.sign == .minus)
        #expect(dictionary["string", String.self].map { Array($0.utf8) } == Array("e\u{301}".utf8))
        #expect(dictionary["data"] == Data([1, 0]))
        #expect(dictionary["plist", [String: [Int]].self] == ["a": [1, 2]])
        #expect(dictionary["note"] == Note(title: "t", tags: ["x"]))
        #expect(dictionary["versioned"] == FirstVersion(number: 5))
        #expect(try dictionary.storedValue(forKey: "versioned")?.kind == .flatBuffers)
        #expect(dictionary["stored"] == "")
        #expect(dictionary[.attempts] == 4)
        #expect(dictionary.count == 12)
        #expect(try dictionary.entries().count == 12)
        #expect(try dictionary.expirationDate(forKey: "int") == clock.date.addingTimeInterval(3_600))
        #expect(try dictionary.expirationDate(forKey: .attempts) == clock.date.addingTimeInterval(3_600))
      }
      try expectPresent()
      let date = try #require(try dictionary.entries(withPrefix: "int").first?.expirationDate)
      #expect(date == clock.date.addingTimeInterval(3_600))
      clock.advance(by: ManualClock.hour - 1)
      #expect(dictionary["int"] == -7)
      clock.advance(by: 1)
      for key in dictionary.keys { Issue.record("\(key) is still there") }
      #expect(dictionary["bool", Bool.self] == nil)
      #expect(dictionary["int", Int.self] == nil)
      #expect(dictionary["string", String.self] == nil)
      #expect(dictionary["plist", [String: [Int]].self] == nil)
      #expect(dictionary["note", Note.self] == nil)
      #expect(try dictionary.value(forKey: "note", as: Note.self) == nil)
      #expect(try dictionary.storedValue(forKey: "data") == nil)
      #expect(dictionary[.attempts] == 3)
      #expect(dictionary["int", default: 9] == 9)
      #expect(!dictionary.contains("int"))
      #expect(dictionary.count == 0)
      #expect(try dictionary.entries() == [])
      #expect(try dictionary.namespaces() == [])
      #expect(try dictionary.commitNumber(forKey: "int") == nil)
      #expect(try dictionary.expirationDate(forKey: "int") == nil)
      #expect(try dictionary.readableValues().isEmpty)
      #expect(try dictionary.firstKey(withPrefix: "", after: nil, valueUpTo: 100) == nil)
    }
    #expect(test.errors.events.isEmpty)
  }

  @Test("Lists contain the keys of other lifetimes, in order", arguments: Place.allCases)
  func lists(place: Place) throws {
    try read(place) { dictionary in
      for index in 0..<20 {
        let key = "k\(index / 10)\(index % 10)"
        switch index % 4 {
        case 0: dictionary[key] = index
        case 1: dictionary.set(index, forKey: key, expiringAfter: .zero)
        case 2: dictionary.set(index, forKey: key, expiringAfter: .hour)
        case _: dictionary.set(index, forKey: key, expiringAt: .distantPast)
        }
      }
      dictionary.namespace("gone").set(1, forKey: "k", expiringAfter: .seconds(-1))
      dictionary.namespace("left").set(1, forKey: "k", expiringAfter: .seconds(-1))
      dictionary.namespace("left")["l"] = 1
    } _: { (dictionary: WorkspaceDictionary) throws in
      let expected = (0..<20).filter { $0 % 4 == 0 || $0 % 4 == 2 }.map { "k\($0 / 10)\($0 % 10)" }
      #expect(dictionary.keys == expected)
      #expect(dictionary.keys(withPrefix: "k1") == expected.filter { $0.hasPrefix("k1") })
      #expect(try dictionary.entries().map(\.key) == expected)
      #expect(try dictionary.entries(withPrefix: "", limit: 3).map(\.key) == Array(expected.prefix(3)))
      #expect(dictionary.namespace("gone").keys == [])
      #expect(dictionary.namespace("left").keys == ["l"])
      if place == .cache || place == .file { #expect(try dictionary.namespaces() == ["", "left"]) }
    }
  }

  @Test("A listing skips expired keys, however many there are")
  func listing() throws {
    for index in 0..<3_000 {
      dictionary.set(index, forKey: "a\(index)", expiringAfter: index == 1_234 ? .hour : .milliseconds(1))
    }
    dictionary["b"] = "text"
    try dictionary.synchronize()
    clock.advance(by: 1)
    let first = try #require(try dictionary.firstKey(withPrefix: "", after: nil, valueUpTo: 100))
    #expect(first.key == "a1234")
    #expect(first.value == .int(1_234))
    #expect(first.kind == .int)
    let second = try #require(try dictionary.firstKey(withPrefix: "", after: .key(first.key), valueUpTo: 2))
    #expect(second.key == "b")
    #expect(second.value == nil)
    #expect(second.byteCount == 4)
    dictionary.set("long text", forKey: "b", expiringAfter: .hour)
    try dictionary.synchronize()
    let changed = try #require(try dictionary.firstKey(withPrefix: "b", after: nil, valueUpTo: 2))
    #expect(changed.kind == .string)
    #expect(changed.byteCount == 9)
  }

  // MARK: One instant

  @Test("A6: A snapshot sees the keys of one instant")
  func snapshot() throws {
    dictionary.set(1, forKey: "a", expiringAfter: .hour)
    dictionary.set(2, forKey: "b", expiringAfter: .hour)
    try dictionary.synchronize()
    try test.workspace.fetchWithinASnapshot { () throws in
      #expect(dictionary["a"] == 1)
      clock.advance(by: ManualClock.hour)
      #expect(dictionary["b"] == 2)
      #expect(dictionary.keys == ["a", "b"])
      #expect(try dictionary.entries().count == 2)
      #expect(try dictionary.namespaces() == [""])
      #expect(try dictionary.expirationDate(forKey: "a") != nil)
    }
    #expect(dictionary.keys == [])
  }

  @Test("A transaction sees the keys of one instant")
  func transaction() throws {
    dictionary.set(1, forKey: "a", expiringAfter: .hour)
    dictionary.set(2, forKey: "b", expiringAfter: .hour)
    try dictionary.synchronize()
    try test.workspace.transactAndWait { transaction in
      #expect(transaction.dictionary["a"] == 1)
      clock.advance(by: ManualClock.hour)
      #expect(transaction.dictionary["b"] == 2)
      #expect(transaction.dictionary.keys == ["a", "b"])
      transaction.dictionary["c"] = 3
      #expect(transaction.dictionary.keys == ["a", "b", "c"])
    }
    #expect(dictionary.keys == ["c"])
  }

  /// The first use of the dictionary in a closure.
  enum FirstUse: CaseIterable, Sendable { case set, entries }

  //  first:   has the write token ──────────────── finds "k" expired, commits
  //  second:           waits for it in its first use ─────────────────────── reads "k"
  //  clock:                                ─ goes on ─
  @Test("A3: A transaction sees what the one that it waited for saw expire", arguments: FirstUse.allCases)
  func turn(firstUse: FirstUse) throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    try dictionary.synchronize()
    let seen = EventLog<Bool>()
    let first = try HeldWriteToken(test) { seen.append($0.dictionary.contains("k")) }
    // It declares a type, and so doesn't wait for the first one's lane.
    let second = BackgroundThread { [test] in
      try test.workspace.transactAndWait([Int.self]) { transaction in
        switch firstUse {
        case .set: transaction.dictionary.set(2, forKey: "new", expiringAfter: .hour)
        case .entries: _ = try transaction.dictionary.entries()
        }
        seen.append(transaction.dictionary.contains("k"))
      }
    }
    test.waitForWriteTokenWaiter()
    clock.advance(by: ManualClock.hour)
    try first.end()
    try second.join()
    #expect(seen.events == [false, false])
    if firstUse == .set {
      #expect(try dictionary.expirationDate(forKey: "new") == clock.date.addingTimeInterval(3_600))
    }
  }

  @Test("A transaction whose first use of the dictionary can't be encoded doesn't wait for its turn")
  func unencodable() throws {
    let held = try HeldWriteToken(test)
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait([Int.self]) { transaction in
        transaction.dictionary.set(Nested.tooDeep, forKey: "k", expiringAfter: .hour)
      }
    }
    try held.end()
  }

  // MARK: Atomic operations

  @Test("An update keeps the instant, and other writes end it")
  func updates() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    let date = try #require(try dictionary.expirationDate(forKey: "k"))
    #expect(try dictionary.update("k", default: 10) { $0 += 1 } == 2)
    #expect(try dictionary.expirationDate(forKey: "k") == date)
    clock.advance(by: ManualClock.hour)
    #expect(try dictionary.update("k", default: 10) { $0 += 1 } == 11)
    #expect(try dictionary.expirationDate(forKey: "k") == nil)
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    dictionary["k"] = 1
    #expect(try dictionary.expirationDate(forKey: "k") == nil)
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    #expect(try dictionary.compareAndSet("k", expected: 1, new: 2))
    #expect(try dictionary.expirationDate(forKey: "k") == nil)
    try test.workspace.transactAndWait { _ in }
    #expect(dictionary["k"] == 2)
  }

  @Test("An expired key is no value to compare with")
  func compareAndSet() throws {
    dictionary.set(1, forKey: "k", expiringAfter: .hour)
    clock.advance(by: ManualClock.hour)
    #expect(try !dictionary.compareAndSet("k", expected: 1, new: 2))
    #expect(try dictionary.compareAndSet("k", expected: nil, new: 3))
    #expect(dictionary["k"] == 3)
  }

  // MARK: Replaced values

  @Test(
    "A value that expires isn't kept when one of another type replaces it; it replaces a lasting one, which is kept")
  func replaced() throws {
    for isCached in [true, false] {
      let writer = isCached ? test : try test.another { $0.wallClock = clock.clock }
      writer.dictionary.set("text", forKey: "k", expiringAfter: .hour)
      try writer.dictionary.synchronize()
      let next = isCached ? test : try test.another { $0.wallClock = clock.clock }
      next.dictionary["k"] = 5
      try next.dictionary.synchronize()
      #expect(try next.dictionary.replacedValues().isEmpty)
      let last = isCached ? test : try test.another { $0.wallClock = clock.clock }
      last.dictionary.set("other", forKey: "k", expiringAfter: .hour)
      try last.dictionary.synchronize()
      let kept = try last.dictionary.replacedValues()
      #expect(kept.map(\.value) == [.int(5)], "\(isCached)")
      _ = try last.dictionary.removeReplacedValues(kept.map(\.id))
      dictionary.removeValue(forKey: "k")
      try dictionary.synchronize()
    }
  }

  @Test("A write of the same value with the same instant changes nothing, one with another instant does")
  func unchanged() throws {
    let events = EventLog<DictionaryChange>()
    let subscription = dictionary.subscribe("k") { events.append($0) }
    defer { subscription.cancel() }
    let date = clock.date.addingTimeInterval(60 * 60)
    for _ in 0..<2 { try test.workspace.transactAndWait { $0.dictionary.set("v", forKey: "k", expiringAt: date) } }
    let other = try test.another { $0.wallClock = clock.clock }
    try other.workspace.transactAndWait { $0.dictionary.set("v", forKey: "k", expiringAt: date) }
    let number = try #require(try dictionary.commitNumber(forKey: "k"))
    try test.workspace.transactAndWait { $0.dictionary.set("v", forKey: "k", expiringAt: date.addingTimeInterval(1)) }
    try test.settle()
    #expect(try dictionary.commitNumber(forKey: "k") == number + 1)
    #expect(events.events.map(\.event) == [.initial, .updated, .updated])
    #expect(events.events.map(\.expirationDate) == [nil, date, date.addingTimeInterval(1)])
  }

  @Test(
    "A value that has expired, and wasn't removed yet, is back if the clock is set back",
    arguments: [Place.overlay, .cache, .file])
  func clockSetBack(place: Place) throws {
    try read(place) {
      $0.set("v", forKey: "k", expiringAfter: .hour)
    } _: { dictionary in
      clock.advance(by: ManualClock.hour)
      #expect(dictionary["k", String.self] == nil)
      clock.advance(by: -1)
      #expect(dictionary["k", String.self] == "v")
    }
  }
}
