import DflatCore

extension TransactionEntities {
  /// Returns the insertion that new objects belong to.
  func insertion(in workspace: SerialNumber) -> EntityInsertion {
    if let open = insertions.last, insertions.count > closedInsertions { return open }
    let made = EntityInsertion(in: workspace)
    insertions.append(made)
    return made
  }
}

extension GroupEntities {
  /// Adopts a transaction's insertions into the group.
  func merge(_ insertions: [EntityInsertion]) {
    for insertion in insertions { insertion.becomeAdopted() }
    self.insertions += insertions
  }

  /// Marks the insertions as committed.
  func commitInsertions() {
    for insertion in insertions { insertion.becomeCommitted() }
  }

  /// Marks the insertions as undone, because the group failed.
  func undoInsertions() {
    for insertion in insertions { insertion.becomeUndone() }
  }
}
