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
  private func move(from domain: UserDefaultsDomain, to workspace: SQLiteWorkspace) throws {
    try workspace.transactAndWait { txn in
      guard !txn.dictionary[.hasMoved] else { return }
      let moved = try txn.dictionary.importValues(from: domain) { !$0.hasPrefix("NS") }
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
}
