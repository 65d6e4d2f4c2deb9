import CSQLite
import DflatSupport

/// A part of what a transaction changed: statements that change the schema, and then changed rows, as SQLite's session
/// extension encodes them (<https://www.sqlite.org/session/c_changegroup.html>).
package struct ChangeSegment: Sendable, Equatable {
  package var schemaChanges: [String]
  package var changeset: [UInt8]

  package init(schemaChanges: [String], changeset: [UInt8]) {
    self.schemaChanges = schemaChanges
    self.changeset = changeset
  }
}

/// Records the net changes that a transaction makes to the rows and the schema of all tables but a few.
///
/// Changes that a savepoint undoes aren't recorded: at the end, SQLite compares the rows that were touched with their
/// earlier state.
package final class ChangeRecorder {
  private let library: SessionLibrary
  private unowned let connection: Connection
  private let excluded: [String]
  private var session: SessionLibrary.Session?
  private var segments: [ChangeSegment] = []
  /// The statements that changed the schema since the last segment.
  private var schemaChanges: [String] = []
  /// The statements among them that a savepoint has undone.
  private var undoneChanges: [String] = []
  /// The numbers of segments and schema changes that were recorded when each open savepoint was opened.
  private var marks: [(savepoint: Savepoint, segments: Int, schemaChanges: Int)] = []
  /// True if a savepoint was undone whose changes are in a segment together with earlier ones.
  private var isSpoiled = false
  private var rewrites: [RowRewrite] = []

  /// Removes a row and returns a closure that inserts it again; returns nil if there is no such row.
  package typealias RowRewrite = () throws -> (() throws -> Void)?

  /// Begins to record. A write transaction has begun on the connection, and has changed nothing yet.
  ///
  /// - Parameter excluded: The tables whose rows aren't recorded.
  /// - Throws: `SQLiteError`, also if the library has no sessions.
  package init(on connection: Connection, excluding excluded: [String]) throws {
    library = try SessionLibrary.required()
    self.connection = connection
    self.excluded = excluded
    try begin()
    connection.recorder = self
  }

  deinit { if let session { library.delete(session) } }

  /// Stops recording. What was recorded stays readable.
  package func end() {
    if let session { library.delete(session) }
    session = nil
    rewrites = []
    if connection.recorder === self { connection.recorder = nil }
  }

  private func begin() throws {
    var made: SessionLibrary.Session?
    try check(library.create(connection.handle, "main", &made))
    session = made
    // This object outlives the session.
    library.filterTables(
      made,
      { context, name in
        guard let context, let name else { return 1 }
        let recorder = Unmanaged<ChangeRecorder>.fromOpaque(context).takeUnretainedValue()
        return recorder.excluded.contains { $0.withCString { strcmp($0, name) == 0 } } ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
    try check(library.attach(made, nil))
  }

  private func check(_ result: Int32) throws {
    if result != SQLITE_OK { throw connection.error(result, sql: nil) }
  }

  // MARK: Events

  /// Notes statements that have just changed the schema.
  func note(schemaChange text: String) { schemaChanges.append(text) }

  /// Prepares for statements that drop a table: a session can't describe changed rows of a table that is gone.
  func prepareForDropping() throws {
    // A spoiled recorder has no use for more, and its session may know tables that are gone.
    guard !isSpoiled, let session, library.isEmpty(session) == 0 else { return }
    try cut()
    try begin()
  }

  fileprivate func add(_ rewrite: @escaping RowRewrite) { rewrites.append(rewrite) }

  func didOpen(_ savepoint: Savepoint) { marks.append((savepoint, segments.count, schemaChanges.count)) }
  func didRelease(_ savepoint: Savepoint) { _ = close(savepoint) }

  /// Removes the mark of a savepoint, with those of the savepoints inside it, which SQLite closes, too.
  private func close(_ savepoint: Savepoint) -> (segments: Int, schemaChanges: Int)? {
    guard let index = marks.lastIndex(where: { $0.savepoint == savepoint }) else { return nil }
    defer { marks.removeSubrange(index...) }
    return (marks[index].segments, marks[index].schemaChanges)
  }

  func didUndo(_ savepoint: Savepoint) {
    guard let mark = close(savepoint) else { return }
    if segments.count > mark.segments {
      isSpoiled = true
    } else {
      undoneChanges += schemaChanges[mark.schemaChanges...]
      schemaChanges.removeSubrange(mark.schemaChanges...)
    }
  }

  // MARK: The record

  /// Ends a segment with what was recorded since the last one.
  private func cut() throws {
    // A full-text index writes its tables only at a savepoint or a commit.
    try connection.writeBufferedRows()
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    // The session reads tables that statements have changed, and so were admitted, perhaps before the schema changed.
    try connection.withoutAdmission {
      try withUndoneTables { try check(library.changeset(session, &count, &bytes)) }
    }
    defer { sqlite3_free(bytes) }
    let changeset = [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    if !changeset.isEmpty || !schemaChanges.isEmpty {
      segments.append(ChangeSegment(schemaChanges: schemaChanges, changeset: changeset))
    }
    (schemaChanges, undoneChanges) = ([], [])
    library.delete(session)
    session = nil
  }

  /// Runs `body` while the tables are there, without rows, whose creation a savepoint has undone: a session can't say that
  /// nothing is left of rows in a table that is gone.
  private func withUndoneTables(_ body: () throws -> Void) throws {
    let creations = undoneChanges.flatMap { $0.split(separator: ";") }.map { $0.drop { $0.isWhitespace } }.filter {
      $0.hasPrefix("CREATE ")
    }
    if creations.isEmpty { return try body() }
    try connection.open(.buffered)
    do {
      // A table may have been created again since, with what belongs to it.
      for text in creations { try? connection.execute(String(text)) }
      try body()
    } catch {
      try? connection.rollBack(.buffered)  // the first error says more
      throw error
    }
    try connection.rollBack(.buffered)
  }

  /// Stops recording, and returns what was recorded, in order. Returns nil if it can't be told apart from what a
  /// savepoint has undone; then the transaction has to be undone, too.
  package func finish() throws -> [ChangeSegment]? {
    defer { end() }
    if isSpoiled { return nil }
    try cut()
    try rewriteRows()
    return segments
  }

  /// Removes the rows in one segment, and inserts them in another: within one, they would count as unchanged.
  private func rewriteRows() throws {
    if rewrites.isEmpty { return }
    try begin()
    let insertions = try rewrites.compactMap { try $0() }
    try cut()
    if insertions.isEmpty { return }
    try begin()
    for insert in insertions { try insert() }
    try cut()
  }
}

extension Connection {
  package var isRecording: Bool { recorder != nil }

  /// Writes a row again at the end of the recorded transaction, so that the record has it in full. A session takes two
  /// floating-point zeros for equal, and leaves out a column in which only the sign of a zero has changed.
  package func recordInFull(_ rewrite: @escaping ChangeRecorder.RowRewrite) { recorder?.add(rewrite) }

  /// Makes virtual tables write the rows that they buffer until the next savepoint.
  fileprivate func writeBufferedRows() throws {
    try open(.buffered)
    try release(.buffered)
  }
}

extension Savepoint {
  fileprivate static let buffered = Savepoint("buffered")
}
