import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Writes to keys of a sealed namespace that are removed in the same transaction.
@Suite(.timeLimit(.minutes(15))) struct RemovedSealTests: SealedSuite {
  let test: TestWorkspace

  init() throws {
    test = try TestWorkspace {
      $0.followsOtherProcesses = false
      $0.commitLate()
    }
  }

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
}
