import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Writes of a transaction before and after it has changed the key of a sealed namespace.
@Suite(.timeLimit(.minutes(15))) struct RotatedSealTests: SealedSuite {
  let test: TestWorkspace

  init() throws {
    test = try TestWorkspace {
      $0.followsOtherProcesses = false
      $0.commitLate()
    }
  }

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
}
