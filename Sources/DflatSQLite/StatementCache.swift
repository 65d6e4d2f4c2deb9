import CSQLite

/// Prepared statements whose text is made at run time, by their text: the ones that were used last.
struct StatementCache {
  /// Statements that are kept. One takes some kilobytes.
  static let capacity = 64

  private struct Entry {
    let statement: Statement
    var lastUse: UInt64
  }

  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0

  /// The statement for a text, unless it is in the middle of its rows.
  mutating func statement(_ text: String) -> Statement? {
    guard let index = entries.index(forKey: text), !entries.values[index].statement.isRunning else { return nil }
    uses += 1
    entries.values[index].lastUse = uses
    return entries.values[index].statement
  }

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
  /// The statement for a text that is made at run time; the last ones that were used are kept prepared. What is known
  /// beforehand is an `SQL`.
  package func statement(text: String) throws -> Statement {
    if let found = dynamicStatements.statement(text) { return found }
    let statement = try Statement(text, on: self, persistent: true)
    dynamicStatements.add(statement, for: text)
    return statement
  }
}
