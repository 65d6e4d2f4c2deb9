/// The states that participants keep for a transaction or a group, by record kind. There are few of them, so a list is
/// faster than a dictionary.
package struct ParticipantStates {
  private var states: [(kind: UInt8, state: AnyObject)] = []

  package init() {}

  package subscript(kind: UInt8) -> AnyObject? {
    get { states.first { $0.kind == kind }?.state }
    set {
      states.removeAll { $0.kind == kind }
      if let newValue { states.append((kind, newValue)) }
    }
  }

  /// Returns a closure that restores the current states. It drops states that are added later.
  func undoPoint() -> (inout ParticipantStates) -> Void {
    let kept = states
    let undo = states.map { ($0.state as? any UndoableState)?.undoPoint() }
    return { states in
      states.states = kept
      for undo in undo { undo?() }
    }
  }
}

/// A participant's state for a transaction that supports undoing a part of the transaction.
package protocol UndoableState: AnyObject {
  /// Returns a closure that restores the current state.
  func undoPoint() -> () -> Void
}
