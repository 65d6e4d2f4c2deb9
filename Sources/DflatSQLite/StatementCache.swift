import CSQLite

/// A least-recently-used cache of prepared statements whose text is built at run time, by their text.
struct StatementCache {
  /// The number of statements to keep. Each takes a few kilobytes.
  static let capacity = 64

  private struct Entry {
    let statement: Statement
    var lastUse: UInt64
  }

  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0

  /// Returns the statement for a text, or nil if there is none or it is in the middle of its rows.
  mutating func statement(_ text: String) -> Statement? {
    guard let index = entries.index(forKey: text), !entries.values[index].statement.isRunning else { return nil }
    uses += 1
    entries.values[index].lastUse = uses
    return entries.values[index].statement
  }

  /// Adds a statement, and removes the least recently used one if the cache is full.
  mutating func add(_ statement: Statement, for text: String) {
    if entries.count >= Self.capacity, entries[text] == nil,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
    }
    uses += 1
    entries[text] = Entry(statement: statement, lastUse: uses)
  }

  mutating func removeAll() { entries.removeAll() }
}

extension Connection {
  /// Returns the statement for a text that is built at run time; the most recently used ones stay prepared. For a text
  /// that is known at compile time, use an `SQL` constant.
  ///
  /// - Parameter usesVirtualTables: True for a text on a full-text index, whose tables `admit` has checked.
  package func statement(text: String, usesVirtualTables: Bool = false) throws -> Statement {
    if let found = dynamicStatements.statement(text) { return found }
    let statement = try Statement(text, on: self, persistent: true, usesVirtualTables: usesVirtualTables)
    dynamicStatements.add(statement, for: text)
    return statement
  }
}
