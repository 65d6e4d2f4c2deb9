import DflatSQLite

/// A query on one type's objects, ready to run on any view.
package struct EntityQuery<Element: Atom>: Sendable {
  var rows: RowQuery

  package init(_ predicate: QueryNode? = nil, orderBy orders: [QueryOrder] = [], limit: Int? = nil, offset: Int = 0) {
    rows = RowQuery(Element._entity, predicate, orderBy: orders, limit: limit, offset: offset)
  }

  init(_ rows: RowQuery) { self.rows = rows }

  /// Nil for all objects.
  package var predicate: QueryNode? {
    get { rows.predicate }
    set { rows.predicate = newValue }
  }

  package var orders: [QueryOrder] {
    get { rows.orders }
    set { rows.orders = newValue }
  }

  /// The maximum number of objects after the offset; nil for all.
  package var limit: Int? {
    get { rows.limit }
    set { rows.limit = newValue.map { max($0, 0) } }
  }

  /// The number of objects to skip at the beginning, in the requested order.
  package var offset: Int {
    get { rows.offset }
    set { rows.offset = max(newValue, 0) }
  }

  /// Returns the objects that a connection's view shows, in the requested order. Leaves out rows that can't be read.
  ///
  /// - Parameter commitNumber: The commit of the view; the objects carry it.
  /// - Throws: SQLite's errors.
  func run(on connection: Connection, commitNumber: UInt64, storage: LazyEntityStorage) throws -> [Element] {
    try rows.objects(on: connection, commitNumber: commitNumber, storage: storage)
  }

  /// Returns the rowids of the objects, in the requested order, including those of damaged rows that lookups find.
  func rowids(on connection: Connection, storage: LazyEntityStorage) throws -> [Int64] {
    try collect(on: connection, storage: storage, trustingLookups: true) { rowid, _ in rowid }
  }

  /// Returns the values that `make` creates from the objects' bytes, in the requested order, within limit and offset.
  ///
  /// - Parameter trustsLookups: True if `make` decodes the whole object, or should get damaged rows that lookups find.
  func collect<Value>(
    on connection: Connection, storage: LazyEntityStorage, trustingLookups trustsLookups: Bool = false,
    _ make: (Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    try rows.collect(on: connection, storage: storage, trustingLookups: trustsLookups, make)
  }
}
