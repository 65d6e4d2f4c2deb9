import CFibers
import DflatSupport

/// Runs schedules in forked processes. Each begins with the memory of its parent, which no schedule changes, so a
/// schedule follows from its seed alone.
public enum SimulatedProcess {
  /// Processor time in seconds after which a schedule counts as hung between two scheduling points.
  private static let seconds: Int32 = 100

  /// Serves commands of `count` words from standard input until its end. `schedules` returns the schedules of a
  /// command. `run` runs one of them in a process of its own, and doesn't return.
  public static func serve(
    words count: Int, schedules: ([UInt64]) -> Schedules, run: ([UInt64], _ seed: UInt64, _ schedule: UInt64) -> Never
  ) {
    var words = [UInt64](repeating: 0, count: count)
    while words.withUnsafeMutableBytes({ process_read($0.baseAddress, $0.count) }) != 0 {
      serve(schedules(words)) { run(words, $0, $1) }
      process_say_end()
    }
  }

  /// The schedules of some seeds: each under its own, or under some others.
  public struct Schedules {
    public var firstSeed: UInt64
    public var seeds: UInt64
    /// The first schedule, or nil for the seed itself.
    public var firstSchedule: UInt64?
    public var tries: UInt64
    public var stopsAtFailure: Bool

    public init(firstSeed: UInt64, seeds: UInt64, firstSchedule: UInt64?, tries: UInt64, stopsAtFailure: Bool) {
      self.firstSeed = firstSeed
      self.seeds = seeds
      self.firstSchedule = firstSchedule
      self.tries = tries
      self.stopsAtFailure = stopsAtFailure
    }
  }

  private static func serve(_ schedules: Schedules, run: (_ seed: UInt64, _ schedule: UInt64) -> Never) {
    var seed = schedules.firstSeed
    while seed < schedules.firstSeed + schedules.seeds {
      let first = schedules.firstSchedule ?? seed
      var schedule = first
      while schedule < first + schedules.tries {
        let child = process_fork()
        if child == 0 {
          process_limit_time(seconds)
          run(seed, schedule)
        }
        let status = process_wait(child)
        if status < 0 { process_say_killed(seed, schedule, -status) }
        if status != 0, schedules.stopsAtFailure { return }
        schedule += 1
      }
      seed += 1
    }
  }

  /// Closes all files that the parent had open.
  public static func closeOtherFiles() { process_close_others() }

  /// Turns a trap into a failure of the running schedule, with the stacks of its threads.
  public static func reportTraps() {
    process_on_trap { signal in
      guard let simulation = Simulation.current else { return }
      simulation.fail("The process trapped: signal \(signal).")
    }
  }

  /// Ends this process after flushing its output.
  public static func end(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }
}
