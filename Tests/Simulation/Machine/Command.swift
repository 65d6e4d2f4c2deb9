import SimulatedRuntime

/// Tells a worker which schedules of which programs to run. It always has the same number of words, because the memory
/// that a schedule begins with must not depend on the command.
struct Command {
  static let wordCount = 16
  private static let keptWords = 8

  var firstSeed: UInt64 = 1
  var seeds: UInt64 = 1
  /// The seed of the schedule that the program runs under, or nil for the program's own seed.
  var schedule: UInt64?
  /// Runs that many schedules from that one on, until one fails.
  var tries: UInt64 = 1
  /// Threads of the simulated Dispatch, unless the seed decides.
  var pool: Int?
  /// The steps of the program that are kept, or nil for all.
  var kept: Set<Int>?
  var flags: Flags = []

  struct Flags: OptionSet {
    let rawValue: UInt64
    static let withoutFaults = Flags(rawValue: 1)
    static let quiet = Flags(rawValue: 2)
    static let choices = Flags(rawValue: 4)
    static let replicated = Flags(rawValue: 32)
    fileprivate static let hasSchedule = Flags(rawValue: 8)
    fileprivate static let hasKept = Flags(rawValue: 16)
  }

  init() {}

  init(_ options: Options) {
    firstSeed = options.number("seed") ?? 1
    seeds = options.number("count") ?? 1
    schedule = options.number("schedule")
    tries = options.number("tries") ?? 1
    pool = options.number("pool").map { Int($0) }
    kept = options.text("keep").map { Set($0.split(separator: ",").compactMap { Int($0) }) }
    if options.has("no-faults") { flags.insert(.withoutFaults) }
    if options.has("quiet") { flags.insert(.quiet) }
    if options.has("choices") { flags.insert(.choices) }
    if options.has("replicated") { flags.insert(.replicated) }
  }

  /// The program of a seed.
  func program(_ seed: UInt64) -> Program {
    Program(
      seed: seed, withFaults: !flags.contains(.withoutFaults), isReplicated: flags.contains(.replicated))
  }

  // MARK: As words

  init(words: [UInt64]) {
    firstSeed = words[0]
    seeds = words[1]
    tries = words[3]
    pool = words[4] == 0 ? nil : Int(words[4])
    flags = Flags(rawValue: words[5])
    schedule = flags.contains(.hasSchedule) ? words[2] : nil
    if flags.contains(.hasKept) {
      kept = Set(
        (0..<Self.keptWords * 64).filter { words[Self.wordCount - Self.keptWords + $0 / 64] >> ($0 % 64) & 1 == 1 })
    }
  }

  var words: [UInt64] {
    var flags = flags
    if schedule != nil { flags.insert(.hasSchedule) }
    if kept != nil { flags.insert(.hasKept) }
    var words = [UInt64](repeating: 0, count: Self.wordCount)
    words[0...5] = [firstSeed, seeds, schedule ?? 0, tries, UInt64(pool ?? 0), flags.rawValue]
    for step in kept ?? [] where step < Self.keptWords * 64 {
      words[Self.wordCount - Self.keptWords + step / 64] |= 1 << (step % 64)
    }
    return words
  }

  /// Parses the schedules of a command, which is all that their parent knows of it.
  static func schedules(_ words: [UInt64]) -> SimulatedProcess.Schedules {
    .init(
      firstSeed: words[0], seeds: words[1],
      firstSchedule: Flags(rawValue: words[5]).contains(.hasSchedule) ? words[2] : nil, tries: words[3],
      stopsAtFailure: words[3] > 1)
  }

  // MARK: As arguments

  /// The command line that replays the command.
  var arguments: [String] {
    var result = ["--seed", "\(firstSeed)"]
    if let schedule { result += ["--schedule", "\(schedule)"] }
    if let kept { result += ["--keep", kept.sorted().map(String.init).joined(separator: ",")] }
    if let pool { result += ["--pool", "\(pool)"] }
    if flags.contains(.withoutFaults) { result.append("--no-faults") }
    if flags.contains(.replicated) { result.append("--replicated") }
    return result
  }
}
