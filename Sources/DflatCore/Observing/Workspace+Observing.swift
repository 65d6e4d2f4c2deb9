extension Workspace {
  /// Returns an observation of everything that a closure reads: keys, ranges of keys, and queries.
  ///
  ///     let subscription = workspace.observe { reader in
  ///       reader.dictionary["unread", default: 0] + reader.fetch(for: Post.self).count(where: Post.color == .red)
  ///     }.subscribe { total in
  ///       print(total)
  ///     }
  ///
  /// Nothing is read before a subscription begins. ``WorkspaceObservation`` describes what it delivers, on which
  /// thread, and what the closure may do.
  ///
  /// - Parameter read: Reads, and returns the value. It runs again after each commit that may change the value.
  public func observe<Value: Equatable & Sendable>(
    _ read: @escaping @Sendable (_ reader: WorkspaceReader) throws -> Value
  ) -> WorkspaceObservation<Value> {
    WorkspaceObservation(of: self, read) { $0 == $1 }
  }

  /// Returns an observation of two values, which are delivered together, as of one commit.
  ///
  ///     for try await (theme, posts) in workspace.observe({ reader in
  ///       (reader.dictionary[.theme], reader.fetch(for: Post.self).where(Post.priority > 3))
  ///     }).values() { … }
  ///
  /// - Parameter read: Reads, and returns the values. It runs again after each commit that may change them.
  public func observe<A: Equatable & Sendable, B: Equatable & Sendable>(
    _ read: @escaping @Sendable (_ reader: WorkspaceReader) throws -> (A, B)
  ) -> WorkspaceObservation<(A, B)> {
    WorkspaceObservation(of: self, read) { $0 == $1 }
  }

  /// Returns an observation of three values, which are delivered together, as of one commit.
  ///
  /// - Parameter read: Reads, and returns the values. It runs again after each commit that may change them.
  public func observe<A: Equatable & Sendable, B: Equatable & Sendable, C: Equatable & Sendable>(
    _ read: @escaping @Sendable (_ reader: WorkspaceReader) throws -> (A, B, C)
  ) -> WorkspaceObservation<(A, B, C)> {
    WorkspaceObservation(of: self, read) { $0 == $1 }
  }

  /// Returns an observation of four values, which are delivered together, as of one commit. Use a struct for more.
  ///
  /// - Parameter read: Reads, and returns the values. It runs again after each commit that may change them.
  public func observe<A, B, C, D>(
    _ read: @escaping @Sendable (_ reader: WorkspaceReader) throws -> (A, B, C, D)
  ) -> WorkspaceObservation<(A, B, C, D)>
  where A: Equatable & Sendable, B: Equatable & Sendable, C: Equatable & Sendable, D: Equatable & Sendable {
    WorkspaceObservation(of: self, read) { $0 == $1 }
  }
}
