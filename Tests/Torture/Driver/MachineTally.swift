/// The results of a machine in this run.
struct MachineTally {
  struct Found {
    var seed: UInt64
    var finding: Finding
    /// The folder with the finding's files.
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

  /// The number of findings after which a machine stops. The rest of its time is unused.
  static let mostFindings = 5

  var isOver: Bool { skipped != nil || findings.count >= Self.mostFindings }

  mutating func add(note: String) {
    if !notes.contains(note) { notes.append(note) }
  }

  /// Number of times each counted event happened, with those of the machine's list first. Nil if nothing was counted.
  var countsNote: String? {
    if counts.isEmpty { return nil }
    let names = machine.counted + counts.keys.filter { !machine.counted.contains($0) }.sorted()
    return names.map { "\($0) \(counts[$0, default: 0])" }.joined(separator: ", ")
  }

  /// Events that the machine should have reached in a full run, but did not.
  var missed: [String] { units < machine.goal ? [] : machine.counted.filter { counts[$0] == nil } }
}
