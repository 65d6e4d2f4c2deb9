/// What participants keep for a transaction or a group, by their record kind. There are few: a list is faster than a table.
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

  /// What brings the participants' states back to what they are now. Those that come later are dropped.
  func undoPoint() -> (inout ParticipantStates) -> Void {
    let kept = states
    let undo = states.map { ($0.state as? any UndoableState)?.undoPoint() }
    return { states in
      states.states = kept
      for undo in undo { undo?() }
    }
  }
}

/// What a participant keeps for a transaction, when a part of the transaction can be undone.
package protocol UndoableState: AnyObject {
  /// What brings it back to what it is now.
  func undoPoint() -> () -> Void
}
