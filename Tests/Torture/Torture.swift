import ArgumentParser
import Foundation
import TortureModel

/// Runs the machines of `Registry.swift`; `make torture` builds and starts it.
@main struct Torture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "torture", abstract: "Tortures DflatKV with generated cases; exits with 1 if any breaks a promise.")

  @Option(help: "How long to run, all machines together.") var minutes = 60.0
  @Option(help: "Run this machine alone; can be given several times.") var machine: [String] = []
  @Option(help: "Replay this seed of one machine.") var seed: UInt64?
  @Option(help: "The seed of the whole run, from which the machines' seeds follow.") var runSeed: UInt64?
  @Option(help: "How many machines run at a time.")
  var jobs = max(1, min(2, ProcessInfo.processInfo.activeProcessorCount))
  @Option(help: "Where the files of findings are kept.") var keep = ".torture"
  @Option(help: "Write the table into this document, between its marks.") var writeDocs: String?
  @Flag(help: "Then let machines that are below their goals continue, as on a slow computer, until they reach them.")
  var goals = false
  @Flag(help: "List the machines.") var list = false

  // The options of a machine's own process.
  @Flag(help: .hidden) var child = false
  @Flag(help: .hidden) var replay = false
  @Flag(help: .hidden) var modelWorker = false
  @Option(help: .hidden) var folder = ""
  @Option(help: .hidden) var seconds = 0.0

  func run() throws {
    let chosen = try machine.map(Self.machine(named:))
    if modelWorker { return Worker.run() }
    if list {
      for machine in machines { print("\(machine.name)\t\(machine.summary)") }
    } else if child {
      guard let machine = chosen.first, let seed else { throw ValidationError("A child needs a machine and a seed.") }
      let environment = TortureEnvironment(folder: folder, seconds: replay ? 3_600 : seconds, isReplay: replay)
      MachineRounds(
        machine: machine, environment: environment, firstSeed: seed, mostRounds: replay ? 1 : .max
      ).run()
    } else if let seed {
      guard chosen.count == 1 else { throw ValidationError("--seed replays one machine: name it by --machine.") }
      try run(seed, of: chosen[0])
    } else {
      guard writeDocs == nil || chosen.isEmpty else {
        throw ValidationError("--write-docs writes the table of all machines: leave out --machine.")
      }
      try run(chosen.isEmpty ? machines.filter { $0.share > 0 } : chosen)
    }
  }

  private func run(_ seed: UInt64, of machine: any Machine.Type) throws {
    var tally = MachineTally(machine: machine)
    let process = MachineProcess(
      machine: machine, seconds: 0, firstSeed: seed, isReplay: true, workFolder: NSTemporaryDirectory(),
      keptFolder: keep)
    _ = try process.run(into: &tally)
    for note in tally.notes { say("\(machine.name): \(note)") }
    if let reason = tally.skipped { say("\(machine.name): skipped: \(reason)") }
    guard tally.findings.isEmpty else { throw ExitCode(1) }
    say("\(machine.name): seed \(seed) finds nothing; \(tally.units) \(machine.unit)")
  }

  private func run(_ chosen: [any Machine.Type]) throws {
    let runSeed = runSeed ?? UInt64.random(in: 1...UInt64(UInt32.max))
    say("torture: \(minutes) minutes, --run-seed \(runSeed)")
    let plan = Conductor.Plan(
      machines: chosen, seconds: minutes * 60, seed: runSeed, jobs: jobs, keptFolder: keep, reachesGoals: goals)
    let tallies = try Conductor(plan).run { tallies in
      var first = plan
      first.reachesGoals = false
      if let writeDocs { try Report(tallies: tallies, plan: first).write(to: writeDocs) }
    }
    let report = Report(tallies: tallies, plan: plan)
    say("\n\(report.markdown)")
    if let writeDocs { try report.write(to: writeDocs) }
    if report.hasFindings { throw ExitCode(1) }
  }

  private static func machine(named name: String) throws -> any Machine.Type {
    guard let machine = machines.first(where: { $0.name == name }) else {
      throw ValidationError(
        "There is no machine \(name); there are \(machines.map { $0.name }.joined(separator: ", ")).")
    }
    return machine
  }
}
