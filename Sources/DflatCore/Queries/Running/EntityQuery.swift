package import DflatSQLite

/// What is asked of one type's objects, ready to be run on any view.
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

  /// The objects that are given at most, after those of the offset; nil for all.
  package var limit: Int? {
    get { rows.limit }
    set { rows.limit = newValue.map { max($0, 0) } }
  }

  /// The first objects, in the asked order, that are left out.
  package var offset: Int {
    get { rows.offset }
    set { rows.offset = max(newValue, 0) }
  }

  /// The objects, in the asked order, as a connection's view shows them.
  ///
  /// - Parameter commitNumber: Of the view; the objects carry it.
  /// - Throws: SQLite's errors. A row that can't be read is left out.
  package func run(on connection: Connection, commitNumber: UInt64, core: WorkspaceCore) throws -> [Element] {
    try rows.objects(on: connection, commitNumber: commitNumber, core: core)
  }

  /// The rows of the objects, in the asked order.
  package func rowids(on connection: Connection, core: WorkspaceCore) throws -> [Int64] {
    try collect(on: connection, core: core) { rowid, _ in rowid }
  }

  /// What is made of the objects' bytes, in the asked order, within limit and offset.
  package func collect<Value>(
    on connection: Connection, core: WorkspaceCore, _ make: (Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    let places = try rows.visit(on: connection, core: core) { values.append(try make($0, $1)) }
    return places.map { places in places.map { values[$0] } } ?? values
  }
}

extension RowQuery {
  /// The rows' objects, in the asked order.
  func objects<Element: Atom>(
    on connection: Connection, commitNumber: UInt64, core: WorkspaceCore
  ) throws -> [Element] {
    var objects: [Element] = []
    let origin = EntityOrigin(of: entity, on: connection, at: commitNumber, for: core)
    let places = try visit(on: connection, core: core) { rowid, bytes in
      objects.append(try Element.stored(in: bytes, origin.identity(of: rowid)))
    }
    return places.map { places in places.map { objects[$0] } } ?? objects
  }
}
