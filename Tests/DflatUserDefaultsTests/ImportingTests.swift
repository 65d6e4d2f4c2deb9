import Foundation
import TestSupport
import Testing

@testable import DflatUserDefaults

private enum Theme: String, Codable, Sendable { case light, dark }

private struct Window: Codable, Equatable, Sendable {
  var left: Int
  var title: String
  var isShown: Bool?
}

extension DictionaryKeys {
  fileprivate static let theme = DictionaryKey("theme", default: Theme.light)
  fileprivate static let window = DictionaryKey("window", of: Window.self)
  fileprivate static let size = DictionaryKey("size", of: UInt64.self)
}

private struct Settings {
  @Persisted var theme: Theme
  init(_ dictionary: WorkspaceDictionary) { _theme = Persisted(.theme, in: dictionary) }
}

extension UserDefaultsTests {
  private func all(_ key: String) -> Bool { true }

  @Test("Typed keys and properties read imported values, also as enums and structures") func typed() throws {
    let test = try TestWorkspace()
    try TestDefaults.with { defaults in
      defaults.store.set("dark", forKey: "theme")
      defaults.store.set(["left": 20, "title": "Main"] as [String: Any], forKey: "window")
      defaults.store.set(NSNumber(value: UInt64.max), forKey: "size")
      let moved = try test.dictionary.importValues(from: defaults.domain)
      #expect(moved.written == ["size", "theme", "window"] && moved.skipped.isEmpty)
    }
    let theme: Theme = test.dictionary[.theme]
    #expect(theme == Theme.dark)
    #expect(Settings(test.dictionary).theme == Theme.dark)
    let window: Window? = test.dictionary[.window]
    #expect(window == Window(left: 20, title: "Main", isShown: nil))
    let size: UInt64? = test.dictionary[.size]
    #expect(size == UInt64.max)
  }

  @Test("An import that is repeated keeps what the program has changed since, unless it overwrites") func repeated()
    throws
  {
    let test = try TestWorkspace()
    try TestDefaults.with { defaults in
      defaults.store.set(1, forKey: "a")
      defaults.store.set(Double.nan, forKey: "b")
      #expect(try test.dictionary.importValues(from: defaults.domain).written == ["a", "b"])
      test.dictionary["a"] = 2
      let again = try test.dictionary.importValues(from: defaults.domain)
      #expect(again.kept == ["a", "b"] && again.written.isEmpty)
      #expect(test.dictionary["a", Int.self] == 2)
      let overwritten = try test.dictionary.importValues(from: defaults.domain, existingKeys: .overwrite)
      #expect(overwritten.written == ["a", "b"])
      #expect(test.dictionary["a", Int.self] == 1)
    }
  }

  @Test("A read-only workspace refuses an import, and can be exported") func readOnly() throws {
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    try test.dictionary.synchronize()
    let reader = try test.another { $0.isReadOnly = true }
    for existingKeys in [UserDefaultsTransfer.ExistingKeys.keep, .overwrite] {
      let error = #expect(throws: WorkspaceError.self) {
        try reader.dictionary.importObjects(["b": 2], existingKeys: existingKeys, where: all)
      }
      #expect(error?.code == .readOnly)
    }
    try TestDefaults.with { defaults in
      let copied = try reader.dictionary.exportValues(to: defaults.domain)
      #expect(copied.written == ["a"])
    }
    #expect(test.dictionary.keys == ["a"])
  }

  @Test("A filter may use the dictionary, and even shut the workspace down") func filterUsesDictionary() throws {
    let test = try TestWorkspace()
    test.dictionary["a"] = 1
    let moved = try test.dictionary.importObjects(["a": 2, "b": 2], existingKeys: .overwrite) { key in
      !test.dictionary.contains(key)
    }
    #expect(moved.written == ["b"])
    #expect(test.dictionary["a", Int.self] == 1)
    let error = #expect(throws: WorkspaceError.self) {
      try test.dictionary.importObjects(["c": 3], existingKeys: .keep) { _ in
        test.workspace.shutdown()
        return true
      }
    }
    #expect(error?.code == .shutdown)
  }
}
