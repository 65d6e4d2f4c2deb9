import ArgumentParser
import Foundation

/// Compiles small faults into the library, activates one in each run of the tests, and reports the faults that no test
/// notices.
@main
struct Mutants: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds out which small faults the tests don't notice.",
    discussion: """
      The faults are compiled into a copy of the tree in .build-mutants, all at once; each run of the tests switches one on. \
      First each test runs alone, without a fault, to find out which faults it reaches. A run may be interrupted: the next \
      one goes on with what is left. Example: mutants --count 500
      """)

  @Option(help: "How many faults.") var count = 500
  @Option(help: "Chooses them: the same seed and sources give the same faults.") var seed: UInt64 = 1
  @Option(help: "Faults whose name holds this text alone.") var only: String?
  @Option(help: "Stop after so many minutes; the next run goes on.") var minutes: Int?
  @Option(help: "How many runs of the tests at a time.") var jobs = 2
  @Flag(help: "Print the faults, and run nothing.") var list = false
  @Flag(help: "Compile the faults in, and run nothing.") var buildOnly = false
  @Flag(help: "Run what was compiled last.") var skipBuild = false
  @Flag(help: "Run the tests again on the faults that survived.") var recheck = false
  @Flag(help: "Forget the results of earlier runs.") var fresh = false
  @Argument(help: "The root of the tree.") var root = "."

  func run() throws {
    let original = URL(filePath: root).standardizedFileURL
    let possible = try Selection.all(in: original)
    let chosen = Selection.choose(count, of: possible, seed: seed)
    if list {
      for mutation in chosen { print("\(mutation.line) \(mutation.name)") }
      return print("\(chosen.count) of \(possible.count) possible faults")
    }
    let folder = original.appending(path: ".build-mutants")
    let tree = MutantTree(original: original, root: folder.appending(path: "tree"))
    let (resultsFile, reachFile) = (folder.appending(path: "results.jsonl"), folder.appending(path: "reach.json"))
    if fresh { for file in [resultsFile, reachFile] { try? FileManager.default.removeItem(at: file) } }

    // Compile the chosen mutations, or take over those of the last build.
    let numbersFile = folder.appending(path: "numbers.txt")
    let numbered: [Int: Mutation]
    if skipBuild {
      numbered = try readNumbers(of: possible, from: numbersFile)
    } else {
      try tree.copyTree(except: Set(chosen.map(\.file)))
      numbered = try tree.build(chosen) { Shell.say($0) }
      try writeNumbers(numbered, to: numbersFile)
    }
    if buildOnly { return }

    // Find out which tests reach which mutations.
    let processes = (0..<jobs).map { TestProcess(root: tree.root, scratch: Self.scratch.appending(path: "\($0)")) }
    try FileManager.default.createDirectory(at: Self.scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: Self.scratch) }
    var reach = Reach(url: reachFile)
    try reach.measure(numbered, jobs: jobs, processes: processes) { Shell.say($0) }
    try reach.write(to: reachFile)

    // Run these tests against each mutation.
    let results = try judge(numbered, reach: reach, processes: processes, into: Results(url: resultsFile))
    report(
      results.of(Array(numbered.values)), of: numbered.count,
      explanations: Explanations(url: original.appending(path: "Mutants/survivors.txt")))
  }

  /// A folder in memory if possible, because tests sync often.
  private static let scratch = URL(
    filePath: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
  ).appending(path: "dflatkv-mutants-\(ProcessInfo.processInfo.processIdentifier)")

  /// Writes the number of each mutation, for manual runs with `DFLATKV_MUTANT=number`.
  private func writeNumbers(_ numbered: [Int: Mutation], to file: URL) throws {
    let lines = numbered.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.line) \($0.value.name)\n" }
    try Data(lines.joined().utf8).write(to: file)
  }

  private func readNumbers(of possible: [Mutation], from file: URL) throws -> [Int: Mutation] {
    let named = Dictionary(possible.map { ($0.name, $0) }) { first, _ in first }
    var numbered: [Int: Mutation] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      if parts.count == 3, let number = Int(parts[0]) { numbered[number] = named[String(parts[2])] }
    }
    return numbered
  }

  private func judge(
    _ numbered: [Int: Mutation], reach: Reach, processes: [TestProcess], into results: Results
  ) throws -> Results {
    let deadline = minutes.map { ContinuousClock.now + .seconds($0 * 60) }
    let survivors = Set(Array(results.entries.values).survivors.map(\.mutation.name))
    let rest = numbered.filter { _, mutation in
      guard only.map(mutation.name.contains) ?? true else { return false }
      return results.entries[mutation.name] == nil || (recheck && survivors.contains(mutation.name))
    }
    let judge = Judge(reach: reach, earlier: Array(results.entries.values))
    let work = Work(results: results, rest: rest)
    DispatchQueue.concurrentPerform(iterations: jobs) { index in
      while deadline.map({ ContinuousClock.now < $0 }) ?? true, let item = work.next() {
        do { try run(item, in: processes[index], judge: judge, work: work) } catch { work.fail(error) }
      }
    }
    return try work.finish()
  }

  private func run(_ item: Work.Item, in process: TestProcess, judge: Judge, work: Work) throws {
    var item = item
    let isSecondRun = item.plan != nil
    var plan = item.plan ?? judge.plan(for: item.mutation)
    if plan.isEmpty { return work.note(item, .unreached, test: nil) }
    let start = ContinuousClock.now
    let noticed = try judge.run(
      &plan, on: item.mutation, number: item.number, in: process, budget: isSecondRun ? .infinity : 20)
    item.seconds += (ContinuousClock.now - start) / .seconds(1)
    item.plan = plan
    if let noticed {
      work.note(item, noticed.verdict, test: noticed.test)
    } else if plan.isEmpty {
      work.note(item, .survived, test: nil)
    } else {
      work.putBack(item)
    }
  }

  private func report(_ entries: [Results.Entry], of count: Int, explanations: Explanations) {
    let unexplained = entries.survivors.filter { !explanations.covers($0.mutation) }
    for entry in unexplained { print("\(entry.verdict) \(entry.mutation.line) \(entry.mutation.name)") }
    print(
      """
      \(entries.count) of \(count) faults: \(entries.count(.failed)) failed a test, \(entries.count(.crashed)) crashed, \
      \(entries.count(.hung)) hung, \(entries.survivors.count) survived (\(entries.count(.unreached)) of them unreached), \
      \(unexplained.count) of these unexplained
      """)
  }
}
