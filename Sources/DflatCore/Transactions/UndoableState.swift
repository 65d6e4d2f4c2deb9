package import DflatSupport

/// A participant's state for a transaction that supports undoing a part of the transaction.
package protocol UndoableState: AnyObject {
  /// Returns a closure that restores the current state.
  func undoPoint() -> () -> Void
}

extension StatesByClass {
  /// Returns a closure that restores the current states. It drops states that are added later.
  package func undoPoint() -> (inout StatesByClass) -> Void {
    let kept = entries
    let undo = entries.map { ($0.state as? any UndoableState)?.undoPoint() }
    return { states in
      states.entries = kept
      for undo in undo { undo?() }
    }
  }
}
