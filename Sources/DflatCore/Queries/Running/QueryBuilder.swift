/// What `fetch(for:)` gives: a query on one type that is run by `where` and `all`.
///
///     let posts = workspace.fetch(for: Post.self).where(Post.priority > 3, limit: .limit(10))
///
/// It is a plain value: one that is never run, or run again, is harmless. Where reading fails the result is empty, and the
/// error goes to the workspace's log and error handler; `query(for:)` has the same with errors that are thrown.
public struct QueryBuilder<Element: Atom>: Sendable {
  private let source: QuerySource

  init(_ source: QuerySource) { self.source = source }

  /// The objects for which a predicate is true: not false, and not unknown.
  ///
  /// - Parameters:
  ///   - query: What is asked of them.
  ///   - limit: How many there are at most: the first ones in the asked order.
  ///   - offset: How many of the first ones are left out; a negative number is 0.
  ///   - orderBy: What they are sorted by; then, and without it, by the order of insertion.
  public func `where`<T: Expr>(
    _ query: T, limit: Limit = .noLimit, offset: Int = 0, orderBy: [OrderBy<Element>] = []
  ) -> FetchedResult<Element> where T.ResultType == Bool, T.Element == Element {
    run(query.node, orderBy: orderBy, limit: limit, offset: offset)
  }

  /// All objects.
  public func all(
    limit: Limit = .noLimit, offset: Int = 0, orderBy: [OrderBy<Element>] = []
  ) -> FetchedResult<Element> {
    run(nil, orderBy: orderBy, limit: limit, offset: offset)
  }

  /// The first object for which a predicate is true, in the asked order.
  public func first<T: Expr>(
    where query: T, orderBy: [OrderBy<Element>] = []
  ) -> Element? where T.ResultType == Bool, T.Element == Element {
    self.where(query, limit: .limit(1), orderBy: orderBy).first
  }

  /// The first of all objects, in the asked order.
  public func first(orderBy: [OrderBy<Element>] = []) -> Element? { all(limit: .limit(1), orderBy: orderBy).first }

  /// How many objects there are for which a predicate is true.
  public func count<T: Expr>(where query: T) -> Int where T.ResultType == Bool, T.Element == Element {
    reporting { try Query<Element>(source, EntityQuery(query.node)).count() } ?? 0
  }

  /// How many objects there are.
  public func count() -> Int { reporting { try Query<Element>(source, EntityQuery()).count() } ?? 0 }

  /// Whether there is an object.
  public func exists() -> Bool { reporting { try Query<Element>(source, EntityQuery()).exists() } ?? false }

  /// Whether there is an object for which a predicate is true.
  public func exists<T: Expr>(where query: T) -> Bool where T.ResultType == Bool, T.Element == Element {
    reporting { try Query<Element>(source, EntityQuery(query.node)).exists() } ?? false
  }

  private func run(
    _ predicate: QueryNode?, orderBy: [OrderBy<Element>], limit: Limit, offset: Int
  ) -> FetchedResult<Element> {
    let orders = orderBy.isEmpty ? [] : orderBy.map { $0.order }
    let query = RowQuery(Element._entity, predicate, orderBy: orders, limit: limit.count, offset: offset)
    do { return try source.fetch(query) } catch {
      report(error)
      // An empty result of no commit: whoever observes it is told what there is.
      return FetchedResult([], commitNumber: 0, origin: ResultOrigin(EntityQuery(query), in: source.core))
    }
  }

  private func report(_ error: any Error) {
    let wrapped = WorkspaceError.wrapping(error, path: source.core.path, doing: "Reading")
    // After shutdown there is nothing to read, and nothing to report.
    if wrapped.code != .shutdown { source.core.report(wrapped) }
  }

  private func reporting<T>(_ body: () throws -> T) -> T? {
    do { return try body() } catch {
      report(error)
      return nil
    }
  }
}

extension Workspace {
  /// A query on one type of objects. Nothing is read before `where` or `all`.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.priority > 100 && Post.color == .red)
  ///
  /// It reads the newest commit, on any thread; in a snapshot what that shows; in a transaction's closure what the
  /// transaction has submitted as well, of types that it declared.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> {
    QueryBuilder(QuerySource(self))
  }

  /// A query on one type of objects, whose errors are thrown.
  ///
  ///     let posts = try workspace.query(for: Post.self).where(Post.priority > 100).limit(10).fetch()
  public func query<Element: Atom>(for ofType: Element.Type) -> Query<Element> {
    Query(QuerySource(self), EntityQuery())
  }
}

extension TransactionContext {
  /// A query on one declared type, which sees what the transaction has submitted.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> {
    QueryBuilder(QuerySource(self))
  }

  /// A query on one declared type, whose errors are thrown.
  public func query<Element: Atom>(for ofType: Element.Type) -> Query<Element> {
    Query(QuerySource(self), EntityQuery())
  }
}
