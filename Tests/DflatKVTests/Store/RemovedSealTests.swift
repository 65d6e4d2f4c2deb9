import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Writes to keys of a sealed namespace that are removed first, in one transaction or in one batch of plain writes.
@Suite(.timeLimit(.minutes(15))) struct RemovedSealTests: SealedSuite {
  let test: TestWorkspace

  init() throws {
    test = try TestWorkspace {
      $0.followsOtherProcesses = false
      $0.commitLate()
    }
  }

  // MARK: In a transaction

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

  // MARK: Plain writes

  /// Commits the plain writes of `body` together. They leave these values in the namespace, and this error.
  private func together(
    _ expected: [String], _ expectedCode: WorkspaceError.Code? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    let token = try HeldWriteToken(test)
    try body()
    try token.end()
    var code: WorkspaceError.Code?
    do { try test.dictionary.synchronize() } catch let error as WorkspaceError { code = error.code }
    #expect(code == expectedCode, sourceLocation: sourceLocation)
    #expect(try state() == expected, sourceLocation: sourceLocation)
  }

  @Test("A plain removal that waits with a write of its key lets another key, or a plain value, in")
  func waiting() throws {
    try fill(["a"])
    try together(["a 2 newest"]) {
      bare.removeValue(forKey: "a")
      secrets(2)["a"] = "new"
      secrets(2)["a"] = "newest"
    }
    try together(["a - 6"]) {
      bare.removeValue(forKey: "a")
      bare["a"] = 5
      bare["a"] = 6
    }
    try together(["a 1 new"]) {
      bare.removeValue(forKey: "a")
      secrets(1)["a"] = "new"
    }
    try together([]) {
      bare.removeValue(forKey: "a")
      bare["a"] = 5
      bare.removeValue(forKey: "a")
    }
    #expect(try test.keptValues().isEmpty)
    #expect(test.errors.events.isEmpty)
  }

  @Test("Other plain writes to a key that wait together are checked as the last of them alone") func last() throws {
    try fill(["a", "b"])
    try together(["a 1 old", "b 1 old"], .sealed) {
      secrets(1)["a"] = "new"
      bare["a"] = 5
    }
    // What the removal admits keeps the last one out.
    try together(["a 1 old", "b 1 old"], .sealed) {
      bare.removeValue(forKey: "a")
      secrets(1)["a"] = "new"
      bare["a"] = 5
    }
    // The namespace's other values keep another key out.
    try together(["a 1 old", "b 1 old"], .wrongSealKey) {
      bare.removeValue(forKey: "a")
      secrets(2)["a"] = "wrong"
    }
    // The removal of another key.
    try together(["a 1 old"], .sealed) {
      bare.removeValue(forKey: "b")
      bare["a"] = 5
    }
  }

  @Test("Overlays that are joined know which keys are removed before they are set") func overlays() {
    let keys = ["a", "b", "c", "d"].map { HashedKey($0, namespace: 0) }
    /// Returns the overlay of writes in this order.
    func overlay(_ writes: [(HashedKey, CachedValue)]) -> Shard.Overlay {
      var overlay = Shard.Overlay()
      for (key, value) in writes {
        guard let old = overlay.values.updateValue(value, forKey: key) else { continue }
        overlay.noteWrite(of: value, for: key, over: old)
      }
      return overlay
    }
    let earlier: [(HashedKey, CachedValue)] = [
      (keys[0], .absent), (keys[1], .absent), (keys[1], .int(1)), (keys[2], .int(1)),
    ]
    let later: [(HashedKey, CachedValue)] = [
      (keys[0], .int(2)), (keys[1], .int(2)), (keys[2], .absent), (keys[2], .int(2)), (keys[3], .int(2)),
    ]
    var joined = overlay(earlier)
    let replaced = joined.add(overlay(later))
    #expect(Set(replaced.keys) == Set(keys[0...2]))
    #expect(joined.rewritten == Set(keys[0...2]))
    #expect(overlay(earlier + later).rewritten == joined.rewritten)
    // A failed write leaves the value before it, and a later removal leaves nothing.
    joined.restore(.int(1), for: keys[2])
    _ = joined.add(overlay([(keys[1], .absent)]))
    #expect(joined.rewritten == [keys[0]])
    let all = PrefixRangeSet([PrefixRange(namespace: 0, prefix: "")])
    joined.remove(all)
    #expect(joined.rewritten.isEmpty)
  }
}
