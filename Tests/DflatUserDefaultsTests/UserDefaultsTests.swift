import Foundation
import TestSupport
import Testing

@testable import DflatUserDefaults

/// One after the other: on Linux, removing a suite also writes what others have set meanwhile to their files.
@Suite(.serialized) struct UserDefaultsTests {
  struct Refusal: Error {}

  private func all(_ key: String) -> Bool { true }

  // MARK: Importing

  @Test("Values that a program has set are read as the types that it set") func types() throws {
    let test = try TestWorkspace()
    let date = Date(timeIntervalSinceReferenceDate: 785_982_946.5)
    try TestDefaults.with { defaults in
      defaults.store.set(true, forKey: "flag")
      defaults.store.set(1, forKey: "count")
      defaults.store.set(0.8, forKey: "volume")
      defaults.store.set(Float(0.1), forKey: "level")
      defaults.store.set("Ada", forKey: "name")
      defaults.store.set(Data([1, 2]), forKey: "bytes")
      defaults.store.set(date, forKey: "seen")
      defaults.store.set(["a", "b"], forKey: "tags")
      defaults.store.set(["left": 20, "top": 40], forKey: "window")
      defaults.store.set([["shown": true]], forKey: "panes")
      let moved = try test.dictionary.importValues(from: defaults.domain)
      #expect(
        moved.written == ["bytes", "count", "flag", "level", "name", "panes", "seen", "tags", "volume", "window"])
      #expect(moved.kept.isEmpty && moved.skipped.isEmpty)
    }
    let other = try test.another()
    #expect(try other.dictionary.value(forKey: "flag", as: Bool.self) == true)
    #expect(try other.dictionary.value(forKey: "count", as: Int.self) == 1)
    #expect(try other.dictionary.value(forKey: "volume", as: Double.self) == 0.8)
    #expect(try other.dictionary.value(forKey: "level", as: Float.self) == 0.1)
    #expect(try other.dictionary.value(forKey: "name", as: String.self) == "Ada")
    #expect(try other.dictionary.value(forKey: "bytes", as: Data.self) == Data([1, 2]))
    #expect(try other.dictionary.value(forKey: "seen", as: Date.self) == date)
    #expect(try other.dictionary.value(forKey: "tags", as: [String].self) == ["a", "b"])
    #expect(try other.dictionary.value(forKey: "window", as: [String: Int].self) == ["left": 20, "top": 40])
    #expect(try other.dictionary.value(forKey: "panes", as: [[String: Bool]].self) == [["shown": true]])
    #expect(try other.dictionary.storedValue(forKey: "count") == .int(1))
    #expect(try other.dictionary.storedValue(forKey: "flag") == .bool(true))
  }

  @Test("A suite has neither registered defaults nor values of other suites") func suites() throws {
    let test = try TestWorkspace()
    let registered = "dflatkv-registered-\(UUID().uuidString)"
    try TestDefaults.with { defaults in
      try TestDefaults.with { other in
        defaults.store.register(defaults: [registered: 1])
        defaults.store.set(2, forKey: "own")
        other.store.set(3, forKey: "other")
        let written = try test.dictionary.importValues(from: defaults.domain).written
        #expect(written == ["own"])
      }
    }
    #expect(test.dictionary.keys == ["own"])
  }

  @Test("The program's own domain has what it has set, and no registered default") func program() throws {
    let test = try TestWorkspace()
    let (own, registered) = ("dflatkv-own-\(UUID().uuidString)", "dflatkv-registered-\(UUID().uuidString)")
    let defaults = UserDefaults.standard
    defaults.register(defaults: [own: 1, registered: 1])
    defaults.set(2, forKey: own)
    defer { defaults.removeObject(forKey: own) }
    let moved = try test.dictionary.importValues(from: .standard) { $0 == own || $0 == registered }
    #expect(moved.written == [own])
    #expect(test.dictionary[own, Int.self] == 2)
    #expect(test.dictionary.keys == [own])
  }

  @Test("A domain without values gives none") func empty() throws {
    let test = try TestWorkspace()
    try TestDefaults.with { defaults in
      let moved = try test.dictionary.importValues(from: defaults.domain)
      #expect(moved.written.isEmpty && moved.kept.isEmpty && moved.skipped.isEmpty)
    }
    #expect(test.dictionary.keys.isEmpty)
  }

  @Test("Keys may have dots, and be empty") func oddKeys() throws {
    let test = try TestWorkspace()
    try TestDefaults.with { defaults in
      defaults.store.set(1, forKey: "a.b")
      defaults.store.set(2, forKey: "")
      let written = try test.dictionary.importValues(from: defaults.domain).written
      #expect(written == ["", "a.b"])
    }
    #expect(test.dictionary["a.b", Int.self] == 1)
    #expect(test.dictionary["", Int.self] == 2)
  }

  @Test("Keys are bytes: another spelling is another key") func spellings() throws {
    let test = try TestWorkspace()
    test.dictionary["cafe\u{301}"] = 1
    try TestDefaults.with { defaults in
      defaults.store.set(2, forKey: "caf\u{e9}")
      let moved = try test.dictionary.importValues(from: defaults.domain)
      #expect(moved.written.count == 1 && moved.kept.isEmpty)
    }
    #expect(test.dictionary["cafe\u{301}", Int.self] == 1)
    #expect(test.dictionary["caf\u{e9}", Int.self] == 2)
  }

  @Test("A filter chooses the keys, and an error that it throws ends the import") func filter() throws {
    let test = try TestWorkspace()
    try TestDefaults.with { defaults in
      for key in ["app.a", "app.b", "NSWindow"] { defaults.store.set(1, forKey: key) }
      #expect(throws: Refusal.self) {
        try test.dictionary.importValues(from: defaults.domain) { key in
          if key == "app.b" { throw Refusal() }
          return true
        }
      }
      #expect(test.dictionary.keys.isEmpty)
      let moved = try test.dictionary.importValues(from: defaults.domain) { $0.hasPrefix("app.") }
      #expect(moved.written == ["app.a", "app.b"])
    }
    #expect(test.dictionary.keys == ["app.a", "app.b"])
  }

  @Test("Existing keys stay, or are overwritten, whatever their type") func existingKeys() throws {
    let test = try TestWorkspace()
    test.dictionary["a"] = "plain"
    let objects: [String: Any] = ["a": 1, "b": 2]
    let kept = try test.dictionary.importObjects(objects, existingKeys: .keep, where: all)
    #expect(kept.written == ["b"] && kept.kept == ["a"])
    #expect(test.dictionary["a", String.self] == "plain")
    let overwritten = try test.dictionary.importObjects(objects, existingKeys: .overwrite, where: all)
    #expect(overwritten.written == ["a", "b"] && overwritten.kept.isEmpty)
    #expect(test.dictionary["a", Int.self] == 1)
    test.dictionary["a"] = nil
    #expect(try test.dictionary.importObjects(objects, existingKeys: .keep, where: all).written == ["a"])
  }

  @Test("A value of a type that only a newer version knows is an existing value") func newerType() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    try RawDatabase.execute("UPDATE dictionary SET type = 99", on: test.path)
    let other = try test.another()
    let moved = try other.dictionary.importObjects(["k": 2, "n": 3], existingKeys: .keep, where: all)
    #expect(moved.written == ["n"] && moved.kept == ["k"])
    #expect(try RawDatabase(test.path).text("SELECT type FROM dictionary WHERE key = 'k'") == "99")
  }

  @Test("A value that can't be copied is skipped and named, and the others are copied") func skipped() throws {
    let test = try TestWorkspace()
    let objects: [String: Any] = ["a": 1, "b": NSNull(), "c": [1: 2], "d": "x"]
    let moved = try test.dictionary.importObjects(objects, existingKeys: .keep, where: all)
    #expect(moved.written == ["a", "d"])
    #expect(moved.skipped.map(\.key) == ["b", "c"])
    #expect(moved.skipped.allSatisfy { $0.reason == .unsupportedType })
    #expect("\(moved.skipped[0])".contains("'b'"))
    #expect(test.dictionary.keys == ["a", "d"])
  }

  @Test("A1: All keys come with one commit") func oneCommit() throws {
    let test = try TestWorkspace()
    let log = EventLog<DictionaryChange>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { log.append($0) }
    defer { subscription.cancel() }
    _ = try test.dictionary.importObjects(["a": 1, "b": 2, "c": 3], existingKeys: .keep, where: all)
    try test.settle()
    #expect(log.events.map(\.key).sorted() == ["a", "b", "c"])
    #expect(Set(log.events.map(\.commitNumber)).count == 1)
  }

  @Test("In a transaction, an import is read at once and commits or is undone with it") func inTransaction() throws {
    let test = try TestWorkspace()
    let objects: [String: Any] = ["a": 1, "b": NSNull()]
    #expect(throws: UserDefaultsTransfer.SkippedKey.self) {
      try test.workspace.transactAndWait { txn in
        let moved = try txn.dictionary.importObjects(objects, existingKeys: .keep, where: all)
        #expect(txn.dictionary["a", Int.self] == 1)
        // Plain access on this thread is part of the transaction, too.
        #expect(try test.dictionary.importObjects(objects, existingKeys: .keep, where: all).kept == ["a"])
        if let problem = moved.skipped.first { throw problem }
      }
    }
    #expect(test.dictionary.keys.isEmpty)
    try test.workspace.transactAndWait { txn in
      _ = try txn.dictionary.importObjects(objects, existingKeys: .keep, where: all)
    }
    #expect(test.dictionary.keys == ["a"])
  }

  @Test("An import in an aborted transaction, or after shutdown, throws") func ended() throws {
    let test = try TestWorkspace()
    for existingKeys in [UserDefaultsTransfer.ExistingKeys.keep, .overwrite] {
      let error = #expect(throws: WorkspaceError.self) {
        try test.workspace.transactAndWait { txn in
          txn.abort()
          var inner: WorkspaceError?
          do { _ = try txn.dictionary.importObjects(["a": 1], existingKeys: existingKeys, where: all) } catch {
            inner = error as? WorkspaceError
          }
          #expect(inner?.code == .aborted)
        }
      }
      #expect(error?.code == .aborted)
    }
    test.workspace.shutdown()
    let error = #expect(throws: WorkspaceError.self) {
      try test.dictionary.importObjects(["a": 1], existingKeys: .keep, where: all)
    }
    #expect(error?.code == .shutdown)
  }

  @Test("A namespace has its own import") func namespace() throws {
    let test = try TestWorkspace()
    _ = try test.dictionary.namespace("group").importObjects(["a": 1], existingKeys: .keep, where: all)
    #expect(test.dictionary.keys.isEmpty)
    #expect(test.dictionary.namespace("group")["a", Int.self] == 1)
  }

  // MARK: Exporting

  @Test("Exported values are read by UserDefaults, and imported again as they were") func exported() throws {
    let test = try TestWorkspace()
    test.dictionary["flag"] = true
    test.dictionary["count"] = 3
    test.dictionary["volume"] = 0.5
    test.dictionary["name"] = "Ada"
    test.dictionary["bytes"] = Data([1, 2])
    test.dictionary["seen"] = Date(timeIntervalSinceReferenceDate: 0.5)
    test.dictionary["tags"] = ["a", "b"]
    test.dictionary["window"] = ["left": 20]
    let fresh = try TestWorkspace()
    try TestDefaults.with { defaults in
      let copied = try test.dictionary.exportValues(to: defaults.domain)
      #expect(copied.written == test.dictionary.keys)
      #expect(copied.kept.isEmpty && copied.skipped.isEmpty)
      #expect(defaults.store.bool(forKey: "flag"))
      #expect(defaults.store.integer(forKey: "count") == 3)
      #expect(defaults.store.double(forKey: "volume") == 0.5)
      #expect(defaults.store.string(forKey: "name") == "Ada")
      #expect(defaults.store.data(forKey: "bytes") == Data([1, 2]))
      #expect(defaults.store.stringArray(forKey: "tags") == ["a", "b"])
      _ = try fresh.dictionary.importValues(from: defaults.domain)
    }
    #expect(fresh.dictionary.keys == test.dictionary.keys)
    for key in test.dictionary.keys where key != "window" {
      #expect(try fresh.dictionary.storedValue(forKey: key) == test.dictionary.storedValue(forKey: key), "\(key)")
    }
    // Encoders write the objects of a property list in different orders.
    #expect(fresh.dictionary["window", [String: Int].self] == ["left": 20])
  }

  @Test("Values without a counterpart in UserDefaults are skipped and named") func exportSkipped() throws {
    let test = try TestWorkspace()
    test.dictionary["cafe\u{301}"] = 1
    test.dictionary["caf\u{e9}"] = 2
    test.dictionary["draft"] = StoredValue.flatBuffers(Data([1, 2, 3]), schemaVersion: nil)
    try TestDefaults.with { defaults in
      let copied = try test.dictionary.exportValues(to: defaults.domain)
      #expect(copied.written.map { Array($0.utf8) } == [Array("cafe\u{301}".utf8)])
      #expect(copied.skipped.map(\.reason) == [.equivalentKey, .unsupportedType])
      #expect(defaults.store.integer(forKey: "cafe\u{301}") == 1)
      #expect(defaults.store.object(forKey: "draft") == nil)
    }
  }

  @Test("An export chooses keys, and overwrites values of UserDefaults or keeps them") func exportChoice() throws {
    let test = try TestWorkspace()
    for key in ["a", "b", "cache"] { test.dictionary[key] = 1 }
    try TestDefaults.with { defaults in
      defaults.store.set(7, forKey: "a")
      defaults.store.set(8, forKey: "other")
      let kept = try test.dictionary.exportValues(to: defaults.domain, existingKeys: .keep) { $0 != "cache" }
      #expect(kept.written == ["b"] && kept.kept == ["a"])
      #expect(defaults.store.integer(forKey: "a") == 7)
      #expect(try test.dictionary.exportValues(to: defaults.domain) { $0 == "a" }.written == ["a"])
      #expect(defaults.store.integer(forKey: "a") == 1)
      #expect(defaults.store.integer(forKey: "other") == 8)
      #expect(defaults.store.object(forKey: "cache") == nil)
    }
  }

  @Test("An export that fails changes nothing in UserDefaults") func exportFailure() throws {
    let test = try TestWorkspace()
    for key in ["a", "b"] { test.dictionary[key] = 1 }
    try TestDefaults.with { defaults in
      #expect(throws: Refusal.self) {
        try test.dictionary.exportValues(to: defaults.domain) { key in
          if key == "b" { throw Refusal() }
          return true
        }
      }
      test.workspace.shutdown()
      let error = #expect(throws: WorkspaceError.self) { try test.dictionary.exportValues(to: defaults.domain) }
      #expect(error?.code == .shutdown)
      #expect(defaults.store.object(forKey: "a") == nil)
    }
  }

  @Test("An export in a transaction has what the transaction has written") func exportInTransaction() throws {
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    try TestDefaults.with { defaults in
      try test.workspace.transactAndWait { txn in
        txn.dictionary["a"] = nil
        txn.dictionary["b"] = 2
        let written = try txn.dictionary.exportValues(to: defaults.domain).written
        #expect(written == ["b"])
      }
      #expect(defaults.store.object(forKey: "a") == nil)
      #expect(defaults.store.integer(forKey: "b") == 2)
    }
  }
}
