/// A queue of the transactions that declared one type.
package enum Lane: Hashable, Sendable {
  /// A lane of a participant. Types that share a table, for example, share its lane.
  case participant(recordKind: UInt8, number: Int)
  /// The lane of a type that no participant knows.
  case type(ObjectIdentifier)
  /// The lane of the transactions that declare no type.
  case undeclared
  /// The one lane of a `.serial` workspace.
  case serial
}
