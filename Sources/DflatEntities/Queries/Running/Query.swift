/// A query as a value: built step by step, run any number of times, on any thread.
///
///     let urgent = workspace.query(for: Post.self).where(Post.priority > 100).orderBy(Post.title.ascending)
///     let page = try urgent.offset(20).limit(10).fetch()
///     let titles = try urgent.select(Post.title)
///     let highest = try urgent.max(of: Post.priority)
///
/// Each run reads the newest commit. Inside a snapshot, it reads the snapshot's commit; inside a transaction's closure,
/// it also sees the changes that the transaction has submitted, and the transaction must have declared the type.
///
/// A damaged object is left out, and reported once to the workspace's error handler (`.undecodable`). Operations that
/// don't decode objects include it if they can read the fields of the conditions and, unless the order doesn't matter,
/// of the order: an offset skips such an object, and `select` and aggregates also need to read their own fields. Indexes
/// make no difference, except to `count`: if they answer all conditions, it reads no objects, and so counts one that was
/// damaged after an index got its values.
///
/// **Blocking.** Running a query blocks the calling thread until the objects are read. It may wait for a commit that is
/// being written and for locks of other processes, but not for running transactions.
///
/// **Errors.** Running a query throws ``/DflatCore/WorkspaceError`` with one of these codes:
/// - `.undeclaredType` if the transaction didn't declare the type;
/// - `.aborted` if the transaction was aborted or is over, or the query runs outside its closure; if the transaction
///   has failed, the code of its error;
/// - `.shutdown` after shutdown;
/// - `.schemaVersionMismatch` if the type's schema contradicts that of its objects in the file, and `.newerFormat` if a
///   newer program stored a schema that this one can't read;
/// - `.invalidRequest` if the query orders by relevance without a search, and `.searchUnavailable` if it has a search
///   and the process's SQLite library no full-text search;
/// - `.tooLarge` if a value in the predicate is larger than SQLite's limit;
/// - those of `SQLiteWorkspace.open(filePath:options:)` if the file can't be opened or read.
public struct Query<Element: Atom>: Sendable {
  let source: QuerySource
  private(set) var query: EntityQuery<Element>

  init(_ source: QuerySource, _ query: EntityQuery<Element>) {
    self.source = source
    self.query = query
  }

  // MARK: Making

  /// Adds a predicate. The query returns the objects for which this predicate and all earlier ones are true.
  public func `where`<T: Expr>(_ predicate: T) -> Query where T.ResultType == Bool, T.Element == Element {
    changed { $0.predicate = $0.predicate.map { .and($0, predicate.node) } ?? predicate.node }
  }

  /// Sorts by these keys, then by the order of insertion. Replaces an earlier order.
  public func orderBy(_ orders: OrderBy<Element>...) -> Query { orderBy(orders) }

  /// Sorts by these keys, then by the order of insertion. Replaces an earlier order.
  public func orderBy(_ orders: [OrderBy<Element>]) -> Query { changed { $0.orders = orders.map { $0.order } } }

  /// Limits the result to the first `count` objects in the requested order; to none if `count` is 0 or negative.
  public func limit(_ count: Int) -> Query { changed { $0.limit = Swift.max(count, 0) } }

  /// Skips the first `count` objects in the requested order; none if `count` is negative.
  public func offset(_ count: Int) -> Query { changed { $0.offset = Swift.max(count, 0) } }

  private func changed(_ change: (inout EntityQuery<Element>) -> Void) -> Query {
    var copy = self
    change(&copy.query)
    return copy
  }

  // MARK: Running

  /// Returns the objects. Blocks the calling thread until they are read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func fetch() throws -> FetchedResult<Element> { try source.fetch(query.rows) }

  /// Returns the first object after the offset, in the requested order; nil if there is none. Blocks the calling thread
  /// until it is read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func first() throws -> Element? { try limit(Swift.min(query.limit ?? 1, 1)).fetch().first }

  /// Returns the number of objects that `fetch` would return. Decodes no objects, and reads none if indexes suffice.
  /// Blocks the calling thread until they are counted.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func count() throws -> Int {
    var count = 0
    source.note(query.rows)
    try source.read(.swift(Element.self)) { connection, _ in
      count = try query.rows.count(on: connection, storage: source.storage)
    }
    return count
  }

  /// Returns true if `fetch` would return an object. Blocks the calling thread until the first one is found.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func exists() throws -> Bool {
    var exists = false
    source.note(query.rows)
    try source.read(.swift(Element.self)) { connection, _ in
      exists = try query.rows.exists(on: connection, storage: source.storage)
    }
    return exists
  }
}

extension QuerySource {
  /// Returns the result of a query on an entity's table.
  func fetch<Element: Atom>(_ query: RowQuery) throws -> FetchedResult<Element> {
    var objects: [Element] = []
    // Without a file there is no commit.
    var commitNumber: UInt64 = 0
    note(query)
    try read(.swift(Element.self)) { connection, number in
      commitNumber = number
      objects = try query.objects(on: connection, commitNumber: number, storage: storage)
    }
    return FetchedResult(objects, commitNumber: commitNumber, origin: ResultOrigin(EntityQuery(query), in: core.number))
  }
}
