public import DflatCore

extension SQLiteWorkspace {
  /// Drops the indexes of a type's table that the type's schema doesn't have, full-text indexes included.
  ///
  ///     try workspace.removeUnusedIndexes(of: Post.self)
  ///
  /// Every program maintains every index in the file, so that programs with different schemas can share it. An index
  /// whose field is no longer `indexed` slows each write until it is dropped here. A program that still wants the index
  /// creates it again.
  ///
  /// Blocks the calling thread until the transaction is committed and its observers have run, as
  /// ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)`` does.
  ///
  /// - Returns: The names of the dropped indexes in the file, such as `f10`, or `f6+f10` for several
  ///   fields.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.corrupt` if the file's list of indexes is damaged; the other
  ///   errors of ``/DflatCore/SQLiteWorkspace/transactAndWait(_:_:)``.
  @discardableResult
  public func removeUnusedIndexes<Element: Atom>(of type: Element.Type) throws -> [String] {
    let entity = Element._entity
    return try transactAndWait([type]) { transaction in
      let group = try transaction.joinedGroup()
      return try group.reading { connection in
        try SchemaCatalog.requireCompatibility(of: entity, on: connection)
        let unused = try IndexCatalog.entries(of: entity, on: connection).filter { entry in
          !entity.indexes.contains { entry.isOver($0.paths) } && entity.search.map(entry.isOver) != true
        }
        for entry in unused { try IndexCatalog.drop(entry.path, of: entity, on: connection) }
        if !unused.isEmpty { group.hasChanges = true }
        return unused.map(\.path)
      }
    }
  }
}
