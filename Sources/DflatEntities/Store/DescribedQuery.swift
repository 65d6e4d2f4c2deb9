package import DflatCore
import DflatSQLite

/// A query on the objects of a type without generated code.
///
/// Like a ``Query``, it reads the newest commit, the snapshot's commit, or the transaction's state; it blocks the
/// calling thread meanwhile, and throws the same errors. `workspace.observe` tracks it. A damaged object is left out, and
/// reported to the workspace's error handler.
package struct DescribedQuery: Sendable {
  private let type: DescribedType
  private let rows: RowQuery

  package init(
    _ type: DescribedType, where predicate: QueryNode?, orderBy orders: [QueryOrder] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    self.type = type
    rows = RowQuery(type.entity, predicate, orderBy: orders, limit: limit, offset: offset)
  }

  /// Returns the values that `make` creates from the objects' rows, in the requested order. An object for which it
  /// throws `FlatBufferError` counts as damaged; one that doesn't read the objects also gets damaged ones that lookups
  /// find.
  package func objects<Value>(
    in workspace: some Queryable, _ make: (_ rowid: Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    try objects(from: QuerySource(workspace, storage: EntityStore.lazyStorage(of: workspace.core)), make)
  }

  /// Returns values as ``objects(in:_:)`` does, of the objects that a transaction sees.
  package func objects<Value>(
    in transaction: TransactionContext, _ make: (_ rowid: Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    try objects(from: QuerySource(transaction, storage: EntityStore.lazyStorage(of: transaction.core)), make)
  }

  private func objects<Value>(
    from source: QuerySource, _ make: (_ rowid: Int64, UnsafeRawBufferPointer) throws -> Value
  ) throws -> [Value] {
    try read(source) { try rows.collect(on: $0, storage: source.storage, trustingLookups: true, make) } ?? []
  }

  /// Returns the number of objects.
  package func count(in workspace: some Queryable) throws -> Int {
    let source = QuerySource(workspace, storage: EntityStore.lazyStorage(of: workspace.core))
    return try read(source) { try rows.count(on: $0, storage: source.storage) } ?? 0
  }

  /// Returns an explanation of how the objects would be found; nil if there is no file.
  package func explanation(in workspace: some Queryable) throws -> QueryExplanation? {
    let source = QuerySource(workspace, storage: EntityStore.lazyStorage(of: workspace.core))
    return try read(source) { try rows.explanation(on: $0, storage: source.storage) }
  }

  private func read<Value>(_ source: QuerySource, _ body: (Connection) throws -> Value) throws -> Value? {
    var value: Value?
    source.note(rows)
    try source.read(.described(type)) { connection, _ in value = try body(connection) }
    return value
  }
}
