import Dispatch
import Foundation
import Synchronization
import TestSupport

/// Gives each machine its share of the time, a few machines at a time.
final class Conductor: Sendable {
  struct Plan: Sendable {
    var machines: [any Machine.Type]
    var seconds: Double
    var seed: UInt64
    var jobs: Int
    var keptFolder: String
    /// True if machines that are below their goals continue after that time.
    var reachesGoals = false

    /// Returns the machine's goal for a run of this length.
    func goal(of machine: any Machine.Type) -> Int { Int((Double(machine.goal) * seconds / 3_600).rounded()) }
  }

  /// The number of times that the machines get slices: a slow computer needs a second pass, and now and then a third.
  private static let mostPasses = 4
  /// The maximum length of a slice after the first pass.
  private static let extraSliceSeconds = 60.0

  /// Part of a machine's time. One process spends it, or several if rounds have findings.
  private struct Slice {
    var machine: Int
    var seconds: Double
    var firstSeed: UInt64
  }

  private struct State {
    var slices: [Slice]
    var tallies: [MachineTally]
  }

  private let plan: Plan
  private let state: Mutex<State>

  init(_ plan: Plan) {
    self.plan = plan
    state = Mutex(State(slices: Self.slices(of: plan), tallies: plan.machines.map { MachineTally(machine: $0) }))
  }

  /// Runs all slices and returns the tally of each machine. Calls `report` with the tallies when the run's time is over, in
  /// case that somebody interrupts what follows.
  func run(reportingTo report: ([MachineTally]) throws -> Void) throws -> [MachineTally] {
    let workFolder = try TemporaryDirectory("torture")
    for pass in 1...Self.mostPasses {
      DispatchQueue.concurrentPerform(iterations: plan.jobs) { _ in
        while let slice = state.withLock({ $0.slices.isEmpty ? nil : $0.slices.removeFirst() }) {
          run(slice, in: workFolder.path)
        }
      }
      guard plan.reachesGoals, pass < Self.mostPasses else { break }
      if pass == 1 { try report(state.withLock { $0.tallies }) }
      state.withLock { $0.slices = Self.slicesToGoals(of: plan, $0.tallies, after: pass) }
    }
    return state.withLock { state in
      for (index, tally) in state.tallies.enumerated() where !tally.missed.isEmpty {
        let finding = Finding("The machine never reached: \(tally.missed.joined(separator: ", ")).")
        state.tallies[index].findings.append(.init(seed: tally.firstSeed ?? 0, finding: finding, folder: "-"))
      }
      return state.tallies
    }
  }

  private func run(_ slice: Slice, in workFolder: String) {
    let machine = plan.machines[slice.machine]
    let start = ContinuousClock.now
    var seed = slice.firstSeed
    while true {
      let spent = (ContinuousClock.now - start) / .seconds(1)
      guard spent < slice.seconds, !state.withLock({ $0.tallies[slice.machine].isOver }) else { break }
      let process = MachineProcess(
        machine: machine, seconds: slice.seconds - spent, firstSeed: seed, isReplay: false, workFolder: workFolder,
        keptFolder: plan.keptFolder)
      var tally = MachineTally(machine: machine)
      do { seed = try process.run(into: &tally) } catch {
        tally.findings.append(
          .init(seed: seed, finding: Finding("The machine's process can't be run: \(error)"), folder: "-"))
      }
      tally.firstSeed = slice.firstSeed
      tally.seconds = (ContinuousClock.now - start) / .seconds(1) - spent
      let isEarly = tally.findings.isEmpty
      state.withLock { [tally] in $0.tallies[slice.machine].add(tally) }
      if isEarly { break }
    }
    let tally = state.withLock { $0.tallies[slice.machine] }
    say("\(machine.name): \(tally.units) \(machine.unit) in \(Int(tally.seconds)) s")
  }

  /// Orders machines that run in one piece first, then the slices of the others in turns, so that all end at about the
  /// same time.
  private static func slices(of plan: Plan) -> [Slice] {
    let shares = plan.machines.reduce(0) { $0 + $1.share }
    var whole: [Slice] = []
    var turns: [(turn: Double, slice: Slice)] = []
    for (index, machine) in plan.machines.enumerated() {
      let seconds = min(plan.seconds, plan.seconds * Double(plan.jobs) * machine.share / shares)
      let count = machine.runsInOnePiece ? 1 : max(1, min(12, Int(seconds / 20)))
      for part in 0..<count {
        let slice = Slice(
          machine: index, seconds: seconds / Double(count), firstSeed: firstSeed(of: plan, machine: index, part: part))
        if count == 1, machine.runsInOnePiece {
          whole.append(slice)
        } else {
          turns.append((turn: (Double(part) + 0.5) / Double(count), slice: slice))
        }
      }
    }
    return whole + turns.sorted { $0.turn < $1.turn }.map(\.slice)
  }

  /// Returns slices for the machines that are below their goals, at the speeds that they have had so far.
  private static func slicesToGoals(of plan: Plan, _ tallies: [MachineTally], after pass: Int) -> [Slice] {
    var slices: [Slice] = []
    for (index, tally) in tallies.enumerated() where !tally.isOver && !tally.machine.runsInOnePiece && tally.units > 0 {
      let missing = plan.goal(of: tally.machine) - tally.units
      if missing <= 0 { continue }
      let seconds = 1.1 * tally.seconds * Double(missing) / Double(tally.units)
      let count = Int((seconds / extraSliceSeconds).rounded(.up))
      for part in 0..<count {
        slices.append(
          Slice(
            machine: index, seconds: seconds / Double(count),
            firstSeed: firstSeed(of: plan, machine: index, part: part, pass: pass)))
      }
    }
    return slices
  }

  /// Returns the first seed of a slice, far from those of all others. The seeds within a slice are consecutive.
  private static func firstSeed(of plan: Plan, machine: Int, part: Int, pass: Int = 0) -> UInt64 {
    var random = SeededGenerator(
      seed: plan.seed &+ UInt64(pass) << 48 &+ UInt64(machine) << 40 &+ UInt64(part) << 32)
    return random.next() >> 16
  }
}

extension MachineTally {
  fileprivate mutating func add(_ other: MachineTally) {
    units += other.units
    rounds += other.rounds
    seconds += other.seconds
    firstSeed = firstSeed ?? other.firstSeed
    findings += other.findings
    skipped = skipped ?? other.skipped
    for note in other.notes { add(note: note) }
    counts.merge(other.counts) { $0 + $1 }
  }
}
