import DflatKV
import TestSupport
import Testing

@testable import DflatCore

/// Keys and namespaces are UTF-8 bytes. Two spellings of "é" are two keys everywhere, though Swift's `==` takes them
/// for equal.
@Suite struct ByteIdentityTests {
  private let composed = "\u{e9}"
  private let decomposed = "e\u{301}"

  @Test("A9: Commits to two canonically equivalent keys arrive as changes of two keys", arguments: [true, false])
  func externalCommits(isObserved: Bool) throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    test.dictionary[composed] = "old"
    test.dictionary[decomposed] = "old"
    try test.dictionary.synchronize()
    let long = String(repeating: "x", count: 600)
    let log = EventLog<DictionaryChange>()
    let subscription = isObserved ? test.dictionary.subscribe(composed) { log.append($0) } : nil
    other.dictionary[composed] = long
    try other.dictionary.synchronize()
    try other.workspace.transactAndWait { $0.dictionary[decomposed] = "new" }
    try test.core.checkForCommits()
    try test.settle()
    #expect(test.dictionary[composed] == long)
    #expect(test.dictionary[decomposed] == "new")
    #expect(test.workspace.fetchWithinASnapshot { test.dictionary[composed, String.self] } == long)
    #expect(try test.workspace.transactAndWait { $0.dictionary[composed, String.self] } == long)
    #expect(try !test.dictionary.compareAndSet(composed, expected: "old", new: "lost"))
    if isObserved { #expect(log.events.map(\.value) == [.string("old"), .string(long)]) }
    withExtendedLifetime(subscription) {}
  }

  @Test("A9: Commits to a key in two equivalent namespaces arrive as changes of two keys")
  func foreignNamespaces() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    test.dictionary.namespace(composed)["k"] = "old"
    try test.dictionary.synchronize()
    let long = String(repeating: "x", count: 600)
    try other.workspace.transactAndWait { $0.dictionary.namespace(composed)["k"] = long }
    try other.workspace.transactAndWait { $0.dictionary.namespace(decomposed)["k"] = "new" }
    try test.core.checkForCommits()
    #expect(test.dictionary.namespace(composed)["k"] == long)
    #expect(test.dictionary.namespace(decomposed)["k"] == "new")
  }

  @Test("A prefix observer gets removals that it missed in the byte order of their keys")
  func orderOfRemovals() throws {
    // "z" comes before "é" in bytes and after "e\u{301}" in Swift's order of strings.
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    for key in [composed, decomposed, "z", "e"] { test.dictionary[key] = 1 }
    try test.dictionary.synchronize()
    let log = EventLog<[UInt8]>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { log.append(Array($0.key.utf8)) }
    try other.workspace.transactAndWait { transaction in
      // Too many keys for the change log to name, so the observed range is compared with the file.
      transaction.dictionary.namespace("flood").setMoreKeysThanARecordNames()
      transaction.dictionary.removeAll()
    }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [Array("e".utf8), Array(decomposed.utf8), Array("z".utf8), Array(composed.utf8)])
    subscription.cancel()
  }

  @Test("Entries of canonically equivalent keys are unequal") func entries() throws {
    let test = try TestWorkspace()
    test.dictionary[composed] = 1
    test.dictionary[decomposed] = 1
    try test.dictionary.synchronize()
    let entries = try test.dictionary.entries()
    #expect(entries.count == 2 && Set(entries).count == 2)
    #expect(entries[0] != entries[1])
  }

  @Test("A ByteComparedString is compared, hashed and ordered by its bytes") func byteText() {
    #expect(ByteComparedString(composed) != ByteComparedString(decomposed))
    #expect(
      Set([ByteComparedString(composed), ByteComparedString(decomposed), ByteComparedString("\(composed)")]).count == 2)
    #expect([composed, "z", decomposed].map { ByteComparedString($0) }.sorted().map(\.string.utf8.count) == [3, 1, 2])
    #expect(ByteComparedString("a") < ByteComparedString("a\0"))
  }
}
