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
}
