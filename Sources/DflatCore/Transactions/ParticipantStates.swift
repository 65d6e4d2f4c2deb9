/// The states that participants keep for a transaction or a group. A participant's state has a class of its own, which
/// identifies it. There are few states, so a list is faster than a dictionary.
package struct ParticipantStates {
  @usableFromInline var states: [(type: ObjectIdentifier, state: AnyObject)] = []

  package init() {}

  /// The state of a class, which has to be final; nil if there is none.
  ///
  /// Inlinable: participants are in other modules, and specialize it for their classes.
  @inlinable
  package subscript<State: AnyObject>(type: State.Type) -> State? {
    @inline(__always)
    get {
      for entry in states where entry.type == ObjectIdentifier(type) {
        // Only the setter adds entries, so the entry of a class holds an instance of it.
        return unsafeDowncast(entry.state, to: type)
      }
      return nil
    }
    set {
      states.removeAll { $0.type == ObjectIdentifier(type) }
      if let newValue { states.append((ObjectIdentifier(type), newValue)) }
    }
  }

  /// Returns the state of a class, and adds a new one if there is none.
  @inlinable
  @inline(__always)
  package mutating func state<State: AnyObject>(orAdding make: @autoclosure () -> State) -> State {
    if let found = self[State.self] { return found }
    let made = make()
    states.append((ObjectIdentifier(State.self), made))
    return made
  }

  /// Returns a closure that restores the current states. It drops states that are added later.
  package func undoPoint() -> (inout ParticipantStates) -> Void {
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
