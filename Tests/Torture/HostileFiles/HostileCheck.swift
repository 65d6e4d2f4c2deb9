import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// Checks that hold for a file that passes its check, and for data that a write must not change.
struct HostileCheck {
  typealias Member = Club.Member

  let workspace: SQLiteWorkspace
  let path: String
  /// True if the file was changed without a commit that the workspace could follow, so that its cache is older.
  let isLive: Bool
  /// True if the workspace read the file before the file passed its check. The cache may hold the absence of a key that
  /// was not found, though a write has since put the tree in order.
  var hasReadDamage = false

  /// Checks that a file without a problem can be read, and that its parts agree. A file whose only problem is damaged
  /// objects lacks only those.
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
      throw Finding("The file passes its check, but reading \(what) throws \(error).")
    }
  }

  // MARK: A sound file

  private func requireOwnSchema() throws {
    // A schema that SQLite can no longer read, because a table was created in the meantime, counts as having no foreign
    // objects.
    let foreign = try? RawDatabase(path).text(
      """
      SELECT type || ' ' || name FROM sqlite_schema WHERE type IN ('trigger', 'view') \
      AND tbl_name IN (
        'dictionary', 'dflat_log', 'dflat_replaced', 'dflat_entity', 'dflat_index', 'dflat_schema', 'club__member',
        'club__member__f10')
      """)
    if let foreign { throw Finding("The file passes its check with a \(foreign).") }
  }

  private func compareDictionary() throws {
    for name in ["", "a", "b"] {
      let dictionary = workspace.dictionary.namespace(name)
      let entries = try dictionary.entries()
      try require(
        entries.count == dictionary.count && entries.map(\.key) == dictionary.keys(withPrefix: ""),
        "The file passes its check, but '\(name)' has \(entries.count) entries, and other keys or another count.")
      for entry in entries.prefix(5) {
        try require(
          try dictionary.storedValue(forKey: entry.key).map { same($0, entry.value) } == true,
          "The file passes its check, but '\(entry.key)' of '\(name)' differs from its entry in the list.")
      }
    }
  }

  private func compareIndexes() throws {
    let query = workspace.query(for: Member.self)
    let all = try query.fetch()
    try require(
      try query.count() == all.count,
      "The file passes its check, but the count of objects differs from the objects found.")
    func compare(_ field: String, _ found: FetchedResult<Member>, _ expected: (Member) -> Bool) throws {
      let (found, expected) = (found.map(\.number).sorted(), all.filter(expected).map(\.number).sorted())
      try require(
        found == expected, "The file passes its check, but a query on \(field) finds \(found), not \(expected).")
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
      found == count - damaged, "\(damaged) of \(count) objects are damaged, but \(found) are found.")
  }

  // MARK: Writes

  /// False if SQLite finds the pages of a table damaged, or its keys out of order. It then reads cells from where others
  /// are, as long as it doesn't notice, and a write to the page moves or overwrites them, or finds another key's place.
  /// Only the complete check looks at the order.
  var hasSoundTrees: Bool {
    guard let file = try? RawDatabase(path), (try? file.text("PRAGMA quick_check(1)")) == "ok" else { return false }
    let problems = try? file.text("SELECT group_concat(integrity_check, char(10)) FROM pragma_integrity_check")
    return problems.map { !$0.contains("PRIMARY KEY order") } ?? false
  }

  /// Entries that none of the machine's writes touches, as they can be read now.
  func untouched() throws -> [DictionaryEntry] { try workspace.dictionary.namespace("b").entries() }

  /// Checks that a write changed nothing else, as a trigger could.
  func requireUntouched(_ before: [DictionaryEntry]?) throws {
    guard !isLive, let before, let after = try? untouched() else { return }
    try require(
      before.count == after.count
        && zip(before, after).allSatisfy {
          $0.key.utf8.elementsEqual($1.key.utf8) && $0.commitNumber == $1.commitNumber && same($0.value, $1.value)
        }, "A write changed entries that it does not name.")
  }

  private func same(_ a: StoredValue, _ b: StoredValue) -> Bool {
    switch (a, b) {
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
    default: a == b
    }
  }
}
