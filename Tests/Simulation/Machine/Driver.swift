/// Runs seeds in several processes, continues after failures, shrinks each to a short program, and replays some.
struct Driver {
  /// Number of failures after which the run stops, as more failures say nothing new.
  private static let enough = 8
  /// Number of schedules that are run again, alone.
  private static let replays = 1

  private let jobs: Int
  private let first: UInt64
  private let batch: UInt64
  /// Settings that all commands share.
  private let common: Command

  init(_ options: Options) {
    jobs = Int(options.number("jobs") ?? 2)
    first = options.number("first") ?? 1
    batch = options.number("batch") ?? 100
    var common = Command(options)
    common.flags.insert(.quiet)
    self.common = common
  }

  func run(_ schedules: UInt64) -> Bool {
    let end = first + schedules
    var next = first
    var totals = Totals()
    var failures: [Failure] = []
    var running: [WorkerProcess] = []
    func begin(_ worker: WorkerProcess) {
      if next == end || failures.count >= Self.enough { return }
      var command = common
      command.firstSeed = next
      command.seeds = min(batch, end - next)
      next += command.seeds
      worker.send(command)
      running.append(worker)
    }
    for _ in 0..<jobs { begin(WorkerProcess()) }
    while !running.isEmpty {
      let worker = running.removeFirst()
      worker.answers { line in
        if let outcome = Outcome(line: line) {
          totals.add(outcome)
        } else if let failure = Failure(line: line) {
          failures.append(failure)
          print("seed \(failure.seed): \(failure.message)")
        }
      }
      begin(worker)
    }
    let replayed = totals.outcomes.map { replay($0) }
    for failure in failures { shrink(failure) }
    print(
      "simulation: \(totals.schedules) schedules, \(totals.steps) steps, \(totals.switches) switches, "
        + "\(totals.faults) failed file operations, at most \(totals.threads) threads, \(failures.count) failures")
    return failures.isEmpty && replayed.allSatisfy { $0 }
  }

  /// Returns false if the schedule doesn't follow from its seed alone.
  private func replay(_ outcome: Outcome) -> Bool {
    var command = common
    command.firstSeed = outcome.seed
    if WorkerProcess().run(command) == [outcome.line] { return true }
    print("seed \(outcome.seed): another schedule when it is run alone")
    return false
  }

  /// Sums over all schedules.
  private struct Totals {
    private(set) var schedules = 0, steps = 0, switches = 0, faults = 0, threads = 0
    /// The latest outcomes.
    private(set) var outcomes: [Outcome] = []

    mutating func add(_ outcome: Outcome) {
      schedules += 1
      steps += outcome.steps
      switches += outcome.switches
      faults += outcome.faults
      threads = max(threads, outcome.threads)
      outcomes = outcomes.suffix(Driver.replays - 1) + [outcome]
    }
  }

  // MARK: Shrinking

  private struct Failure {
    var seed: UInt64
    var schedule: UInt64
    var message: String

    init?(line: String) {
      let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
      guard parts.count == 4, parts[0] == "FAIL", let seed = UInt64(parts[1]), let schedule = UInt64(parts[2]) else {
        return nil
      }
      (self.seed, self.schedule, message) = (seed, schedule, parts[3])
    }

    /// The invariant, or the beginning of the message. A shorter program that breaks another invariant is a different
    /// failure.
    var kind: Substring {
      message.prefixMatch(of: #/A[0-9]+/#) == nil ? message.prefix { !$0.isNumber } : message.prefix { $0 != ":" }
    }
  }

  /// Removes steps from the program while some schedule of it still fails, and prints how to replay the result.
  private func shrink(_ failure: Failure) {
    let worker = WorkerProcess()
    var command = common
    command.firstSeed = failure.seed
    command.schedule = failure.schedule
    var kept = Array(0..<common.program(failure.seed).stepCount)
    command.kept = Set(kept)
    var size = max(1, kept.count / 2)
    while size > 0 {
      var start = 0
      while start < kept.count {
        let candidate = Array(kept[..<start] + kept[min(kept.count, start + size)...])
        var smaller = command
        smaller.kept = Set(candidate)
        if let found = fails(smaller, as: failure, by: worker) {
          kept = candidate
          command = found
        } else {
          start += size
        }
      }
      size /= 2
    }
    command.flags.remove(.quiet)
    print("replay: simulation \(command.arguments.joined(separator: " "))")
    for line in worker.run(command) { print(line) }
  }

  /// Returns the command with the schedule under which it fails: the one that it has, or one of the first hundred.
  private func fails(_ command: Command, as failure: Failure, by worker: WorkerProcess) -> Command? {
    if command.kept?.isEmpty != false { return nil }
    for (schedule, tries) in [(command.schedule ?? failure.schedule, 1), (1, 100)] as [(UInt64, UInt64)] {
      var attempt = command
      (attempt.schedule, attempt.tries) = (schedule, tries)
      guard let found = worker.run(attempt).lazy.compactMap({ Failure(line: $0) }).first, found.kind == failure.kind
      else { continue }
      (attempt.schedule, attempt.tries) = (found.schedule, 1)
      return attempt
    }
    return nil
  }
}
