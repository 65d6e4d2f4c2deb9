import Foundation

/// Runs rounds until the time is over, inside a machine's process.
struct MachineRounds {
  let machine: any Machine.Type
  let environment: TortureEnvironment
  let firstSeed: UInt64
  let mostRounds: Int

  func run() {
    unblockSignals()
    do {
      try run(machine.init(environment: environment))
    } catch let skipped as Skipped {
      MachineLine.skipped(skipped.reason).write()
    } catch {
      MachineLine.finding(Self.finding(of: error)).write()
    }
    MachineLine.finished.write()
  }

  private func run(_ machine: some Machine) throws {
    var machine = machine
    let end = ContinuousClock.now + .seconds(environment.seconds)
    var seed = firstSeed
    var rounds = 0
    while rounds < mostRounds, ContinuousClock.now < end {
      MachineLine.round(seed: seed).write()
      do {
        MachineLine.checked(units: try machine.round(seed: seed)).write()
        empty()
      } catch {
        // The driver keeps the folder and continues with a new process, because the state of this one is in doubt.
        MachineLine.finding(Self.finding(of: error)).write()
        return
      }
      seed &+= 1
      rounds += 1
    }
    MachineLine.checked(units: try machine.finish()).write()
  }

  /// Unblocks all signals. A pooled thread that starts a process blocks signals, and the process inherits that: the
  /// driver's SIGABRT and the kills of machines would stay pending.
  private func unblockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  private func empty() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: environment.folder)) ?? [] {
      try? FileManager.default.removeItem(atPath: environment.folder + "/" + name)
    }
  }

  private static func finding(of error: any Error) -> Finding {
    error as? Finding ?? Finding("The round threw \(error).")
  }
}
