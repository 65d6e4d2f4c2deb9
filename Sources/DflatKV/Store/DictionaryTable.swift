import DflatCore
import DflatSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs the dictionary's statements with Swift values.
enum DictionaryTable {
  static func load(_ key: String, in namespace: String, on connection: Connection) throws -> DictionaryRow? {
    let statement = try connection.statement(.load)
    try statement.bind(repeated: namespace, at: 1)
    var found: DictionaryRow?
    try statement.withBound(key, at: 2) { found = try statement.firstRow { try row($0) } }
    return found
  }

  /// Returns true if a key has a row, whether or not this version can read its value, unless that has expired.
  static func hasRow(
    of key: String, in namespace: String, at milliseconds: Int64, on connection: Connection
  ) throws -> Bool {
    let statement = try connection.statement(.load)
    try statement.bind(repeated: namespace, at: 1)
    var isThere: Bool?
    try statement.withBound(key, at: 2) { isThere = try statement.firstRow { !isExpired($0, at: milliseconds) } }
    return isThere ?? false
  }

  /// Returns true for a row whose value has expired. Its first columns are those of the type and the value.
  static func isExpired(_ row: Statement, at milliseconds: Int64) -> Bool {
    guard row.int64(at: 0) == Int64(TypeTag.expiring.rawValue), row.type(at: 1) == .blob else { return false }
    let expiration = row.withBytes(at: 1) { Expiration(stored: $0.prefix(Expiration.byteCount)) }
    return expiration.map { $0.milliseconds <= milliseconds } ?? false
  }

  /// The relation of a row to a value that is to be written to it.
  enum Relation {
    /// There is no row.
    case absent
    /// The row has the value.
    case same
    /// The row has another value of the same `ReadableKind`.
    case differs
    /// The row has a value of another kind, or one that this version can't read.
    case otherKind
  }

  static func relation(
    of value: CachedValue, to key: String, in namespace: String, on connection: Connection
  ) throws -> Relation {
    do {
      return relation(of: value, to: try load(key, in: namespace, on: connection)?.value ?? .absent)
    } catch is WorkspaceError { return .otherKind }
  }

  static func relation(of value: CachedValue, to old: CachedValue) -> Relation {
    if old.isAbsent { return .absent }
    if old.isIdentical(to: value) { return .same }
    return old.readableKind == value.readableKind ? .differs : .otherKind
  }

  /// Stores a value, unless its row already has it or has one of another kind. Returns nil if it stored the value.
  ///
  /// The write statement itself compares the stored value: that is faster than a query before it, and a little slower
  /// than an unconditional REPLACE. Only if it changes nothing, a query finds out why.
  static func store(
    _ value: CachedValue, for key: String, in namespace: String, at commitNumber: UInt64, on connection: Connection
  ) throws -> Relation? {
    if value.isZero || value.expiration != nil {
      // SQLite treats 0.0 and -0.0 as equal, and doesn't see the kind of a value that expires, so compare here.
      let found = try relation(of: value, to: key, in: namespace, on: connection)
      if found == .same || found == .otherKind { return found }
      try replace(with: value, for: key, in: namespace, at: commitNumber, on: connection)
      return nil
    }
    try run(.store, value, for: key, in: namespace, at: commitNumber, on: connection)
    if connection.changedRows > 0 { return nil }
    let statement = try connection.statement(.hasKind)
    try statement.bind(namespace, at: 1)
    try statement.bind(key, at: 2)
    try ValueColumns.bindKind(of: value, to: statement)
    let hasKind = try statement.firstRow { $0.int64(at: 0) != 0 } ?? false
    return hasKind ? .same : .otherKind
  }

  /// Returns the row of a namespace's first value that hasn't expired, with the identifier of its key; nil if there is
  /// none, or it isn't sealed. All values of a namespace are normally sealed with one key, so one row tells which. Rows
  /// of keys for which `isExcepted` is true don't count. Takes a step for each of them, and for each that has expired.
  static func firstSealedRow(
    in namespace: String, numbered number: UInt32, at milliseconds: Int64, on connection: Connection,
    except isExcepted: (String) -> Bool
  ) throws -> EarlierChanges.SealedRow? {
    let statement = try connection.statement(.headers)
    try statement.bind(namespace, at: 1)
    try Expiration(milliseconds: milliseconds).stored.withUnsafeBytes { try statement.bind(blob: $0, at: 2) }
    let found = try statement.firstRow { row -> EarlierChanges.SealedRow? in
      while isExcepted(row.string(at: 2)) {
        guard try row.step() else { return nil }
      }
      let hashedKey = HashedKey(row.string(at: 2), namespace: number)
      return sealIdentifier(in: row).map { EarlierChanges.SealedRow(hashedKey: hashedKey, identifier: $0) }
    }
    return found ?? nil
  }

