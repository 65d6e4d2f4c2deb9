import DflatUserDefaults

/// Copies the values of the earlier program, once. The values and the mark commit together, or not at all.
func moveFromUserDefaults(to workspace: SQLiteWorkspace) throws {
  let moved: UserDefaultsTransfer? = try workspace.transactAndWait { txn in
    guard !txn.dictionary[.hasMoved] else { return nil }
    let moved = try txn.dictionary.importValues(from: .suite("player-example"))
    txn.dictionary[.hasMoved] = true
    return moved
  }
  guard let moved else { return }
  for key in moved.written.sorted() { print("moved \(key)") }
  for problem in moved.skipped { print(problem) }
}
