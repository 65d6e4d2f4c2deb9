/// Damage found by a check.
package struct IntegrityProblem: Sendable {
  /// The description of the damage, one line.
  package let line: String
  /// True if a repair rebuilds the damaged part.
  package let isRepairable: Bool

  package init(line: String, isRepairable: Bool) {
    self.line = line
    self.isRepairable = isRepairable
  }
}
