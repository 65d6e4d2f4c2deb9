import DflatKV
public import DflatEntities

/// Creates publishers of queries on one type, by `where` and `all`. `publisher(for: Post.self)` returns it.
///
/// A plain value that reads nothing by itself.
public struct QueryPublisherBuilder<Element: Atom>: Sendable {
  let workspace: any Workspace

  /// Publishes the objects for which a predicate is true: neither false nor unknown.
  ///
  /// - Parameters:
  ///   - query: The predicate.
  ///   - limit: The maximum number of objects, the first ones in the requested order.
  ///   - offset: The number of objects to skip at the beginning; a negative number counts as 0.
  ///   - orderBy: The sort keys. Objects with equal keys are in the order of their insertion.
  public func `where`<T: Expr>(
    _ query: T, limit: Limit = .noLimit, offset: Int = 0, orderBy: [OrderBy<Element>] = []
  ) -> QueryPublisher<Element> where T.ResultType == Bool, T.Element == Element {
    publisher(workspace.query(for: Element.self).where(query), limit, offset, orderBy)
  }

  /// Publishes all objects.
  public func all(
    limit: Limit = .noLimit, offset: Int = 0, orderBy: [OrderBy<Element>] = []
  ) -> QueryPublisher<Element> {
    publisher(workspace.query(for: Element.self), limit, offset, orderBy)
  }

  private func publisher(
    _ all: Query<Element>, _ limit: Limit, _ offset: Int, _ orderBy: [OrderBy<Element>]
  ) -> QueryPublisher<Element> {
    var query = all.offset(offset).orderBy(orderBy)
    if case .limit(let count) = limit { query = query.limit(count) }
    return QueryPublisher { [workspace, query] sink in
      guard workspace.core.isOpen else {
        sink.end()
        return nil
      }
      let result = query.fetchCommitted()
      sink.offer(result)
      guard sink.isOpen else { return nil }
      // The first change includes all commits since the fetch, so that none is lost in between (A4).
      return workspace.observe(fetchedResult: result, onEnd: { sink.end() }) { sink.offer($0) }
    }
  }
}
