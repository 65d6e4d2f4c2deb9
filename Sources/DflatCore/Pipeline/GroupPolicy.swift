/// Decides when an open group passes to the next transaction and when it commits (group commit). A stateless value.
package struct GroupPolicy: Sendable {
  /// The maximum number of transactions per COMMIT.
  package var maximumMembers = 256
  /// The time that the first transaction waits for others to join. Checked at the end of each transaction.
  package var maximumAge = Duration.milliseconds(4)

  package init() {}

  /// Returns true if the group passes to the next transaction, and false if it commits now.
  package func passesOn(members: Int, age: @autoclosure () -> Duration, othersWait: Bool) -> Bool {
    othersWait && members < maximumMembers && age() < maximumAge
  }
}
