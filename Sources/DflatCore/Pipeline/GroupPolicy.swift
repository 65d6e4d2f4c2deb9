/// When the open SQLite transaction is handed on and when it is committed (group commit). A value without state.
package struct GroupPolicy: Sendable {
  /// Transactions that one COMMIT carries at most.
  package var maximumMembers = 256
  /// How long the first of them waits for its COMMIT while others join, at the ends of transactions.
  package var maximumAge = Duration.milliseconds(4)

  package init() {}

  package func handsOn(members: Int, age: @autoclosure () -> Duration, othersWait: Bool) -> Bool {
    othersWait && members < maximumMembers && age() < maximumAge
  }
}
