import DflatKV
public import DflatCore

/// What `publisher(for: Post.self)` gives: `where` and `all` make it a publisher of a query.
///
/// It is a plain value that reads nothing.
public struct QueryPublisherBuilder<Element: Atom>: Sendable {
  let workspace: any Workspace

  /// Publishes the objects for which a predicate is true: not false, and not unknown.
  ///
  /// - Parameters:
  ///   - query: What is asked of them.
  ///   - limit: How many there are at most: the first ones in the asked order.
  ///   - offset: How many of the first ones are left out; a negative number is 0.
  ///   - orderBy: What they are sorted by; then, and without it, by the order of insertion.
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
    return QueryPublisher { [workspace, query] outlet in
      guard workspace.core.isOpen else {
        outlet.end()
        return nil
      }
      let result = query.fetchCommitted()
      outlet.offer(result)
      guard outlet.isOpen else { return nil }
      // What was committed since is told as the first change: nothing is lost between the two (A4).
      return workspace.observe(fetchedResult: result, onEnd: { outlet.end() }) { outlet.offer($0) }
    }
  }
}
