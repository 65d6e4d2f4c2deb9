import DflatCore

/// The work of bringing one index of the file to completeness, in steps that are parts of groups.
protocol BackgroundFill: Sendable {
  /// Identifies the index in the queue.
  var key: IndexFillQueue.Key { get }

  /// Performs one step in an open group. If the group isn't committed, the next step needs a new value.
  mutating func step(in group: Group) throws -> IndexFill.Outcome

  /// Reports the rows that could not be read.
  mutating func reportDamage(to damagedRows: DamagedRows)

  /// Returns what a step's outcome means for the queue.
  func outcome(of step: IndexFill.Outcome) -> IndexFillQueue.Outcome

  /// Returns the error that the finished work found, or nil.
  func report(path: String) -> WorkspaceError?
}

extension IndexFill {
  var key: IndexFillQueue.Key { job.key }
}
