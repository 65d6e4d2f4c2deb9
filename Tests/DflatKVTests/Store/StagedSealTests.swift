import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Each write of a transaction to a sealed namespace is checked against what the transaction has done before it.
@Suite(.timeLimit(.minutes(15))) struct StagedSealTests {
  private let test: TestWorkspace

  init() throws {
    test = try TestWorkspace {
      $0.followsOtherProcesses = false
      $0.commitLate()
    }
  }

  private var bare: WorkspaceDictionary { test.dictionary.namespace("s") }

  private func seal(_ number: UInt64, orOpenedWith earlier: [UInt64] = []) -> NamespaceSeal {
    NamespaceSeal(namespace: "s", by: ToyCipher(number), earlier: earlier.map { ToyCipher($0) })
  }

  /// The namespace with a key, or with several, of which the first seals.
  private func secrets(_ number: UInt64, orOpenedWith earlier: [UInt64] = []) -> WorkspaceDictionary {
    test.dictionary.namespace("s", sealedBy: seal(number, orOpenedWith: earlier))
  }

  private func fill(_ keys: [String], sealedWith number: UInt64? = 1) throws {
    try test.workspace.transactAndWait { _ in
      for key in keys { (number.map { secrets($0) } ?? bare)[key] = "old" }
    }
  }

  /// Changes the key of all values.
  private func rotate(_ old: UInt64, _ new: UInt64) throws { _ = try bare.reseal(from: seal(old), to: seal(new)) }

  /// Seals all values.
  private func sealValues(_ number: UInt64) throws { _ = try bare.reseal(from: nil, to: seal(number)) }

  private func remove(_ key: String, withPrefix isPrefix: Bool) {
    if isPrefix { bare.removeAll(withPrefix: key) } else { bare.removeValue(forKey: key) }
  }

  /// The namespace's keys, each with the number of the seal, or a dash, and the value.
  private func state() throws -> [String] {
    try bare.entries().map { entry in
      guard let number = entry.value.sealKeyIdentifier else { return "\(entry.key) - \(text(entry.value))" }
      return "\(entry.key) \(number) \(text(try secrets(number).storedValue(forKey: entry.key)))"
    }
  }

  private func text(_ value: StoredValue?) -> String {
    switch value {
    case .string(let text): text
    case .int(let number): "\(number)"
    default: String(describing: value)
    }
  }

  /// Runs a transaction that commits and leaves these values in the namespace.
  private func commits(
    _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    try test.workspace.transactAndWait { _ in try body() }
    #expect(try state() == expected, sourceLocation: sourceLocation)
  }

  /// Runs a transaction that fails with this code, and so changes nothing.
  private func fails(
    _ code: WorkspaceError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    let before = try state()
    let error = #expect(throws: WorkspaceError.self, sourceLocation: sourceLocation) {
      try test.workspace.transactAndWait { _ in try body() }
    }
    #expect(error?.code == code && error?.key != nil, sourceLocation: sourceLocation)
    #expect(try state() == before, sourceLocation: sourceLocation)
  }

  // MARK: Rotations

  @Test("After a rotation, the new key writes, and the old one no longer does") func afterRotation() throws {
    try fill(["a", "b"])
    try commits(["a 2 new", "b 2 old", "c 2 new"]) {
      try rotate(1, 2)
      secrets(2)["a"] = "new"
      secrets(2)["c"] = "new"
    }
    for key in ["a", "d"] {
      try fails(.wrongSealKey) {
        try rotate(2, 3)
        secrets(2)[key] = "wrong"
      }
    }
    try fails(.sealed) {
      try rotate(2, 3)
      bare["a"] = 5
    }
  }

  @Test("After a rotation, a new key may come before the only value that it has rotated") func newKeyFirst() throws {
    try fill(["a"])
    try commits(["a 2 new", "b 2 new"]) {
      try rotate(1, 2)
      secrets(2)["b"] = "new"
      secrets(2)["a"] = "new"
    }
  }

  @Test("Writes before, between and after several rotations") func rotations() throws {
    try fill(["a", "b"])
    try commits(["a 3 last", "b 3 old", "c 3 new"]) {
      secrets(1)["a"] = "first"
      secrets(1)["c"] = "new"
      try rotate(1, 2)
      secrets(2)["a"] = "second"
      try rotate(2, 3)
      secrets(3)["a"] = "third"
      secrets(3)["a"] = "last"
    }
    try commits(["b 4 old"]) {
      try rotate(3, 4)
      secrets(4)["a"] = "gone"
      bare.removeValue(forKey: "a")
      bare.removeAll(withPrefix: "c")
    }
  }

  @Test("A value that follows a rotation is compared with the rotated one") func comparedWithRotated() throws {
    try fill(["a", "b"])
    let events = EventLog<String>()
    let subscription = bare.subscribe(withPrefix: "") { change in
      events.append("\(change.key) \(change.value?.sealKeyIdentifier.map { "\($0)" } ?? "-")")
    }
    defer { subscription.cancel() }
    let other = try test.another()
    #expect(other.dictionary.namespace("s", sealedBy: seal(1))["a", String.self] == "old")
    // An equal value leaves the rotated one.
    try commits(["a 2 old", "b 2 old"]) {
      try rotate(1, 2)
      secrets(2)["a"] = "old"
    }
    #expect(try test.keptValues().isEmpty)
    // A value of another kind keeps it, with the new key.
    try commits(["a 3 5", "b 3 old"]) {
      try rotate(2, 3)
      secrets(3)["a"] = 5
    }
    #expect(try test.keptValues().map { $0?.sealKeyIdentifier } == [3])
    #expect(try secrets(3).replacedValues().map(\.value) == [.string("old")])
    // Observers receive one change of each key, and other processes the last one.
    try test.settle()
    #expect(events.events.sorted() == ["a 2", "a 3", "b 2", "b 3"])
    try other.core.checkForCommits()
    #expect(other.dictionary.namespace("s", sealedBy: seal(3))["a", Int.self] == 5)
    #expect(test.errors.events.isEmpty)
  }

  @Test("A value that a removal after a rotation takes and a write brings back is the rotated one")
  func keptAfterRotation() throws {
    try fill(["a", "b"])
    try commits(["a 2 old"]) {
      try rotate(1, 2)
      bare.removeAll()
      secrets(2)["a"] = "old"
    }
    // From memory, too.
    #expect(secrets(2)["a", String.self] == "old")
  }

  @Test("A rotation doesn't hide that its transaction has replaced a value with a wrong key") func wrongKeyBefore()
    throws
  {
    try fill(["a"])
    try fails(.wrongSealKey) {
      secrets(2)["a"] = "wrong"
      try rotate(2, 3)
    }
    try fails(.wrongSealKey) {
      secrets(2)["a"] = "wrong"
      try rotate(1, 2)
    }
    try fails(.wrongSealKey) {
      secrets(2)["a"] = "wrong"
      try rotate(2, 3)
      secrets(3)["a"] = "wrong"
    }
    try fails(.sealed) {
      bare["a"] = 5
      try sealValues(2)
    }
    // A removal needs no key.
    try commits(["a 3 new"]) {
      bare.removeValue(forKey: "a")
      secrets(2)["a"] = "new"
      try rotate(2, 3)
    }
    try commits(["a 4 5"]) {
      bare.removeValue(forKey: "a")
      bare["a"] = 5
      try sealValues(4)
    }
  }

  @Test("Each of several writes is checked against the one before it") func chain() throws {
    try fill(["a"])
    // The last key doesn't open the row.
    try commits(["a 2 last"]) {
      secrets(2, orOpenedWith: [1])["a"] = "new"
      secrets(2)["a"] = "last"
    }
    #expect(try test.keptValues().isEmpty)
    // An equal value, which the row has with a key that the last write doesn't know.
    try commits(["a 6 last"]) {
      secrets(6, orOpenedWith: [2])["a"] = "new"
      secrets(6)["a"] = "last"
    }
    try commits(["a 3 5"]) {
      secrets(3, orOpenedWith: [6])["a"] = "new"
      secrets(3)["a"] = 5
    }
    // Of another kind than the row's.
    #expect(try test.keptValues().count == 1)
    try commits(["a 3 5", "b 4 last"]) {
      secrets(4, orOpenedWith: [3])["b"] = "new"
      secrets(4)["b"] = "last"
    }
    // A dictionary without the key copies envelopes.
    let envelope = try #require(try bare.storedValue(forKey: "b"))
    try commits(["a 3 5", "b 4 new"]) {
      secrets(4)["b"] = "other"
      bare["b"] = envelope
      secrets(4)["b"] = "new"
    }
    try fails(.wrongSealKey) {
      secrets(4)["b"] = "new"
      secrets(3)["b"] = "wrong"
    }
    try fails(.sealed) {
      secrets(4)["b"] = "new"
      bare.set(5, forKey: "b", expiringAfter: .hour)
    }
  }

  // MARK: Removals

  @Test(
    "A value that its transaction has removed doesn't keep another key, or a plain value, out",
    arguments: [true, false])
  func removed(isPrefix: Bool) throws {
    func remove(_ key: String) { self.remove(key, withPrefix: isPrefix) }
    try fill(["a"])
    try commits(["a 2 new"]) {
      remove("a")
      secrets(2)["a"] = "new"
    }
    try commits(["a - 5"]) {
      remove("a")
      bare["a"] = 5
    }
    try commits(["a 1 new"]) {
      remove("a")
      secrets(1)["a"] = "new"
    }
    #expect(try test.keptValues().isEmpty)
    // Later writes are checked against the new value.
    try fails(.sealed) {
      remove("a")
      secrets(2)["a"] = "new"
      bare["a"] = 5
    }
    try fails(.wrongSealKey) {
      remove("a")
      secrets(2)["a"] = "new"
      secrets(1)["a"] = "wrong"
    }
    try fails(.notSealed) {
      remove("a")
      bare["a"] = 5
      secrets(1)["a"] = "wrong"
    }
    try commits([]) {
      remove("a")
      secrets(2)["a"] = "new"
      remove("a")
    }
  }

  @Test("The other values of the namespace still keep another key out", arguments: [true, false])
  func removedBesideOthers(isPrefix: Bool) throws {
    func remove(_ key: String) { self.remove(key, withPrefix: isPrefix) }
    try fill(["a", "b", "c"])
    try fails(.wrongSealKey) {
      remove("a")
      secrets(2)["a"] = "wrong"
    }
    try fails(.wrongSealKey) {
      remove("a")
      secrets(1)["a"] = "new"
      remove("b")
      remove("c")
      secrets(2)["c"] = "wrong"
    }
    try commits(["b 2 new", "c 2 new", "d 2 new"]) {
      for key in ["a", "b", "c"] { remove(key) }
      secrets(2)["d"] = "new"
      secrets(2)["b"] = "new"
      secrets(2)["c"] = "new"
    }
    // An equal value stays in its envelope, and decides, too.
    for dictionary in [secrets(2), secrets(3, orOpenedWith: [2])] {
      try fails(.wrongSealKey) {
        for key in ["b", "c", "d"] { remove(key) }
        dictionary["b"] = "new"
        secrets(3)["c"] = "wrong"
      }
    }
  }

  @Test("A removed value that could not be read is kept, as its removal alone keeps it") func keptByRemoval() throws {
    try fill(["a"])
    #expect(throws: WorkspaceError.self) { try bare.value(forKey: "a", as: String.self) }
    try commits(["a - 5"]) {
      bare.removeValue(forKey: "a")
      bare["a"] = 5
    }
    #expect(try test.keptValues().map { $0?.sealKeyIdentifier } == [1])
  }

  @Test("A staged value that has expired keeps no write out") func expired() throws {
    try fill(["a"])
    try commits(["a - 5"]) {
      secrets(1).set("gone", forKey: "a", expiringAt: .distantPast)
      bare["a"] = 5
    }
  }

  // MARK: Values that aren't sealed

  @Test("After values are sealed, a plain write over one of them is refused, and one of a new key isn't")
  func afterSealing() throws {
    try fill(["a", "b"], sealedWith: nil)
    try fails(.sealed) {
      try sealValues(1)
      bare["a"] = "plain"
    }
    try fails(.sealed) {
      try sealValues(1)
      bare.set(5, forKey: "b", expiringAfter: .hour)
    }
    try commits(["a 1 new", "b 1 old", "c - plain"]) {
      bare["a"] = "new"
      try sealValues(1)
      bare["c"] = "plain"
    }
  }

  @Test("The first of two writes of a new key decides what the second may be") func newKeys() throws {
    try fails(.sealed) {
      secrets(1)["a"] = "new"
      bare["a"] = 5
    }
    try fails(.notSealed) {
      bare["a"] = 5
      secrets(1)["a"] = "new"
    }
    try fails(.wrongSealKey) {
      secrets(1)["a"] = "new"
      secrets(2)["a"] = "new"
    }
    try commits(["a 1 last"]) {
      secrets(1)["a"] = "new"
      secrets(1)["a"] = "last"
    }
  }

  // MARK: Groups and ways

  @Test("Transactions are checked against what an earlier one of their group has rotated and removed") func groups()
    throws
  {
    try fill(["a", "b"])
    let (first, second) = (seal(1), seal(2))
    let (hold, go) = (Gate("the first one has the write token"), Gate("the others are queued"))
    let results = EventLog<String>()
    // Not a blocked thread, which would not wait for closures that haven't begun.
    test.workspace.performChanges([]) { transaction in
      let bare = transaction.dictionary.namespace("s")
      _ = bare.contains("a")
      hold.open()
      do {
        try go.wait()
        _ = try bare.reseal(from: first, to: second)
      } catch { Issue.record(error) }
      transaction.dictionary.namespace("s", sealedBy: second)["a"] = "first"
      bare.removeValue(forKey: "b")
      bare["b"] = 5
    } completionHandler: {
      results.append("first \($0)")
    }
    try hold.wait()
    // Queued behind the first one, and committed with it.
    for (name, seal) in [("old", first), ("new", second)] {
      test.workspace.performChanges([]) { transaction in
        transaction.dictionary.namespace("s", sealedBy: seal)["a"] = name
        transaction.dictionary.namespace("s", sealedBy: seal)["c"] = name
      } completionHandler: {
        results.append("\(name) \($0)")
      }
    }
    test.workspace.performChanges([]) { transaction in
      let bare = transaction.dictionary.namespace("s")
      bare["b"] = 6
      bare.removeValue(forKey: "a")
      bare["a"] = 7
    } completionHandler: {
      results.append("plain \($0)")
    }
    go.open()
    #expect(try results.wait(forCount: 4).sorted() == ["first true", "new true", "old false", "plain true"])
    #expect(test.workspace.commitNumber == 2)
    #expect(try state() == ["a - 7", "b - 6", "c 2 new"])
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.wrongSealKey])
  }

  enum Way: CaseIterable, Sendable { case waiting, asynchronous, queued, awaited }

  @Test("A1: A refused write fails its transaction in all ways of running one", arguments: Way.allCases)
  func ways(way: Way) async throws {
    try fill(["a"])
    let (first, second) = (seal(1), seal(2))
    let body: @Sendable (TransactionContext) throws -> Void = { transaction in
      transaction.dictionary["other"] = 1
      _ = try transaction.dictionary.namespace("s").reseal(from: first, to: second)
      transaction.dictionary.namespace("s", sealedBy: first)["a"] = "wrong"
    }
    switch way {
    case .waiting:
      let error = #expect(throws: WorkspaceError.self) { try test.workspace.transactAndWait([], body) }
      #expect(error?.code == .wrongSealKey && error?.key == "a")
    case .asynchronous:
      let error = await #expect(throws: WorkspaceError.self) { try await test.workspace.transact([], body) }
      #expect(error?.code == .wrongSealKey && error?.key == "a")
    case .queued:
      let ended = EventLog<Bool>()
      test.workspace.performChanges([]) {
        try? body($0)
      } completionHandler: {
        ended.append($0)
      }
      #expect(try ended.wait(forCount: 1) == [false])
    case .awaited:
      let succeeded: Bool = await test.workspace.performChanges([]) { try? body($0) }
      #expect(!succeeded)
    }
    if way == .queued || way == .awaited {
      #expect(try test.errors.wait(forCount: 1).map(\.code) == [.wrongSealKey])
    }
    #expect(try state() == ["a 1 old"])
    #expect(!test.dictionary.contains("other"))
  }
}
