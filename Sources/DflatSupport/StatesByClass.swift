/// The states that several modules keep in one place. Each is an instance of a class of its module, which identifies
/// it. There are few states, so a list is faster than a dictionary.
@usableFromInline
package struct StatesByClass {
  @usableFromInline package typealias Entry = (type: ObjectIdentifier, state: AnyObject)

  /// Only this type's functions add entries, so the entry of a class holds an instance of it.
  @usableFromInline package var entries: [Entry] = []

  package init() {}

  /// The state of a class, which has to be final; nil if there is none.
  ///
  /// Inlinable: other modules specialize it for their classes.
  @inlinable
  package subscript<State: AnyObject>(type: State.Type) -> State? {
    @inline(__always)
    get {
      for entry in entries where entry.type == ObjectIdentifier(type) {
        return unsafeDowncast(entry.state, to: type)
      }
      return nil
    }
    set {
      entries.removeAll { $0.type == ObjectIdentifier(type) }
      if let newValue { entries.append((ObjectIdentifier(type), newValue)) }
    }
  }

  /// Returns the state of a class, and adds a new one if there is none.
  @inlinable
  @inline(__always)
  package mutating func state<State: AnyObject>(orAdding make: @autoclosure () -> State) -> State {
    if let found = self[State.self] { return found }
    let made = make()
    entries.append((ObjectIdentifier(State.self), made))
    return made
  }
}
