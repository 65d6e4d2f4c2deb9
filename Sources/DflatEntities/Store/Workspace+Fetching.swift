public import DflatCore

extension Queryable {
  /// Returns a query on one type of objects. Reads nothing until the query runs.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.priority > 100 && Post.color == .red)
  ///
  /// The query reads the newest commit, on any thread. Inside a snapshot, it reads the snapshot's commit; inside a
  /// transaction's closure, it also sees the changes that the transaction has submitted, and the transaction must have
  /// declared the type.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> {
    QueryBuilder(QuerySource(self, storage: EntityStore.lazyStorage(of: core)))
  }
}

extension Workspace {
  /// Returns a query on one type of objects that throws errors.
  ///
  ///     let posts = try workspace.query(for: Post.self).where(Post.priority > 100).limit(10).fetch()
  public func query<Element: Atom>(for ofType: Element.Type) -> Query<Element> {
    Query(QuerySource(self, storage: EntityStore.lazyStorage(of: core)), EntityQuery())
  }
}

extension WorkspaceReader {
  /// Returns a query on one type of objects that throws errors.
  ///
  ///     let count = workspace.observe { reader in try reader.query(for: Post.self).where(Post.priority > 3).count() }
  public func query<Element: Atom>(for ofType: Element.Type) -> Query<Element> {
    Query(QuerySource(self, storage: EntityStore.lazyStorage(of: core)), EntityQuery())
  }
}

extension TransactionContext {
  /// Returns a query on one declared type, which sees the changes that the transaction has submitted.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> {
    QueryBuilder(QuerySource(self, storage: EntityStore.lazyStorage(of: core)))
  }

  /// Returns a query on one declared type that throws errors.
  public func query<Element: Atom>(for ofType: Element.Type) -> Query<Element> {
    Query(QuerySource(self, storage: EntityStore.lazyStorage(of: core)), EntityQuery())
  }
}
