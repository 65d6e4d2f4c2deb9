import ArgumentParser
import Foundation

/// Compiles small faults into the library, one of which is switched on in each run of the tests, and tells which of them no
/// test notices.
@main
struct Mutants: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds out which small faults the tests don't notice.",
    discussion: """
      The faults are compiled into a copy of the tree in .build-mutants, all at once; each run of the tests switches one on. \
      A run of hours may be interrupted: the next one goes on with what is left. Example: mutants --count 500
      """)

  @Option(help: "How many faults.") var count = 500
  @Option(help: "Chooses them: the same seed and sources give the same faults.") var seed: UInt64 = 1
  @Option(help: "Faults of files whose path holds this text alone.") var only: String?
  @Option(help: "Stop after so many minutes; the next run goes on.") var minutes: Int?
  @Option(help: "How many runs of the tests at a time.") var jobs = 2
  @Flag(help: "Print the faults, and run nothing.") var list = false
  @Flag(help: "Forget the results of earlier runs.") var fresh = false
  @Argument(help: "The root of the tree.") var root = "."

  func run() throws {
    let original = URL(filePath: root).standardizedFileURL
    let possible = try Selection.all(in: original).filter { only.map($0.file.contains) ?? true }
    let chosen = Selection.choose(count, of: possible, seed: seed)
    if list {
      for mutation in chosen { print("\(mutation.file):\(mutation.line): \(mutation.title)") }
      return print("\(chosen.count) of \(possible.count) possible faults")
    }
    let folder = original.appending(path: ".build-mutants")
    let tree = MutantTree(original: original, root: folder.appending(path: "tree"))
    let resultsFile = folder.appending(path: "results.jsonl")
    if fresh { try? FileManager.default.removeItem(at: resultsFile) }
    try tree.copyTree(except: Set(chosen.map(\.file)))
    let numbered = try tree.build(chosen) { Shell.say($0) }
    var run = TestRun(root: tree.root)
    try run.calibrate()
    let results = try judge(numbered, by: run, into: Results(url: resultsFile))
    report(results, explanations: Explanations(url: original.appending(path: "Mutants/survivors.txt")))
  }

  private func judge(_ numbered: [Int: Mutation], by run: TestRun, into results: Results) throws -> Results {
    let deadline = minutes.map { ContinuousClock.now + .seconds($0 * 60) }
    let queue = Work(
      results: results,
      rest: numbered.sorted { $0.key < $1.key }.filter { !results.contains($0.value) })
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while deadline.map({ ContinuousClock.now < $0 }) ?? true, let (number, mutation) = queue.next() {
        queue.note(mutation, Result { try run.verdict(on: mutation, number: number) })
      }
    }
    return try queue.finish()
  }

  private func report(_ results: Results, explanations: Explanations) {
    let unexplained = results.survivors.filter { !explanations.covers($0) }
    for mutation in unexplained { print("SURVIVED \(mutation.file):\(mutation.line)\n\(mutation.title)") }
    print(
      """
      \(results.entries.count) faults: \(results.count(.failed)) failed a test, \(results.count(.crashed)) crashed, \
      \(results.count(.hung)) hung, \(results.survivors.count) survived, \(unexplained.count) of these unexplained
      """)
  }
}
