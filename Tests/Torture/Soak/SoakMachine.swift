import DflatKV
import Foundation
import TestSupport

/// Two processes that work for a long time. None of the resources that they use may grow.
struct SoakMachine: Machine {
  static let name = "soak"
  static let summary = "Mixed work in two processes, with flat memory, descriptors, threads and log"
  static let unit = "seconds"
  static let share = 12.5
  static let goal = 600
  static let runsInOnePiece = true

  private let environment: TortureEnvironment
  private let folder: String
  private let workers: [ChildProcess]
  private var gauges: [Gauge] = []
  private var transactions = 0

  init(environment: TortureEnvironment) throws {
    #if os(Linux)
      self.environment = environment
      // The folder is next to the machine's folder, which is emptied after each round.
      folder = environment.folder + "-soak"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let leak = ProcessInfo.processInfo.environment["DFLAT_SOAK_LEAK"]
      var workers: [ChildProcess] = []
      for number in 0..<2 {
        let arguments = ["soak", folder + "/soak.db", "\(number)"] + (leak.map { [$0] } ?? [])
        let worker = try ChildProcess(try BuiltExecutable.url(named: "StressWorker"), arguments)
        try worker.readUntil { $0 == "ready" }
        workers.append(worker)
      }
      self.workers = workers
      for number in 0..<2 {
        gauges += [
          // libdispatch keeps up to 1,024 blocks of 64 or 80 bytes on each of its threads, a MiB in all. Blocks are freed
          // on other threads than those that allocate them, so the caches fill for minutes, and on a busy computer
          // for the whole run.
          Gauge("heap of process \(number)", tolerance: 0.04, slack: 512 << 10, unit: 1 << 10, "KiB"),
          // Page caches of several connections, each of which may come to hold the whole file.
          Gauge("SQLite's memory in process \(number)", tolerance: 0.1, slack: 1 << 20, unit: 1 << 10, "KiB"),
          Gauge("resident memory of process \(number)", tolerance: 0.1, slack: 3 << 20, unit: 1 << 10, "KiB"),
          // A reader that is added to the pool keeps its connection, and SQLite keeps a closed connection's files for
          // the next one.
          Gauge("descriptors of process \(number)", tolerance: 0, slack: 12),
          Gauge("threads of process \(number)", tolerance: 0, slack: 4),
        ]
      }
      gauges += [
        Gauge("log", tolerance: 0.25, slack: 2 << 20, unit: 1 << 10, "KiB"),
        Gauge("file", tolerance: 0.1, slack: 512 << 10, unit: 1 << 10, "KiB"),
        // The ring's documented bound.
        Gauge("rows of the change log", tolerance: 0, slack: 0, limit: 4_352),
      ]
    #else
      throw Skipped("It reads /proc.")
    #endif
  }

  mutating func round(seed: UInt64) throws -> Int {
    // A replay is one round.
    let samples = environment.isReplay ? 50 : 1
    for _ in 0..<samples { try sample() }
    return samples
  }

  private mutating func sample() throws {
    for worker in workers { try worker.write("work 1000") }
    var values: [Int] = []
    for worker in workers {
      let line: String
      do { line = try worker.readUntil { $0.hasPrefix("sample ") } } catch {
        throw Finding("A worker process ended early.", case: worker.standardError)
      }
      let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
      try require(numbers.count == 6, "A worker process printed '\(line)'.")
      values += numbers[..<5]
      transactions += numbers[5]
    }
    values += [size(of: "soak.db-wal"), size(of: "soak.db"), try changeLogRows()]
    for (place, value) in values.enumerated() { gauges[place].note(value) }
  }

  private func size(of name: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
    return (attributes?[.size] as? Int) ?? 0
  }

  private func changeLogRows() throws -> Int {
    try RawDatabase(folder + "/soak.db").text("SELECT COUNT(*) FROM dflat_log").flatMap { Int($0) } ?? 0
  }

  mutating func finish() throws -> Int {
    for worker in workers { worker.closeInput() }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for worker in workers {
      let ending = try worker.wait()
      try require(ending == .exit(0), "A process ended by \(ending).", case: worker.standardError)
    }
    let findings = gauges.compactMap(\.finding)
    try require(
      findings.isEmpty, findings.joined(separator: " "), case: gauges.map(\.samples).joined(separator: "\n"))
    environment.note("\(transactions) transactions. " + gauges.map(\.words).joined(separator: ", "))
    return 0
  }
}
