import DflatUserDefaults
import Foundation
import TestSupport
import Testing

extension UserDefaultsTests {
  @Test("A value of a type that only a newer version knows is skipped, and the others are exported")
  func exportNewerType() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    try test.workspace.transactAndWait { txn in
      for key in ["a", "b", "c"] { txn.dictionary[key] = 1 }
    }
    try RawDatabase.execute("UPDATE dictionary SET type = 99 WHERE key = 'b'", on: test.path)
    let other = try test.another()
    try TestDefaults.with { defaults in
      let copied = try other.dictionary.exportValues(to: defaults.domain)
      #expect(copied.written == ["a", "c"] && copied.kept.isEmpty)
      #expect(copied.skipped.map(\.key) == ["b"])
      #expect(copied.skipped.map(\.reason) == [.unsupportedType])
      #expect(defaults.store.object(forKey: "b") == nil)

      let chosen = try other.dictionary.exportValues(to: defaults.domain) { $0 != "b" }
      #expect(chosen.written == ["a", "c"] && chosen.skipped.isEmpty)

      defaults.store.set(7, forKey: "b")
      let kept = try other.dictionary.exportValues(to: defaults.domain, existingKeys: .keep)
      #expect(kept.kept == ["a", "b", "c"] && kept.skipped.isEmpty)

      other.dictionary["b"] = 2
      let replaced = try other.dictionary.exportValues(to: defaults.domain)
      #expect(replaced.written == ["a", "b", "c"])
      #expect(defaults.store.integer(forKey: "b") == 2)
    }
  }

  @Test("A key of which UserDefaults has another spelling is skipped, and the existing value stays")
  func exportOtherSpelling() throws {
    let test = try TestWorkspace()
    test.dictionary["cafe\u{301}"] = 1
    try TestDefaults.with { defaults in
      defaults.store.set(7, forKey: "caf\u{e9}")
      for existingKeys in [UserDefaultsTransfer.ExistingKeys.keep, .overwrite] {
        let copied = try test.dictionary.exportValues(to: defaults.domain, existingKeys: existingKeys)
        #expect(copied.written.isEmpty && copied.kept.isEmpty)
        #expect(copied.skipped.map(\.reason) == [.equivalentKey])
      }
      #expect(defaults.store.integer(forKey: "caf\u{e9}") == 7)

      test.dictionary["caf\u{e9}"] = 2
      let copied = try test.dictionary.exportValues(to: defaults.domain)
      #expect(copied.written.map { Array($0.utf8) } == [Array("caf\u{e9}".utf8)])
      #expect(copied.skipped.map { Array($0.key.utf8) } == [Array("cafe\u{301}".utf8)])
      #expect(defaults.store.integer(forKey: "caf\u{e9}") == 2)
    }
  }

  @Test("An export that is repeated changes nothing") func exportTwice() throws {
    let test = try TestWorkspace()
    test.dictionary["cafe\u{301}"] = 1
    test.dictionary["caf\u{e9}"] = 2
    test.dictionary["tags"] = ["a", "b"]
    try TestDefaults.with { defaults in
      let first = try test.dictionary.exportValues(to: defaults.domain)
      let second = try test.dictionary.exportValues(to: defaults.domain)
      #expect(first.written.map { Array($0.utf8) } == second.written.map { Array($0.utf8) })
      #expect(second.skipped.map(\.reason) == [.equivalentKey])
      #expect(defaults.store.integer(forKey: "cafe\u{301}") == 1)
      #expect(defaults.store.stringArray(forKey: "tags") == ["a", "b"])
    }
  }

  @Test("A value that expires is skipped, and the existing value stays") func exportExpiring() throws {
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    test.dictionary.set(2, forKey: "b", expiringAfter: .seconds(3_600))
    test.dictionary.set(3, forKey: "c", expiringAt: .distantPast)
    try test.dictionary.synchronize()
    // One that isn't committed yet.
    test.dictionary.set("text", forKey: "d", expiringAfter: .seconds(3_600))
    try TestDefaults.with { defaults in
      defaults.store.set(7, forKey: "b")
      let copied = try test.dictionary.exportValues(to: defaults.domain)
      #expect(copied.written == ["a"] && copied.kept.isEmpty)
      #expect(copied.skipped.map(\.key) == ["b", "d"])
      #expect(copied.skipped.map(\.reason) == [.expires, .expires])
      #expect(copied.skipped[0].description.hasSuffix("it expires, and values of UserDefaults don't."))
      #expect(defaults.store.integer(forKey: "b") == 7)
      #expect(defaults.store.object(forKey: "d") == nil)

      // A write without an instant makes the value permanent.
      test.dictionary["b"] = 2
      let again = try test.dictionary.exportValues(to: defaults.domain)
      #expect(again.written == ["a", "b"])
    }
  }

  @Test("A URL is exported as its text") func exportURL() throws {
    let test = try TestWorkspace()
    let page = try #require(URL(string: "https://example.com/a"))
    test.dictionary["homepage"] = page
    try TestDefaults.with { defaults in
      _ = try test.dictionary.exportValues(to: defaults.domain)
      #expect(defaults.store.string(forKey: "homepage") == "https://example.com/a")
    }
  }

  @Test("A namespace exports its keys alone") func exportNamespace() throws {
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    test.dictionary.namespace("group")["b"] = 2
    try TestDefaults.with { defaults in
      let copied = try test.dictionary.namespace("group").exportValues(to: defaults.domain)
      #expect(copied.written == ["b"])
      #expect(defaults.store.object(forKey: "a") == nil)
    }
  }
}
