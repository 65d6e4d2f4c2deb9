/// What a machine did in this run.
struct MachineTally {
  struct Found {
    var seed: UInt64
    var finding: Finding
    /// Where the files are.
    var folder: String
  }

  let machine: any Machine.Type
  var units = 0
  var rounds = 0
  var seconds = 0.0
  var firstSeed: UInt64?
  var findings: [Found] = []
  var notes: [String] = []
  var skipped: String?

  /// A machine that finds this much has made its point; the rest of its time goes unused.
  static let mostFindings = 5

  var isOver: Bool { skipped != nil || findings.count >= Self.mostFindings }

  mutating func add(note: String) {
    if !notes.contains(note) { notes.append(note) }
  }
}
