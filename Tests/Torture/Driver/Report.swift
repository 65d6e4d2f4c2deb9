import DflatSQLite
import Foundation
import TestSupport

/// The results of a run as a table.
struct Report {
  let tallies: [MachineTally]
  let plan: Conductor.Plan

  /// Returns the command that runs a seed again.
  static func replay(_ machine: any Machine.Type, _ seed: UInt64) -> String {
    "make torture MACHINE=\(machine.name) SEED=\(seed)"
  }

  var hasFindings: Bool { tallies.contains { !$0.findings.isEmpty } }

  var table: String {
    var lines = ["| machine | checked | goal | time | findings |", "|---|--:|--:|--:|---|"]
    for tally in tallies {
      let machine = tally.machine
      let goal = plan.goal(of: machine)
      let findings = tally.findings.map { "seed \($0.seed): \($0.finding.message)" }.joined(separator: "; ")
      let outcome = tally.skipped.map { "skipped: \($0)" } ?? (findings.isEmpty ? "none" : findings)
      lines.append(
        "| `\(machine.name)` | \(Self.grouped(tally.units)) \(machine.unit) | \(Self.grouped(goal)) "
          + "| \(Int(tally.seconds.rounded())) s | \(outcome.replacing("|", with: "\\|")) |")
    }
    return lines.joined(separator: "\n")
  }

  var notes: [String] {
    tallies.flatMap { tally in
      (tally.notes + [tally.countsNote].compactMap { $0 }).map { "`\(tally.machine.name)`: \($0)" }
    }
  }

  /// The table with the information that is needed to judge it.
  var markdown: String {
    let day = Date().formatted(.iso8601.year().month().day())
    let minutes = Int((plan.seconds / 60).rounded())
    let extra = plan.reachesGoals ? ", then those below their goals until they reached them" : ""
    var text = "\(day), \(minutes) minutes\(extra), \(plan.jobs) machines at a time; seed \(plan.seed).\n"
    text += "\(Self.versions).\n\n\(table)\n"
    if !notes.isEmpty { text += "\n" + notes.map { "- \($0)\n" }.joined() }
    return text
  }

  /// Replaces the text between the marks in the document.
  func write(to path: String) throws {
    let document = try String(contentsOfFile: path, encoding: .utf8)
    guard let begin = document.range(of: Self.begin),
      let end = document.range(of: Self.end, range: begin.upperBound..<document.endIndex)
    else { throw NoMarks(description: "\(path) has no lines \(Self.begin) and \(Self.end)") }
    let new = document[..<begin.upperBound] + "\n\(markdown)" + document[end.lowerBound...]
    try new.write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Thrown by `write` for a document without the marks.
  struct NoMarks: Error, CustomStringConvertible {
    let description: String
  }

  private static let begin = "<!-- torture: begin -->"
  private static let end = "<!-- torture: end -->"

  /// Read once: the report of the first hour changes a document of the commit.
  private static let versions: String = {
    var names = utsname()
    uname(&names)
    let kernel = withUnsafeBytes(of: names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let system = withUnsafeBytes(of: names.sysname) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let swift = output(of: "swift", "--version").flatMap { $0.firstMatch(of: /Swift version ([0-9.]+)/)?.output.1 }
    let commit = output(of: "git", "describe", "--always", "--dirty", "--exclude=*")
    return [
      "Commit \(commit ?? "unknown")", "Swift \(swift ?? "unknown")", "SQLite \(SQLiteLibrary.version)",
      "\(system) \(kernel)", "\(ProcessInfo.processInfo.activeProcessorCount) cores",
    ].joined(separator: ", ")
  }()

  private static func output(of command: String...) -> String? {
    guard let child = try? ChildProcess(URL(fileURLWithPath: "/usr/bin/env"), command) else { return nil }
    child.closeInput()
    guard let lines = try? child.remainingLines(), (try? child.wait()) == .exit(0) else { return nil }
    return lines.joined(separator: "\n")
  }

  /// Formats 1234567 as 1,234,567.
  private static func grouped(_ number: Int) -> String {
    var text = String(number)
    var place = text.count - 3
    while place > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
      place -= 3
    }
    return text
  }
}