  private static func sealIdentifier(in row: Statement) -> UInt64? {
    guard row.type(at: 1) == .blob else { return nil }
    let bytes = row.withBytes(at: 1) { Array($0) }
    switch UInt8(exactly: row.int64(at: 0)).flatMap(TypeTag.init) {
    case .sealed: return SealEnvelope.identifier(in: Data(bytes))
    case .expiring where bytes.dropFirst(Expiration.byteCount).first == TypeTag.sealed.rawValue:
      return SealEnvelope.identifier(in: Data(bytes.dropFirst(Expiration.byteCount + 1)))
    case _: return nil
    }
  }

  /// Stores a value in place of any other.
  static func replace(
    with value: CachedValue, for key: String, in namespace: String, at commitNumber: UInt64,
    on connection: Connection
  ) throws {
    let mayDifferInSign =
      try connection.isRecording && value.isZero
      && mayHaveOtherZero(than: value, key, in: namespace, before: commitNumber, on: connection)
    try run(.replace, value, for: key, in: namespace, at: commitNumber, on: connection)
    if mayDifferInSign { recordInFull(key, in: namespace, on: connection) }
  }

  /// Returns true if a row may have had a zero of the other sign before the transaction with this commit number.
  private static func mayHaveOtherZero(
    than zero: CachedValue, _ key: String, in namespace: String, before commitNumber: UInt64, on connection: Connection
  ) throws -> Bool {
    do {
      // The transaction may have removed or written the row already.
      let found = try load(key, in: namespace, on: connection)
      guard let row = found, row.commitNumber != commitNumber else { return true }
      return row.value.isZero && !row.value.isIdentical(to: zero)
    } catch is WorkspaceError { return true }
  }

  /// Lets the record of the transaction contain a row in full, if it has a floating-point zero in the end.
  private static func recordInFull(_ key: String, in namespace: String, on connection: Connection) {
    connection.recordInFull { [unowned connection] in
      guard let row = try load(key, in: namespace, on: connection), row.value.isZero else { return nil }
      _ = try remove(key, in: namespace, on: connection)
      return { try run(.replace, row.value, for: key, in: namespace, at: row.commitNumber, on: connection) }
    }
  }

  private static func run(
    _ sql: SQL, _ value: CachedValue, for key: String, in namespace: String, at commitNumber: UInt64,
    on connection: Connection
  ) throws {
    let statement = try connection.statement(sql)
    try statement.bind(repeated: namespace, at: 1)
    try ValueColumns.bind(value, to: statement)
    statement.bind(Int64(bitPattern: commitNumber), at: 6)
    try statement.withBound(key, at: 2) { try statement.run() }
  }

  /// Removes a key. Returns true if it existed.
  static func remove(_ key: String, in namespace: String, on connection: Connection) throws -> Bool {
    let statement = try connection.statement(.remove)
    try statement.bind(namespace, at: 1)
    try statement.bind(key, at: 2)
    try statement.run()
    return connection.changedRows > 0
  }

  /// Removes the keys that begin with a prefix. Returns true if there were any.
  static func remove(prefix: String, in namespace: String, on connection: Connection) throws -> Bool {
    let statement = try connection.statement(prefix.isEmpty ? .removeAll : .removeRange)
    try statement.bind(namespace, at: 1)
    if !prefix.isEmpty { try bindRange(of: prefix, to: statement) }
    try statement.run()
    return connection.changedRows > 0
  }

  /// Removes the keys that begin with a prefix, except `kept`, which must all exist. Returns true if it removed any.
  static func remove(
    prefix: String, in namespace: String, except kept: [String], on connection: Connection
  ) throws -> Bool {
    if kept.isEmpty { return try remove(prefix: prefix, in: namespace, on: connection) }
    let counting = try connection.statement(.countInRange)
    try counting.bind(namespace, at: 1)
    try bindRange(of: prefix, to: counting)
    let others = (try counting.firstRow { $0.int64(at: 0) } ?? 0) - Int64(kept.count)
    if others <= 0 { return false }
    let sorted = kept.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    var isAny = false
    // If the other keys are few, look up the gaps that hold them. Otherwise run a statement for every gap: on average
    // each removes about one key or more.
    let places =
      try others < kept.count ? gaps(between: sorted, prefix, namespace, connection) : Array(0...sorted.count)
    for gap in places {
      let statement = try connection.statement(.removeRange)
      try statement.bind(namespace, at: 1)
      // A key followed by a zero byte is the key's successor: no text sorts between them.
      try statement.bind(text: gap == 0 ? Array(prefix.utf8) : sorted[gap - 1] + [0], at: 2)
      try statement.bind(text: gap == sorted.count ? Self.end(of: prefix) : sorted[gap], at: 3)
      try statement.run()
      isAny = isAny || connection.changedRows > 0
    }
    return isAny
  }

