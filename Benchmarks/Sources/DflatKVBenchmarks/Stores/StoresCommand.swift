import ArgumentParser
import Foundation

struct StoresCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stores", abstract: "Runs the YCSB workloads on this library and other stores.")

  @Option(help: "The stores; without this option, all.")
  var store: [StoreName] = []

  @Option(help: "The workloads; without this option, all.")
  var workload: [YCSBWorkload] = []

  @Option(help: "The kinds of records; without this option, both.")
  var kind: [RecordKind] = []

  @Option(help: "The numbers of records; without this option, 1,000 and 1,000,000.")
  var records: [Int] = []

  @Option(help: "The distributions of keys; without this option, both.")
  var distribution: [KeyDistribution] = []

  @Option(help: "What a commit survives: process or power; without this option, the process.")
  var durability: [StoreDurability] = []

  @Option(help: "The time of one measurement, in seconds.")
  var seconds = 1.0

  @Option(help: "The number of measurements of each setting.")
  var rounds = 3

  @Option(
    name: .customLong("write"),
    help: "Write the results to this JSON file; of a run with a choice, the file's other rows stay.")
  var output: String?

  @Option(help: "Replace the generated part of this Markdown document.")
  var docs: String?

  func validate() throws {
    guard rounds > 0, seconds > 0, records.allSatisfy({ $0 > 2 }) else {
      throw ValidationError("measure at least one round, for more than no time, with at least three records")
    }
  }

  func run() throws {
    var run = StoreRun(scratch: try ScratchFolder())
    if !store.isEmpty { run.stores = StoreName.allCases.filter(store.contains) }
    if !workload.isEmpty { run.workloads = YCSBWorkload.allCases.filter(workload.contains) }
    if !kind.isEmpty { run.kinds = kind }
    if !records.isEmpty { run.records = records }
    if !distribution.isEmpty { run.distributions = distribution }
    if !durability.isEmpty { run.durabilities = durability }
    (run.seconds, run.rounds) = (seconds, rounds)
    let older = output.flatMap { output in isPartial ? try? StoreResults(contentsOf: output) : nil }
    let whole = { (results: StoreResults) in older.map { results.merged(into: $0) } ?? results }
    run.progress = { results in
      if let output { try whole(results).write(to: output) }
      guard let setting = results.rows.last?.setting else { return }
      let place = "\(setting.processes)×\(setting.threads)"
      FileHandle.standardError.write(
        Data("\(setting.kind) \(setting.records) \(setting.distribution) \(place) \(setting.workload)\n".utf8))
    }
    let results = try run.results()
    if let docs { try RenderStoresCommand.render(whole(results), into: docs) }
    print(StoreTables(results: results).text)
  }

  private var isPartial: Bool {
    !store.isEmpty || !workload.isEmpty || !kind.isEmpty || !records.isEmpty || !distribution.isEmpty
      || !durability.isEmpty
  }
}

struct RenderStoresCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render-stores",
    abstract: "Makes the generated part of a document from the results of 'stores', measuring nothing.")

  @Argument(help: "The results file that 'stores --write' wrote.")
  var results: String

  @Option(help: "The Markdown document with the two markers.")
  var docs: String

  func run() throws { try Self.render(try StoreResults(contentsOf: results), into: docs) }

  static func render(_ results: StoreResults, into path: String) throws {
    try GeneratedBlock.replace(inFile: path, with: StoreTables(results: results).text, command: "make bench-stores")
  }
}

/// The process that fills a store.
struct StoreLoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "store-load", shouldDisplay: false)

  @Argument var work: String

  func run() throws { try StoreWorker.load(JSONDecoder().decode(StoreWork.self, from: Data(work.utf8))) }
}

/// A process that works on a store.
struct StoreWorkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "store-work", shouldDisplay: false)

  @Argument var work: String

  func run() throws {
    let measurement = try StoreWorker.run(JSONDecoder().decode(StoreWork.self, from: Data(work.utf8)))
    try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(measurement))
  }
}
