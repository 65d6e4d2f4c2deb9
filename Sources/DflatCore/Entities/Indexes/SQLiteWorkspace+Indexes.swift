extension SQLiteWorkspace {
  /// Drops the indexes of a type's table that the type's schema doesn't have.
  ///
  ///     try workspace.removeUnusedIndexes(of: Post.self)
  ///
  /// Every program that writes to the file keeps every index that it has, so that programs with different schemas can share
  /// it. An index whose field isn't `indexed` any more costs time at each write until it is dropped here. A program that
  /// still wants it makes it anew.
  ///
  /// It waits for its turn as ``transactAndWait(_:_:)`` does, and throws what that throws.
  /// - Returns: The dropped indexes' names in the file, as `f10`.
  @discardableResult
  public func removeUnusedIndexes<Element: Atom>(of type: Element.Type) throws -> [String] {
    let entity = Element._entity
    return try transactAndWait([type]) { transaction in
      let group = try transaction.joinedGroup()
      return try group.reading { connection in
        let unused = try IndexCatalog.entries(of: entity, on: connection).filter { entry in
          !entity.indexes.contains { entry.isOver($0.path) }
        }
        for entry in unused { try IndexCatalog.drop(entry.path, of: entity, on: connection) }
        if !unused.isEmpty { group.hasChanges = true }
        return unused.map(\.path)
      }
    }
  }
}