  /// Returns the gaps between the sorted keys that hold other keys of the range. Gap n lies before key n.
  private static func gaps(
    between sorted: [[UInt8]], _ prefix: String, _ namespace: String, _ connection: Connection
  ) throws -> [Int] {
    let rows = try connection.statement(.keysInRange)
    try rows.bind(namespace, at: 1)
    try bindRange(of: prefix, to: rows)
    var gaps: [Int] = []
    var gap = 0
    try rows.forEachRow { row in
      row.withBytes(at: 0) { key in
        while gap < sorted.count, sorted[gap].lexicographicallyPrecedes(key) { gap += 1 }
        if gap < sorted.count, sorted[gap].elementsEqual(key) { return }
        if gaps.last != gap { gaps.append(gap) }
      }
    }
    return gaps
  }

  static func keys(prefix: String, in namespace: String, on connection: Connection) throws -> [String] {
    let statement = try connection.statement(.keysInRange)
    try statement.bind(namespace, at: 1)
    try bindRange(of: prefix, to: statement)
    var keys: [String] = []
    var order = KeyOrder()
    try statement.forEachRow { keys.append(try order.nextKey(of: $0, at: 0, on: connection)) }
    return keys
  }

  /// Visits the rows in the byte order of their keys until `body` returns false. `body` reads the row by calling its
  /// second argument, which throws if this version doesn't know the type of the value.
  static func forEachRow(
    prefix: String, in namespace: String, on connection: Connection,
    _ body: (String, () throws -> DictionaryRow) throws -> Bool
  ) throws {
    let statement = try connection.statement(.rowsInRange)
    try statement.bind(namespace, at: 1)
    try bindRange(of: prefix, to: statement)
    var order = KeyOrder()
    try statement.reading {
      while try statement.step() {
        let key = try order.nextKey(of: statement, at: 4, on: connection)
        guard try body(key, { try row(statement) }) else { return }
      }
    }
  }

  /// Reads the first row whose key begins with a prefix and isn't before `start` in byte order.
  static func firstRow<T>(
    from start: [UInt8], prefix: String, in namespace: String, on connection: Connection,
    _ body: (Statement, () throws -> DictionaryRow) throws -> T
  ) throws -> T? {
    let statement = try connection.statement(.rowsInRange)
    try statement.bind(namespace, at: 1)
    try statement.bind(text: start, at: 2)
    try statement.bind(text: end(of: prefix), at: 3)
    return try statement.firstRow { statement in try body(statement) { try row(statement) } }
  }

  static func count(in namespace: String, on connection: Connection) throws -> Int {
    let statement = try connection.statement(.countInNamespace)
    try statement.bind(namespace, at: 1)
    return try statement.firstRow { Int($0.int64(at: 0)) } ?? 0
  }

  /// Returns the names of the namespaces in byte order. SQLite compares each row's with the one before, so a name comes
  /// again if the rows are not in order.
  static func namespaces(on connection: Connection) throws -> [String] {
    var names: [String] = []
    var order = KeyOrder()
    try connection.statement(.namespaces).forEachRow { row in
      // Bytes in place of a text, which only damaged rows have, come after all texts.
      names.append(try row.type(at: 0) == .text ? order.nextKey(of: row, at: 0, on: connection) : row.string(at: 0))
    }
    return names
  }

  private static func bindRange(of prefix: String, to statement: Statement) throws {
    try statement.bind(prefix, at: 2)
    try statement.bind(text: end(of: prefix), at: 3)
  }

  /// Returns the exclusive upper bound of a prefix's keys: UTF-8 never contains the byte 0xFF.
  static func end(of prefix: String) -> [UInt8] { Array(prefix.utf8) + [0xff] }

  private static func row(_ statement: Statement) throws -> DictionaryRow {
    DictionaryRow(
      value: try ValueColumns.read(statement),
      commitNumber: try CommitNumber.read(3, of: statement, in: "dictionary"))
  }
}

/// Checks that rows come in the byte order of their keys, each once. In a damaged file, many paths may lead to the same
/// page of the table's tree, and its rows would come again and again.
private struct KeyOrder {
  private var previous: String?
  /// The key of the row before if it is not UTF-8. Its string is that of another key.
  private var previousBytes: [UInt8] = []

  /// Returns a row's key. Throws `.corrupt` unless it comes after that of the row before.
  mutating func nextKey(of row: Statement, at column: Int32, on connection: Connection) throws -> String {
    try row.withBytes(at: column) { bytes in
      guard comesNext(bytes) else {
        throw WorkspaceError.rowsOutOfOrder(in: "dictionary", path: connection.path)
      }
      let key = String(decoding: bytes, as: UTF8.self)
      if key.utf8.count == bytes.count {
        previous = key
      } else {
        previous = nil
        previousBytes = Array(bytes)
      }
      return key
    }
  }

  private func comesNext(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let previous else {
      return previousBytes.isEmpty || previousBytes.withUnsafeBytes { $0.compare(to: bytes) } < 0
    }
    let order = previous.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).compare(to: bytes) }
    return (order ?? -1) < 0
  }
}
