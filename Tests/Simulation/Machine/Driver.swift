#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs seeds in several processes, goes on after failures, and shrinks each to a short program.
struct Driver {
  private static let batch: UInt64 = 500
  /// Failures after which it stops: more tell no more.
  private static let enough = 8

  private let options: Options
  private let schedules: UInt64

  init(_ options: Options, schedules: UInt64) {
    self.options = options
    self.schedules = schedules
  }

  func run() -> Bool {
    var next = options.number("first") ?? 1
    let end = next + schedules
    var running: [(child: Child, first: UInt64, end: UInt64)] = []
    /// Parts of batches behind a failure.
    var rest: [(UInt64, UInt64)] = []
    var totals = Totals()
    var failures: [Failure] = []
    while failures.count < Self.enough {
      while running.count < options.number("jobs") ?? 2, !rest.isEmpty || next < end {
        let part = rest.popLast() ?? (next, min(end, next + Self.batch))
        if part.0 == next { next = part.1 }
        running.append((Child(arguments(part.0, part.1)), part.0, part.1))
      }
      if running.isEmpty { break }
      let (child, first, last) = running.removeFirst()
      let line = child.wait()
      if line.hasPrefix("OK") {
        totals.add(line: line)
      } else {
        let failure = Failure(line, seedIfCrashed: first)
        failures.append(failure)
        print("seed \(failure.seed): \(failure.message)")
        if failure.seed + 1 < last { rest.append((failure.seed + 1, last)) }
      }
    }
    for (child, _, _) in running { _ = child.wait() }
    for failure in failures { shrink(failure) }
    print(
      "simulation: \(totals.schedules) schedules, \(totals.steps) steps, \(totals.switches) switches, "
        + "\(totals.faults) failed file operations, at most \(totals.threads) threads, \(failures.count) failures")
    return failures.isEmpty
  }

  private func arguments(_ first: UInt64, _ end: UInt64) -> [String] {
    ["--seed", "\(first)", "--count", "\(end - first)", "--quiet"] + options.inherited
  }

  // MARK: Shrinking

  private struct Failure {
    var seed: UInt64
    var schedule: UInt64
    var message: String

    init(_ line: String, seedIfCrashed: UInt64) {
      let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
      guard parts.count == 4, parts[0] == "FAIL", let seed = UInt64(parts[1]), let schedule = UInt64(parts[2]) else {
        (self.seed, schedule, message) = (seedIfCrashed, seedIfCrashed, "The process ended: \(line)")
        return
      }
      (self.seed, self.schedule, message) = (seed, schedule, parts[3])
    }

    /// The invariant, or what the message begins with: a shorter program that breaks another one is another failure.
    var kind: Substring { message.prefix { !$0.isNumber || message.hasPrefix("A") && $0 != ":" } }
  }

  /// Takes steps out of the program while some schedule of it still fails, and prints how to replay what is left.
  private func shrink(_ failure: Failure) {
    var failure = failure
    var kept = Array(0..<Program(seed: failure.seed).stepCount)
    var size = max(1, kept.count / 2)
    while size > 0 {
      var start = 0
      while start < kept.count {
        let candidate = Array(kept[..<start] + kept[min(kept.count, start + size)...])
        if let smaller = fails(failure, candidate) {
          kept = candidate
          failure.schedule = smaller.schedule
        } else {
          start += size
        }
      }
      size /= 2
    }
    let command =
      [
        "--seed", "\(failure.seed)", "--schedule", "\(failure.schedule)", "--keep",
        kept.map(String.init).joined(separator: ","),
      ]
      + options.inherited
    print("replay: simulation \(command.joined(separator: " "))")
    print(Child(command).output())
  }

  private func fails(_ failure: Failure, _ kept: [Int]) -> Failure? {
    if kept.isEmpty { return nil }
    for (schedule, tries) in [(failure.schedule, 1), (1, 100)] as [(UInt64, Int)] {
      let line = Child(
        [
          "--seed", "\(failure.seed)", "--keep", kept.map(String.init).joined(separator: ","), "--schedule",
          "\(schedule)",
          "--tries", "\(tries)", "--quiet",
        ] + options.inherited
      ).wait()
      let found = Failure(line, seedIfCrashed: failure.seed)
      if line.hasPrefix("FAIL"), found.kind == failure.kind { return found }
    }
    return nil
  }
}

/// A process of this program.
struct Child {
  private let pid: pid_t
  private let reading: Int32

  init(_ arguments: [String]) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[1])
    var argv: [UnsafeMutablePointer<CChar>?] = ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
    var pid: pid_t = 0
    let result = posix_spawn(&pid, "/proc/self/exe", &actions, nil, &argv, environ)
    precondition(result == 0, "No process can be started: \(String(cString: strerror(result))).")
    for argument in argv { free(argument) }
    posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    self.pid = pid
    reading = ends[0]
  }

  /// All that it prints, when it has ended.
  func output() -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(reading, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    close(reading)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    if status & 0x7f != 0 { bytes += Array("signal \(status & 0x7f)\n".utf8) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The last line that it prints.
  func wait() -> String { output().split(separator: "\n").last.map(String.init) ?? "without a word" }
}
