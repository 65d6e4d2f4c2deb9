import SimulatedRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs the schedules of some seeds, one after the other, in this process, which ends with the first that fails: the threads
/// of a schedule that hangs can't be taken back.
struct Batch {
  private let options: Options
  private let folder: String
  private let kept: Set<Int>?

  init(_ options: Options) {
    self.options = options
    let number = String(getpid())
    folder = "/dev/shm/dflatkv-simulation-" + String(repeating: "0", count: max(0, 10 - number.count)) + number
    kept = options.text("keep").map { Set($0.split(separator: ",").compactMap { Int($0) }) }
  }

  private var path: String { folder + "/file.db" }

  private func clear() {
    for suffix in ["", "-wal", "-shm", "-dflat", "-journal"] { unlink(path + suffix) }
    rmdir(folder)
  }

  func run() -> Bool {
    mkdir(folder, 0o700)
    // What is done once in a process is done before the first schedule: a seed has one schedule, wherever it is run.
    for seed in 1...3 as ClosedRange<UInt64> {
      var program = Program(seed: seed, withFaults: false)
      program.schedule.poolLimit = 256
      Run(program, scheduleSeed: seed, path: path, checks: false).run()
    }
    var totals = Totals()
    let first = options.number("seed") ?? 1
    for seed in first..<first + (options.number("count") ?? 1) {
      let schedule = options.number("schedule") ?? seed
      for schedule in schedule..<schedule + (options.number("tries") ?? 1) {
        totals.add(run(seed, schedule).simulation)
      }
    }
    clear()
    print(totals.line)
    return true
  }

  private func run(_ seed: UInt64, _ schedule: UInt64) -> Run {
    var program = Program(seed: seed, withFaults: !options.has("no-faults"))
    if let pool = options.number("pool") { program.schedule.poolLimit = Int(pool) }
    let run = Run(program.keeping(kept), scheduleSeed: schedule, path: path)
    run.simulation.onFailure = { message in
      if !options.has("quiet") {
        print(program.description(with: kept))
        print(run.simulation.describeThreads())
      }
      clear()
      print("FAIL \(seed) \(schedule) \(message)")
      exit(3)
    }
    run.simulation.logsChoices = options.has("choices")
    run.run()
    if options.has("trace") { print("\(seed) \(schedule) \(String(run.simulation.trace, radix: 16))") }
    return run
  }
}

/// What batches did.
struct Totals {
  private(set) var schedules = 0, steps = 0, switches = 0, faults = 0, threads = 0

  mutating func add(_ simulation: Simulation) {
    schedules += 1
    steps += simulation.steps
    switches += simulation.switches
    faults += simulation.faults
    threads = max(threads, simulation.mostThreads)
  }

  /// As a batch prints it and the driver reads it.
  var line: String { "OK \(schedules) \(steps) \(switches) \(faults) \(threads)" }

  mutating func add(line: String) {
    let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
    guard numbers.count == 5 else { return }
    schedules += numbers[0]
    steps += numbers[1]
    switches += numbers[2]
    faults += numbers[3]
    threads = max(threads, numbers[4])
  }
}
