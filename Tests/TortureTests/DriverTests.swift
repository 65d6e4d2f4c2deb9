import Foundation
import TestSupport
import Testing

@testable import torture

/// The reports of the torture driver, also on machines that fail.
@Suite struct DriverTests {
  private func replay(_ seed: Int, in folder: TemporaryDirectory) throws -> (ChildProcess.Ending, String) {
    let child = try ChildProcess(
      try BuiltExecutable.url(named: "torture"),
      ["--machine", "broken", "--seed", "\(seed)", "--keep", folder.path])
    let output = try child.remainingLines().joined(separator: "\n")
    return (try child.wait(), output)
  }

  @Test(
    "A failing round is reported with its replay command, and its files are kept",
    arguments: [
      (1, ["Two numbers are found.", "[17, 71]"]), (2, ["The round threw Unforeseen()."]),
      (3, ["The process ended by signal("]), (4, ["The round did not end within 2 seconds."]),
    ])
  func findings(seed: Int, messages: [String]) throws {
    let folder = try TemporaryDirectory("torture-tests")
    let (ending, output) = try replay(seed, in: folder)
    #expect(ending == .exit(1))
    for message in messages { #expect(output.contains(message)) }
    #expect(output.contains("make torture MACHINE=broken SEED=\(seed)"))
    let kept = try FileManager.default.subpathsOfDirectory(atPath: "\(folder.path)/broken-\(seed)")
    #expect(kept.contains { $0.hasSuffix("/file") }, "\(kept)")
    #expect(kept.contains("FINDING.txt"), "\(kept)")
  }

  @Test("A replay that finds nothing reports the number of its rounds")
  func nothing() throws {
    let folder = try TemporaryDirectory("torture-tests")
    let (ending, output) = try replay(6, in: folder)
    #expect(ending == .exit(0))
    #expect(output.contains("seed 6 finds nothing; 3 rounds"))
  }

  @Test("A report replaces the table in the document and lists its findings")
  func table() throws {
    var tally = MachineTally(machine: BrokenMachine.self)
    tally.units = 1_234_567
    tally.seconds = 12
    tally.add(note: "once")
    tally.add(note: "once")
    tally.findings = [.init(seed: 9, finding: Finding("a | b"), folder: "-")]
    let plan = Conductor.Plan(machines: [BrokenMachine.self], seconds: 3_600, seed: 7, jobs: 2, keptFolder: "-")
    let report = Report(tallies: [tally], plan: plan)
    #expect(report.hasFindings)
    let folder = try TemporaryDirectory("torture-tests")
    let path = folder.file("page.md")
    let before = "above\n<!-- torture: begin -->\nold\n<!-- torture: end -->\nbelow\n"
    try before.write(toFile: path, atomically: true, encoding: .utf8)
    try report.write(to: path)
    let after = try String(contentsOfFile: path, encoding: .utf8)
    #expect(after.hasPrefix("above\n<!-- torture: begin -->\n"))
    #expect(after.hasSuffix("\n<!-- torture: end -->\nbelow\n"))
    #expect(!after.contains("old"))
    #expect(after.contains("| `broken` | 1,234,567 rounds | 0 | 12 s | seed 9: a \\| b |"))
    #expect(after.components(separatedBy: "once").count == 2)
    try "no marks".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(throws: Report.NoMarks.self) { try report.write(to: path) }
  }

  @Test("Shrinking leaves a case from which nothing can be removed")
  func shrinking() {
    var tries = 0
    let steps = shrunk(Array(0..<1_000)) {
      tries += 1
      return Set([3, 500, 999]).isSubset(of: $0)
    }
    #expect(steps == [3, 500, 999])
    #expect(tries <= 500)
    #expect(shrunk([1, 2, 3]) { !$0.isEmpty }.count == 1)
    #expect(shrunk([1, 2, 3]) { _ in true }.isEmpty)
  }
}
