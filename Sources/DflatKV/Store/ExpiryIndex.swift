import DflatCore
package import DflatSQLite
import DflatSupport

/// The index by which expired values are found. A file has it once a value that expires was written to it
/// (`FileFormat.Features.expiringValues`).
enum ExpiryIndex {
  static let name = "dflat_expiry"
  static let definition = "CREATE INDEX dflat_expiry ON dictionary (substr(value, 1, 8)) WHERE type = 11"

  /// True for the rows in the index. SQLite uses it only for statements with the very condition and expression.
  static let condition = "type = 11"
  static let instant = "substr(value, 1, 8)"

  /// Creates the index unless the file has it. The files of other replicas get the same statement, and may have it.
  static func create(on connection: Connection) throws {
    if try exists(on: connection) { return }
    try connection.changeSchema("CREATE INDEX IF NOT EXISTS" + definition.dropFirst("CREATE INDEX".count))
  }

  static func exists(on connection: Connection) throws -> Bool {
    let statement = try connection.statement(.expiryIndex)
    return try statement.firstRow { $0.int64(at: 0) != 0 } ?? false
  }

  /// Returns the first instant after another one at which a value expires; nil if there is none.
  static func next(after milliseconds: Int64 = -1, on connection: Connection) throws -> Expiration? {
    guard try FileFormat.features(on: connection).contains(.expiringValues) else { return nil }
    let statement = try connection.statement(.nextExpiration)
    // The instants are never negative, so all of them come after no bytes.
    let bound = milliseconds < 0 ? [] : Expiration(milliseconds: milliseconds).stored
    try bound.withUnsafeBytes { try statement.bind(blob: $0, at: 1) }
    let found = try statement.firstRow { row in row.withBytes(at: 0) { Expiration(stored: Array($0)) } }
    return found ?? nil
  }

  struct Place: Equatable {
    let namespace: String
    let key: String

    static func == (a: Place, b: Place) -> Bool {
      a.namespace.hasSameBytes(as: b.namespace) && a.key.hasSameBytes(as: b.key)
    }
  }

  /// Returns the keys whose values have expired at an instant, until `goesOn` returns false for one, which is the last if it
  /// is the first, and otherwise left out. Leaves out rows that no writer has made: no key would find them again. Throws
  /// `.corrupt` if rows come again, as in a damaged file in which many paths lead to the same page of the index.
  static func expired(
    at milliseconds: Int64, on connection: Connection, while goesOn: (Place) -> Bool = { _ in true }
  ) throws -> [Place] {
    guard try FileFormat.features(on: connection).contains(.expiringValues) else { return [] }
    let statement = try connection.statement(.expiredKeys)
    try Expiration(milliseconds: milliseconds).stored.withUnsafeBytes { try statement.bind(blob: $0, at: 1) }
    var places: [Place] = []
    var visited = RepetitionCheck<Place>()
    try statement.reading {
      while try statement.step() {
        let place = Place(namespace: statement.string(at: 0), key: statement.string(at: 1))
        guard statement.withBytes(at: 0, { place.namespace.utf8.elementsEqual($0) }),
          statement.withBytes(at: 1, { place.key.utf8.elementsEqual($0) })
        else { continue }
        if visited.isRepeated(place) { throw WorkspaceError.rowsOutOfOrder(in: "dictionary", path: connection.path) }
        let isLast = !goesOn(place)
        if !isLast || places.isEmpty { places.append(place) }
        if isLast { return }
      }
    }
    return places
  }

  /// Returns the instants of the values of a namespace that expire.
  static func instants(in namespace: String, on connection: Connection) throws -> [(key: String, Expiration)] {
    guard try FileFormat.features(on: connection).contains(.expiringValues) else { return [] }
    let statement = try connection.statement(.instantsInNamespace)
    try statement.bind(namespace, at: 1)
    var instants: [(String, Expiration)] = []
    try statement.forEachRow { row in
      if let expiration = row.withBytes(at: 1, { Expiration(stored: Array($0)) }) {
        instants.append((row.string(at: 0), expiration))
      }
    }
    return instants
  }
}

extension StoredValue {
  /// Prepares a file for rows of a type, which are written by SQL of another module. A write transaction is open.
  ///
  /// - Throws: `SQLiteError`.
  package static func announce(type: Int64, on connection: Connection) throws {
    switch UInt8(exactly: type).flatMap(TypeTag.init) {
    case .sealed: try FileFormat.announce(.sealedValues, on: connection)
    case .expiring:
      // The value in it may be sealed.
      try FileFormat.announce([.sealedValues, .expiringValues], on: connection)
      try ExpiryIndex.create(on: connection)
    case _: break
    }
  }
}

extension SQL {
  fileprivate static let expiryIndex = SQL(
    "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = '\(ExpiryIndex.name)')")
}
