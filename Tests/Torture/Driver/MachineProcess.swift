import Foundation
import TestSupport

/// One process of a machine, observed from outside.
struct MachineProcess {
  let machine: any Machine.Type
  let seconds: Double
  let firstSeed: UInt64
  let isReplay: Bool
  /// The folder in which the machine's folder is created.
  let workFolder: String
  /// The folder to which the machine's folder is copied if there is a finding.
  let keptFolder: String

  /// Runs the process to its end. Returns the seed after the last one that it used.
  func run(into tally: inout MachineTally) throws -> UInt64 {
    let parent = machine.keepsFilesInMemory ? Self.memoryFolder ?? workFolder : workFolder
    let folder = "\(parent)/\(machine.name)-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var arguments = ["--child", "--machine", machine.name, "--seed", "\(firstSeed)", "--folder", folder]
    arguments += isReplay ? ["--replay"] : ["--seconds", "\(seconds)"]
    let child = try ChildProcess(
      URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0]), arguments,
      environment: ["TMPDIR": folder, "SWIFT_BACKTRACE": Self.backtraces])
    var seed = firstSeed
    var isInRound = false
    var isFinished = false
    var found: Finding?
    do {
      while let text = try child.nextLine(within: machine.roundLimit) {
        guard let line = MachineLine(text) else {
          say("\(machine.name): \(text)")
          continue
        }
        switch line {
        case .round(let next): (seed, isInRound) = (next, true)
        case .checked(let units):
          tally.units += units
          if isInRound { tally.rounds += 1 }
          isInRound = false
        case .finding(let finding): found = finding
        case .note(let note): tally.add(note: note)
        case .count(let what, let times): tally.counts[what, default: 0] += times
        case .skipped(let reason): tally.skipped = reason
        case .finished: isFinished = true
        }
      }
    } catch {
      found = Finding("The round did not end within \(Int(machine.roundLimit)) seconds.")
      stop(child)
    }
    let ending = ending(of: child)
    if found == nil, !isFinished || ending != .exit(0) { found = Finding("The process ended by \(ending).") }
    if var finding = found {
      let standardError = child.wholeStandardError()
      if finding.shrunkCase.isEmpty { finding.shrunkCase = String(standardError.suffix(8_000)) }
      try keep(finding, standardError, seed: seed, from: folder, in: &tally)
    }
    return seed &+ 1
  }

  /// Linux's folder for files in memory, if there is one.
  private static let memoryFolder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil

  /// Settings that print a backtrace of every thread when a round traps or hangs.
  private static let backtraces =
    "enable=yes,interactive=no,color=no,threads=all,limit=32,sanitize=no,registers=none,images=none"

  /// Ends a process that hangs, after it has printed where its threads are. The runtime's signal handler returns to the
  /// interrupted code, so SIGABRT alone doesn't end the process.
  private func stop(_ child: ChildProcess) {
    child.kill(SIGABRT)
    let deadline = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < deadline, !child.standardError.contains("Backtrace took") { usleep(50_000) }
    child.kill(SIGKILL)
  }

  private func ending(of child: ChildProcess) -> ChildProcess.Ending {
    if let ending = try? child.wait() { return ending }
    child.kill(SIGKILL)
    return (try? child.wait()) ?? .signal(SIGKILL)
  }

  /// Copies the machine's files, with the finding and all that the process printed on its standard error: backtraces,
  /// and a sanitizer's report.
  private func keep(
    _ finding: Finding, _ standardError: String, seed: UInt64, from folder: String, in tally: inout MachineTally
  ) throws {
    let files = FileManager.default
    let kept = "\(keptFolder)/\(machine.name)-\(seed)"
    try? files.removeItem(atPath: kept)
    try files.createDirectory(atPath: keptFolder, withIntermediateDirectories: true)
    try files.copyItem(atPath: folder, toPath: kept)
    let text = "\(finding.message)\n\n\(Report.replay(machine, seed))\n\n\(finding.shrunkCase)\n"
    try text.write(toFile: kept + "/FINDING.txt", atomically: true, encoding: .utf8)
    try standardError.write(toFile: kept + "/standard-error.txt", atomically: true, encoding: .utf8)
    tally.findings.append(.init(seed: seed, finding: finding, folder: kept))
    say("\(machine.name): FOUND \(finding.message)\n  \(Report.replay(machine, seed))\n  files: \(kept)")
    say(finding.shrunkCase.split(separator: "\n").map { "  | \($0)" }.joined(separator: "\n"))
  }
}

/// Prints the text at once, in one piece.
func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
