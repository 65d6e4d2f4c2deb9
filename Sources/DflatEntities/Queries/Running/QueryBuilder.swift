import DflatCore

/// A query on one type that `where` and `all` run; created by `fetch(for:)`.
///
///     let posts = workspace.fetch(for: Post.self).where(Post.priority > 3, limit: .limit(10))
///
/// A plain value that can be run any number of times. If reading fails, the result is empty, and the workspace's
/// log and error handler receive the error; after shutdown, it is empty without a report. `query(for:)` throws errors
/// instead. Like a ``Query``, it blocks the calling thread until the objects are read.
public struct QueryBuilder<Element: Atom>: Sendable {
  private let source: QuerySource

  init(_ source: QuerySource) { self.source = source }

  /// Returns the objects for which a predicate is true: neither false nor unknown. Blocks the calling thread until they
  /// are read.
  ///
  /// - Parameters:
  ///   - query: The predicate.
  ///   - limit: The maximum number of objects, the first ones in the requested order.
  ///   - offset: The number of objects to skip at the beginning; a negative number counts as 0.
  ///   - orderBy: The sort keys. Objects with equal keys are in the order of their insertion.
  public func `where`<T: Expr>(
    _ query: T, limit: Limit = .noLimit, offset: Int = 0, orderBy: [OrderBy<Element>] = []
  ) -> FetchedResult<Element> where T.ResultType == Bool, T.Element == Element {
    run(query.node, orderBy: orderBy, limit: limit, offset: offset)
  }

  /// Returns all objects. Blocks the calling thread until they are read.
  public func all(
    limit: Limit = .noLimit, offset: Int = 0, orderBy: [OrderBy<Element>] = []
  ) -> FetchedResult<Element> {
    run(nil, orderBy: orderBy, limit: limit, offset: offset)
  }

  /// Returns the first object for which a predicate is true, in the requested order. Blocks the calling thread until it
  /// is read.
  public func first<T: Expr>(
    where query: T, orderBy: [OrderBy<Element>] = []
  ) -> Element? where T.ResultType == Bool, T.Element == Element {
    self.where(query, limit: .limit(1), orderBy: orderBy).first
  }

  /// Returns the first of all objects, in the requested order. Blocks the calling thread until it is read.
  public func first(orderBy: [OrderBy<Element>] = []) -> Element? { all(limit: .limit(1), orderBy: orderBy).first }

  /// Returns the number of objects for which a predicate is true. Blocks the calling thread until they are counted.
  public func count<T: Expr>(where query: T) -> Int where T.ResultType == Bool, T.Element == Element {
    reporting { try Query<Element>(source, EntityQuery(query.node)).count() } ?? 0
  }

  /// Returns the number of objects. Blocks the calling thread until they are counted.
  public func count() -> Int { reporting { try Query<Element>(source, EntityQuery()).count() } ?? 0 }

  /// Returns true if there is an object. Blocks the calling thread until one is found.
  public func exists() -> Bool { reporting { try Query<Element>(source, EntityQuery()).exists() } ?? false }

  /// Returns true if there is an object for which a predicate is true. Blocks the calling thread until one is found.
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
      // The result shows no commit, so that an observer of it receives the current objects.
      return FetchedResult([], commitNumber: 0, origin: ResultOrigin(EntityQuery(query), in: source.core.number))
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
