/// Decides when an open group passes to the next transaction and when it commits (group commit). A stateless value.
package struct GroupPolicy: Sendable {
  /// The maximum number of transactions per COMMIT.
  package var maximumMembers = 256
  /// The age from which the group accepts no more transactions. Checked at the end of each transaction.
  package var maximumAge = Duration.milliseconds(4)

  package init() {}

  /// Returns true if the group passes to the next transaction, and false if it commits now.
  package func passesOn(members: Int, age: @autoclosure () -> Duration, othersWait: Bool) -> Bool {
    othersWait && members < maximumMembers && age() < maximumAge
  }
}
