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
  var counts: [String: Int] = [:]
  var skipped: String?

  /// A machine that finds this much has made its point; the rest of its time goes unused.
  static let mostFindings = 5

  var isOver: Bool { skipped != nil || findings.count >= Self.mostFindings }

  mutating func add(note: String) {
    if !notes.contains(note) { notes.append(note) }
  }

  /// How often each thing that is counted happened, those of the machine's list first; nil when nothing was counted.
  var countsNote: String? {
    if counts.isEmpty { return nil }
    let names = machine.counted + counts.keys.filter { !machine.counted.contains($0) }.sorted()
    return names.map { "\($0) \(counts[$0, default: 0])" }.joined(separator: ", ")
  }

  /// What the machine should have come by, having done what a full run does, and did not.
  var missed: [String] { units < machine.goal ? [] : machine.counted.filter { counts[$0] == nil } }
}
