import DflatCore
import DflatSQLite
import DflatSupport

/// Evaluates searches on texts that are not in an index, by the module and the tokenizer that indexes use: in a
/// full-text table of a database in memory, which is empty between two calls.
///
/// Live queries evaluate searches under the publication lock. That is safe, since nothing here waits: a database in
/// memory has no file, no locks and no other connection.
///
/// An evaluator belongs to one thread at a time. `lend` takes one out of a pool, whose lock is a leaf, and never held
/// while SQLite runs (A11).
final class SearchEvaluator: @unchecked Sendable {  // one owner at a time: see above
  private static let pool = Lock<[SearchEvaluator]>([])
  /// The number of idle evaluators to keep. Each takes about 100 kB.
  private static let capacity = 4

  private let connection: Connection
  private var tables: [Int: Table] = [:]

  private struct Table {
    let insert: Statement
    let match: Statement
  }

  private init() throws {
    connection = try Connection(path: Connection.memoryPath, mode: .memory, busyTimeout: .zero)
  }

  /// Lends an evaluator to `body`.
  ///
  /// - Throws: `SQLiteError`; ``/DflatCore/WorkspaceError`` with code `.searchUnavailable` if SQLite has no full-text
  ///   search; the errors of `body`.
  static func lend<R>(_ body: (SearchEvaluator) throws -> R) throws -> R {
    try requireAvailable()
    let idle = pool.withLock { $0.popLast() }
    let evaluator = try idle ?? SearchEvaluator()
    let result = try body(evaluator)  // after an error, the evaluator is dropped
    pool.withLock { if $0.count < capacity { $0.append(evaluator) } }
    return result
  }

  // MARK: Availability

  /// True if this process's SQLite library has full-text search.
  static var isAvailable: Bool { !isHidden && hasModule }

  /// Tests set this to hide the module: a task then finds no full-text search. Other threads aren't affected.
  @TaskLocal static var isHidden: Bool = false

  private static let hasModule: Bool = {
    do {
      let connection = try Connection(path: Connection.memoryPath, mode: .memory, busyTimeout: .zero)
      try connection.changeSchema(SearchTableFormat.table("t", columns: ["a"]))
      return true
    } catch let error as SQLiteError where error.isStatementError {
      return false
    } catch {
      // Memory ran out. The search itself will fail with that error.
      return true
    }
  }()

  /// Throws ``/DflatCore/WorkspaceError`` with code `.searchUnavailable` if SQLite has no full-text search.
  static func requireAvailable(path: String? = nil) throws {
    if isAvailable { return }
    throw WorkspaceError(
      .searchUnavailable,
      "The SQLite library of this process (\(SQLiteLibrary.version)) has no full-text search; use a library that is "
        + "compiled with FTS5.", path: path)
  }

  // MARK: Evaluating

  /// Returns true if texts match an expression over their columns, `c0`, `c1` and so on. Nil is an absent text.
  func matches(_ expression: String, _ texts: [UnsafeRawBufferPointer?]) throws -> Bool {
    let table = try table(texts.count)
    return try holding(texts, in: table) {
      try table.match.bind(expression, at: 1)
      return try table.match.hasRow()
    }
  }

  /// Returns true if the tokenizer finds a word in a text.
  func hasWords(_ text: String) throws -> Bool {
    // Every ASCII letter and digit is a part of a word.
    if text.utf8.contains(where: Self.isASCIIWord) { return true }
    var copy = text
    // A phrase of its own words matches a text, unless it has none.
    return try copy.withUTF8 { try matches(SearchExpression.quoted(text), [UnsafeRawBufferPointer($0)]) }
  }

  /// Returns the result of an SQL function of full-text tables for one text that matches an expression; nil if it
  /// doesn't match.
  ///
  /// - Parameters:
  ///   - function: The function with placeholders for its arguments after the table's name.
  ///   - arguments: The texts and numbers of the placeholders.
  ///   - text: The text.
  ///   - expression: The expression.
  func mark(
    _ function: String, _ arguments: [QueryValue], in text: UnsafeRawBufferPointer, matching expression: String
  ) throws -> String? {
    let table = try table(1)
    let statement = try connection.statement(
      text: "SELECT \(function) FROM \(Self.name(1)) WHERE \(Self.name(1)) MATCH ?1", usesVirtualTables: true)
    return try holding([text], in: table) {
      try statement.bind(expression, at: 1)
      for (place, value) in arguments.enumerated() {
        switch value {
        case .text(let text): try statement.bind(text, at: Int32(place) + 2)
        case .integer(let number): statement.bind(number, at: Int32(place) + 2)
        default: statement.bindNull(at: Int32(place) + 2)
        }
      }
      return try statement.firstRow { $0.string(at: 0) }
    }
  }

  /// Calls `body` for each word of the texts: the word, the number of its column, and its position there.
  func forEachWord(
    _ texts: [UnsafeRawBufferPointer?],
    _ body: (UnsafeRawBufferPointer, _ column: Int, _ position: Int64) throws -> Void
  ) throws {
    let table = try table(texts.count)
    let name = Self.name(texts.count)
    try connection.changeSchema(
      "CREATE VIRTUAL TABLE IF NOT EXISTS temp.\(name)_words USING fts5vocab(main, \(name), instance)")
    let words = try connection.statement(
      text: "SELECT term, col, offset FROM temp.\(name)_words", usesVirtualTables: true)
    try holding(texts, in: table) {
      try words.forEachRow { row in
        let column = Int(row.string(at: 1).dropFirst()) ?? 0  // c0, c1, …
        let position = row.int64(at: 2)
        try row.withBytes(at: 0) { try body($0, column, position) }
      }
    }
  }

  // MARK: Tables

  private static func name(_ count: Int) -> String { "t\(count)" }

  private static func isASCIIWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private func table(_ count: Int) throws -> Table {
    if let found = tables[count] { return found }
    let name = Self.name(count)
    let columns = (0..<count).map { "c\($0)" }
    try connection.changeSchema(SearchTableFormat.table(name, columns: columns))
    let parameters = (1...count).map { "?\($0)" }.joined(separator: ", ")
    let made = Table(
      insert: try connection.prepare(
        "INSERT INTO \(name) (rowid, \(columns.joined(separator: ", "))) VALUES (1, \(parameters))",
        usesVirtualTables: true),
      match: try connection.prepare("SELECT 1 FROM \(name) WHERE \(name) MATCH ?1", usesVirtualTables: true))
    tables[count] = made
    return made
  }

  /// Runs `body` while the table has a row with these texts.
  private func holding<R>(_ texts: [UnsafeRawBufferPointer?], in table: Table, _ body: () throws -> R) throws -> R {
    try connection.begin()
    // An error of the rollback means that there is nothing left to undo.
    defer { try? connection.rollBack() }
    for (place, text) in texts.enumerated() {
      guard let text else {
        table.insert.bindNull(at: Int32(place) + 1)
        continue
      }
      try table.insert.bind(text: text, at: Int32(place) + 1)
    }
    try table.insert.run()
    return try body()
  }
}
