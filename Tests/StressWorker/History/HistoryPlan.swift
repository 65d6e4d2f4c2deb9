import DflatKV
import HistoryChecker
import TestSupport

/// The steps of a transaction to be run.
struct HistoryPlan: Sendable {
  struct Step: Sendable {
    var key: Int
    /// The value to write after reading, or nil for only a read.
    var value: Int?
    /// True to read the store's whole page instead.
    var readsPage = false
    /// True to read again after that.
    var readsAgain = false
    /// Selects one of several ways to perform the step.
    var choice: Int

    /// Reads in a transaction's closure or a snapshot.
    func read(in workspace: SQLiteWorkspace, _ transaction: TransactionContext?) throws -> [History.Operation] {
      let place = HistoryPage.store(of: key)
      let store = historyStores[place]
      guard readsPage, !HistoryPage.isPlain(key) else {
        let text = try store.read(key, in: workspace, transaction, choice: choice)
        return [HistoryPage.state(of: key, text)]
      }
      let page = HistoryPage(number: key / HistoryPage.keyCount)
      let texts = try store.readAll(of: page, in: workspace, choice: choice)
      return page.keys(of: place).map { HistoryPage.state(of: $0, texts[$0]) }
    }
  }

  enum Ending: Sendable { case commits, aborts, throwsError }

  private(set) var steps: [Step] = []
  let ending: Ending
  let types: [Any.Type]
  /// The lanes of those types, as the history numbers them.
  let lanes: [Int]

  /// Lanes without data, so that the dictionary's transactions have some too.
  private enum FirstLane {}
  private enum SecondLane {}

  init(_ page: HistoryPage, _ nextValue: inout Int, _ random: inout SeededGenerator) {
    var stores = Set([Int.random(in: 0..<page.stores.count, using: &random)])
    if Bool.random(using: &random) { stores.insert(Int.random(in: 0..<page.stores.count, using: &random)) }
    let keys = stores.sorted().flatMap { Array(page.keys(of: $0)) }
    var values = HistoryClient.valuesPerTransaction
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      var key = keys[Int.random(in: 0..<keys.count, using: &random)]
      if Int.random(in: 0..<12, using: &random) == 0 {
        key = page.plainKey(of: Int.random(in: 0..<HistoryPage.plainKeys, using: &random))
      }
      var step = Step(key: key, choice: Int.random(in: 0..<1000, using: &random))
      if key < page.plainKey(of: 0), values > 0, Int.random(in: 0..<3, using: &random) > 0 {
        step.value = nextValue
        nextValue += 1
        values -= 1
        step.readsAgain = Int.random(in: 0..<4, using: &random) == 0
      } else {
        step.readsPage = Int.random(in: 0..<4, using: &random) == 0
      }
      steps.append(step)
    }
    ending =
      switch Int.random(in: 0..<16, using: &random) {
      case 0: .aborts
      case 1: .throwsError
      default: .commits
      }
    var types: [Any.Type] = stores.sorted().flatMap { page.stores[$0].types }
    var lanes = stores.sorted().filter { !page.stores[$0].types.isEmpty }.map { $0 + 3 }
    if Int.random(in: 0..<3, using: &random) == 0 {
      types.append(FirstLane.self)
      lanes.append(1)
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      types.append(SecondLane.self)
      lanes.append(2)
    }
    self.types = types
    self.lanes = lanes.isEmpty ? [0] : lanes
  }

  /// A plan that only reads.
  init(reading steps: [Step], of page: HistoryPage) {
    self.steps = steps
    ending = .commits
    types = page.stores.flatMap(\.types)
    lanes = []
  }

  /// The operations that the transaction writes if it commits.
  var writes: [History.Operation] {
    steps.compactMap { step in
      step.value.map {
        HistoryPage.isList(step.key) ? .append(key: step.key, value: $0) : .write(key: step.key, value: $0)
      }
    }
  }

  /// Random reads for a snapshot.
  static func randomReads(_ page: HistoryPage, _ random: inout SeededGenerator) -> [Step] {
    (0..<Int.random(in: 1...6, using: &random)).map { _ in
      Step(
        key: Int.random(in: page.keys, using: &random), readsPage: Int.random(in: 0..<4, using: &random) == 0,
        choice: Int.random(in: 0..<1000, using: &random))
    }
  }
}

/// A running transaction: performs the plan, and records the results.
struct HistoryRun {
  /// Thrown by transactions that are to fail.
  struct Failure: Error {}

  private let plan: HistoryPlan
  private(set) var operations: [History.Operation] = []

  init(_ plan: HistoryPlan) { self.plan = plan }

  mutating func perform(in workspace: SQLiteWorkspace, _ transaction: TransactionContext) throws {
    for step in plan.steps {
      let store = historyStores[HistoryPage.store(of: step.key)]
      operations += try step.read(in: workspace, transaction)
      guard let value = step.value else { continue }
      try store.write(step.key, in: workspace, transaction, choice: step.choice) {
        HistoryPage.text(of: step.key, adding: value, to: $0)
      }
      operations.append(
        HistoryPage.isList(step.key) ? .append(key: step.key, value: value) : .write(key: step.key, value: value))
      if step.readsAgain {
        let again = try store.read(step.key, in: workspace, transaction, choice: step.choice / 7)
        operations.append(HistoryPage.state(of: step.key, again))
      }
    }
    switch plan.ending {
    case .commits: break
    case .aborts: transaction.abort()
    case .throwsError: throw Failure()
    }
  }
}
