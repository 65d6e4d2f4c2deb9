import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// What must hold of a file that passes its check, and what a write must leave alone.
struct HostileCheck {
  typealias Member = Club.Member

  let workspace: SQLiteWorkspace
  let path: String
  /// Whether the file was changed behind the workspace's back, without a commit that it could follow: its cache is older.
  let isLive: Bool
  /// True if the workspace read the file before it passed its check: the cache may hold the absence of a key that was not
  /// found, though writing has put the tree in order since.
  var hasReadDamage = false

  /// A file without a problem can be read, and its parts agree; one whose only problem is damaged objects lacks those alone.
  func compare(with problems: [String]) throws {
    if problems.isEmpty {
      try passing("the schema") { try requireOwnSchema() }
      if !isLive, !hasReadDamage { try passing("the dictionary") { try compareDictionary() } }
      try passing("the indexes") { try compareIndexes() }
    }
    let damaged = problems.count { $0.hasPrefix("Row ") && $0.contains(" of 'club__member' can't be read: ") }
    if damaged == problems.count {
      try passing("the objects") { try requireAllObjects(but: damaged) }
    }
  }

  private func passing(_ what: String, _ body: () throws -> Void) throws {
    do { try body() } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding("The file passes its check, and reading \(what) throws \(error).")
    }
  }

  // MARK: A sound file

  private func requireOwnSchema() throws {
    // What SQLite doesn't read any more, because a table was made meanwhile, is nobody else's.
    let foreign = try? RawDatabase(path).text(
      """
      SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('trigger', 'view') \
      AND tbl_name IN ('dictionary', 'dflat_log', 'dflat_entity', 'dflat_index', 'club__member', 'club__member__f10')
      """)
    if let foreign { throw Finding("The file passes its check with a \(foreign).") }
  }

  private func compareDictionary() throws {
    for name in ["", "a", "b"] {
      let dictionary = workspace.dictionary.namespace(name)
      let entries = try dictionary.entries()
      try require(
        entries.count == dictionary.count && entries.map(\.key) == dictionary.keys(withPrefix: ""),
        "The file passes its check, and '\(name)' has \(entries.count) entries, and other keys or another count.")
      for entry in entries.prefix(5) {
        try require(
          try dictionary.storedValue(forKey: entry.key).map { same($0, entry.value) } == true,
          "The file passes its check, and '\(entry.key)' of '\(name)' is not the one in the list.")
      }
    }
  }

  private func compareIndexes() throws {
    let query = workspace.query(for: Member.self)
    let all = try query.fetch()
    try require(
      try query.count() == all.count, "The file passes its check, and objects are counted otherwise than found.")
    func compare(_ field: String, _ found: FetchedResult<Member>, _ expected: (Member) -> Bool) throws {
      let (found, expected) = (found.map(\.number).sorted(), all.filter(expected).map(\.number).sorted())
      try require(found == expected, "The file passes its check, and \(field) finds \(found), not \(expected).")
    }
    try compare("balance", try query.where(Member.balance > 3).fetch()) { $0.balance > 3 }
    try compare("email", try query.where(Member.email == "m3@example.com").fetch()) { $0.email == "m3@example.com" }
    try compare("card", try query.where(Member.card > 5).fetch()) { $0.card.map { $0 > 5 } ?? false }
    try compare("number", try query.where(Member.number == 7).fetch()) { $0.number == 7 }
  }

  private func requireAllObjects(but damaged: Int) throws {
    guard let count = try? RawDatabase(path).text("SELECT count(*) FROM club__member").flatMap({ Int($0) }) else {
      return
    }
    let found = try workspace.query(for: Member.self).fetch().count
    try require(
      found == count - damaged, "Of \(count) objects \(damaged) are damaged, and \(found) are found.")
  }

  // MARK: Writes

  /// What no write of the machine's touches, as it can be read now.
  func untouched() throws -> [DictionaryEntry] { try workspace.dictionary.namespace("b").entries() }

  /// A trigger, for one, that changed more than the write.
  func requireUntouched(_ before: [DictionaryEntry]?) throws {
    guard !isLive, let before, let after = try? untouched() else { return }
    try require(
      before.count == after.count
        && zip(before, after).allSatisfy {
          $0.key.utf8.elementsEqual($1.key.utf8) && $0.commitNumber == $1.commitNumber && same($0.value, $1.value)
        }, "A write changed what it does not name.")
  }

  private func same(_ a: StoredValue, _ b: StoredValue) -> Bool {
    switch (a, b) {
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
    default: a == b
    }
  }
}
