/// A query as a value: made step by step, run as often as wanted, on any thread.
///
///     let urgent = workspace.query(for: Post.self).where(Post.priority > 100).orderBy(Post.title.ascending)
///     let page = try urgent.offset(20).limit(10).fetch()
///     let titles = try urgent.select(Post.title)
///
/// It reads the newest commit at each run; in a snapshot what that shows; in a transaction's closure what the transaction
/// has submitted as well, of types that it declared.
///
/// A stored object that is damaged is left out, and the workspace's error handler is told of it once (`.undecodable`). What
/// is answered without looking at the objects, as `count` of all and rows that an offset skips, counts it.
///
/// What runs it throws ``WorkspaceError``: `.undeclaredType`, `.shutdown`, `.aborted` in a transaction that is over, and errors of the file.
public struct Query<Element: Atom>: Sendable {
  let source: QuerySource
  private(set) var query: EntityQuery<Element>

  init(_ source: QuerySource, _ query: EntityQuery<Element>) {
    self.source = source
    self.query = query
  }

  // MARK: Making

  /// Only objects for which a predicate is true; asked again, those for which both are.
  public func `where`<T: Expr>(_ predicate: T) -> Query where T.ResultType == Bool, T.Element == Element {
    changed { $0.predicate = $0.predicate.map { .and($0, predicate.node) } ?? predicate.node }
  }

  /// Sorted by these keys, then by the order of insertion. It replaces an earlier order.
  public func orderBy(_ orders: OrderBy<Element>...) -> Query { orderBy(orders) }

  /// Sorted by these keys, then by the order of insertion. It replaces an earlier order.
  public func orderBy(_ orders: [OrderBy<Element>]) -> Query { changed { $0.orders = orders.map { $0.order } } }

  /// At most so many, the first ones in the asked order; none for 0 and less.
  public func limit(_ count: Int) -> Query { changed { $0.limit = max(count, 0) } }

  /// Without so many of the first ones in the asked order; a negative number is 0.
  public func offset(_ count: Int) -> Query { changed { $0.offset = max(count, 0) } }

  private func changed(_ change: (inout EntityQuery<Element>) -> Void) -> Query {
    var copy = self
    change(&copy.query)
    return copy
  }

  // MARK: Running

  /// The objects.
  public func fetch() throws -> FetchedResult<Element> { try source.fetch(query.rows) }

  /// The first object in the asked order, after those of the offset; nil if there is none.
  public func first() throws -> Element? { try limit(min(query.limit ?? 1, 1)).fetch().first }

  /// How many objects `fetch` would give. Nothing is decoded; where indexes answer it, no object is read.
  public func count() throws -> Int {
    var count = 0
    try source.read(Element.self) { connection, _ in count = try query.rows.count(on: connection, core: source.core) }
    return count
  }

  /// Whether `fetch` would give an object. Reading ends with the first one.
  public func exists() throws -> Bool {
    var exists = false
    try source.read(Element.self) { connection, _ in
      exists = try query.rows.exists(on: connection, core: source.core)
    }
    return exists
  }
}

extension QuerySource {
  /// The result of a query on an entity's table.
  func fetch<Element: Atom>(_ query: RowQuery) throws -> FetchedResult<Element> {
    var objects: [Element] = []
    // Where there is no file, it shows no commit.
    var commitNumber: UInt64 = 0
    try read(Element.self) { connection, number in
      commitNumber = number
      objects = try query.objects(on: connection, commitNumber: number, core: core)
    }
    return FetchedResult(objects, commitNumber: commitNumber, origin: ResultOrigin(EntityQuery(query), in: core))
  }
}
