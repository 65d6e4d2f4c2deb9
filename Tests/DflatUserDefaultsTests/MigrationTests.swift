import DflatUserDefaults
import Foundation
import TestSupport
import Testing

extension DictionaryKeys {
  fileprivate static let volume = DictionaryKey("volume", default: 0.5)
  fileprivate static let hasMoved = DictionaryKey("hasMovedFromUserDefaults", default: false)
}

/// The steps of the article "From UserDefaults".
extension UserDefaultsTests {
  private func move(
    from domain: UserDefaultsDomain, to workspace: SQLiteWorkspace,
    existingKeys: UserDefaultsTransfer.ExistingKeys = .keep
  ) throws {
    try workspace.transactAndWait { txn in
      guard !txn.dictionary[.hasMoved] else { return }
      let moved = try txn.dictionary.importValues(from: domain, existingKeys: existingKeys) { !$0.hasPrefix("NS") }
      for problem in moved.skipped { Issue.record(problem) }
      txn.dictionary[.hasMoved] = true
    }
  }

  @Test("A program moves its values once, and what it removes later doesn't come back") func moveOnce() throws {
    let test = try TestWorkspace()
    try TestDefaults.with { defaults in
      defaults.store.set(0.8, forKey: "volume")
      defaults.store.set("{{0, 0}, {640, 480}}", forKey: "NSWindow Frame main")
      try move(from: defaults.domain, to: test.workspace)
      #expect(test.dictionary[.volume] == 0.8)
      #expect(test.dictionary.keys == ["hasMovedFromUserDefaults", "volume"])

      test.dictionary.removeValue(forKey: .volume)
      defaults.store.set(0.9, forKey: "volume")
      try move(from: defaults.domain, to: test.workspace)
      #expect(test.dictionary[.volume] == 0.5)
    }
  }

  @Test("A program that moved back moves again with what an earlier version has changed") func moveBack() throws {
    let test = try TestWorkspace()
    try TestDefaults.with { defaults in
      defaults.store.set(0.8, forKey: "volume")
      try move(from: defaults.domain, to: test.workspace)
      test.dictionary[.volume] = 0.7
      let copied = try test.dictionary.exportValues(to: defaults.domain) { $0 != "hasMovedFromUserDefaults" }
      #expect(copied.written == ["volume"])
      test.dictionary.reset(.hasMoved)
      #expect(defaults.store.double(forKey: "volume") == 0.7)

      defaults.store.set(0.9, forKey: "volume")
      try move(from: defaults.domain, to: test.workspace, existingKeys: .overwrite)
      #expect(test.dictionary[.volume] == 0.9)
    }
  }
}
