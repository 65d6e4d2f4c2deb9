import DflatSupport
import FoundationEssentials
import SimulatedRuntime

/// Runs the schedules of commands, each in a child process.
enum Worker {
  static func serve() -> Never {
    SimulatedProcess.closeOtherFiles()
    let number = String(getpid())
    let folder = "/dev/shm/dflatkv-simulation-" + String(repeating: "0", count: max(0, 10 - number.count)) + number
    let path = folder + "/file.db"
    mkdir(folder, 0o700)
    // Runs all one-time work of the process before the first schedule, so that no schedule pays for it.
    setenv("TMPDIR", folder, 1)
    Run(.ofEverything, scheduleSeed: 1, path: path).run()
    Run(.ofEverythingReplicated, scheduleSeed: 1, path: path).run()
    SimulatedProcess.serve(words: Command.wordCount, schedules: Command.schedules) { words, seed, schedule in
      run(Command(words: words), seed, schedule, path)
    }
    try? FileManager.default.removeItem(atPath: folder)
    SimulatedProcess.end(0)
  }

  private static func run(_ command: Command, _ seed: UInt64, _ schedule: UInt64, _ path: String) -> Never {
    var program = command.program(seed)
    if let pool = command.pool { program.schedule.poolLimit = pool }
    let run = Run(program.keeping(command.kept), scheduleSeed: schedule, path: path)
    run.simulation.onFailure = { message in
      if !command.flags.contains(.quiet) {
        print(program.description(with: command.kept))
        print(run.simulation.describeThreads())
      }
      print("FAIL \(seed) \(schedule) \(message)")
      SimulatedProcess.end(3)
    }
    run.simulation.logsChoices = command.flags.contains(.choices)
    SimulatedProcess.reportTraps()
    run.run()
    print(Outcome(run.simulation, seed: seed, schedule: schedule).line)
    SimulatedProcess.end(0)
  }
}

/// A successful schedule, as a worker prints it and the driver reads it.
struct Outcome {
  var seed: UInt64, schedule: UInt64
  var steps: Int, switches: Int, faults: Int, threads: Int
  /// A digest of all events.
  var trace: String

  init(_ simulation: Simulation, seed: UInt64, schedule: UInt64) {
    (self.seed, self.schedule) = (seed, schedule)
    (steps, switches) = (simulation.steps, simulation.switches)
    (faults, threads) = (simulation.faults, simulation.mostThreads)
    trace = String(simulation.digest, radix: 16)
  }

  var line: String { "OK \(seed) \(schedule) \(steps) \(switches) \(faults) \(threads) \(trace)" }

  init?(line: String) {
    let parts = line.split(separator: " ")
    guard parts.count == 8, parts[0] == "OK", let seed = UInt64(parts[1]), let schedule = UInt64(parts[2]) else {
      return nil
    }
    let numbers = parts[3...6].compactMap { Int($0) }
    guard numbers.count == 4 else { return nil }
    (self.seed, self.schedule) = (seed, schedule)
    (steps, switches, faults, threads) = (numbers[0], numbers[1], numbers[2], numbers[3])
    trace = String(parts[7])
  }
}
