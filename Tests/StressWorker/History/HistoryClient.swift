import DflatKV
import Foundation
import HistoryChecker
import Synchronization
import TestSupport

/// A thread that calls random transactions of every form, many of them at a time.
final class HistoryClient: @unchecked Sendable {
  // Unchecked: only the thread that runs it uses it; transactions' closures use values of their own.
  static let valuesPerTransaction = 8
  private static let mostInFlight = 12

  private let workspace: SQLiteWorkspace
  private let recorder: HistoryRecorder
  private let page: HistoryPage
  private let owner: Int
  private var nextValue: Int
  private var random: SeededGenerator
  private let inFlight = DispatchSemaphore(value: HistoryClient.mostInFlight)
  private static let plainWrites = NSLock()
  /// The errors that transactions may fail with.
  private let expected: Set<WorkspaceError.Code>

  init(
    _ workspace: SQLiteWorkspace, _ recorder: HistoryRecorder, page: HistoryPage, owner: Int = 0, firstValue: Int = 0,
    seed: UInt64 = 0
  ) {
    self.workspace = workspace
    self.recorder = recorder
    self.page = page
    self.owner = owner
    self.nextValue = firstValue
    self.random = SeededGenerator(seed: seed)
    expected = Set([.aborted, .conflict, .busy, .outcomeUnknown])
      .union(workspace.replication == nil ? [] : [.unavailable, .diskFull])
  }

  /// Runs `count` calls, and returns when all of them have ended.
  func run(_ count: Int) throws {
    for number in 0..<count {
      if number % 8 == 7 { say(".") }
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<8: wait(for: HistoryPlan(page, &nextValue, &random))
      case 8..<16: queue(HistoryPlan(page, &nextValue, &random))
      case 16..<19: snapshot(HistoryPlan.randomReads(page, &random))
      default: plainWrite()
      }
    }
    for _ in 0..<Self.mostInFlight { inFlight.wait() }
    for _ in 0..<Self.mostInFlight { inFlight.signal() }
  }

  private func wait(for plan: HistoryPlan) {
    let id = recorder.call(writing: plan.writes)
    var run = HistoryRun(plan)
    var tries = 0
    defer { recorder.conflicts.add(max(0, tries - 1), ordering: .relaxed) }
    do {
      try workspace.transactAndWait(plan.types) { transaction in
        // The closure is run again after a conflict.
        run = HistoryRun(plan)
        tries += 1
        try run.perform(in: workspace, transaction)
      }
      recorder.end(id, .committed, having: run.operations)
    } catch { recorder.end(id, outcome(of: error), having: isReplica ? [] : run.operations) }
  }

  /// A transaction that fails on a replica may have run on a state that the cluster has left behind, so its reads don't
  /// count.
  private var isReplica: Bool { workspace.replication != nil }

  private func queue(_ plan: HistoryPlan) {
    inFlight.wait()
    // No other thread uses the run until the closure has ended, and the completion comes after it.
    let run = Handed(HistoryRun(plan))
    let queued = Atomic<UInt64>.Shared(0)
    let id = recorder.call(lanes: plan.lanes, writing: plan.writes)
    // A replica's commit may fail with an unknown outcome, which a completion doesn't tell.
    let failure = isReplica && plan.ending == .commits ? History.Outcome.unknown : .aborted
    workspace.performChanges(plan.types) { [workspace, expected] transaction in
      run.value = HistoryRun(plan)
      do { try run.value.perform(in: workspace, transaction) } catch {
        Self.report(error, unless: expected)
        transaction.abort()
      }
    } completionHandler: { [recorder, inFlight, isReplica] succeeded in
      let time = queued.load()
      recorder.end(
        id, queued: time == 0 ? nil : time, succeeded ? .committed : failure,
        having: succeeded || !isReplica ? run.value.operations : [])
      inFlight.signal()
    }
    queued.store(HistoryRecorder.now)
  }

  /// Reads the page in a transaction, and in a snapshot.
  func readAll() {
    let reads = page.keys.map { HistoryPlan.Step(key: $0, choice: 0) }
    wait(for: HistoryPlan(reading: reads, of: page))
    snapshot(reads)
  }

  private func snapshot(_ reads: [HistoryPlan.Step]) {
    let id = recorder.call(writing: [])
    var operations: [History.Operation] = []
    do {
      // A replica's snapshot is of what the machine knows.
      try workspace.replication?.catchUp()
      try workspace.fetchWithinASnapshot {
        for step in reads { operations += try step.read(in: workspace, nil) }
      }
      recorder.end(id, .committed, having: operations)
    } catch {
      Self.report(error, unless: expected)
      recorder.end(id, .aborted, having: operations)
    }
  }

  private func plainWrite() {
    // A write that fails is reported to the next caller of `synchronize()`, so let nobody else call it meanwhile.
    if isReplica { Self.plainWrites.lock() }
    defer { if isReplica { Self.plainWrites.unlock() } }
    let key = page.plainKey(of: owner)
    let write = History.Operation.write(key: key, value: nextValue)
    let id = recorder.call(writing: [write])
    workspace.dictionary[DictionaryHistoryStore.name(of: key)] = "\(nextValue)"
    nextValue += 1
    do {
      try workspace.dictionary.synchronize()
      recorder.end(id, .committed, having: [write])
    } catch { recorder.end(id, .unknown, having: [write]) }
  }

  private func outcome(of error: any Error) -> History.Outcome {
    Self.report(error, unless: expected)
    return (error as? WorkspaceError)?.code == .outcomeUnknown ? .unknown : .aborted
  }

  /// Reports an unexpected error. The history continues, because it shows more than the error does.
  private static func report(_ error: any Error, unless expected: Set<WorkspaceError.Code>) {
    if error is HistoryRun.Failure { return }
    if let error = error as? WorkspaceError, expected.contains(error.code) { return }
    FileHandle.standardError.write(Data("a transaction failed: \(error)\n".utf8))
  }
}

/// A value that threads use one after the other.
final class Handed<Value>: @unchecked Sendable {
  // Unchecked: the completion of a transaction runs after its closure.
  var value: Value
  init(_ value: Value) { self.value = value }
}

extension Atomic where Value == UInt64 {
  /// An atomic number that closures share.
  final class Shared: Sendable {
    private let value: Atomic<UInt64>
    init(_ value: UInt64) { self.value = Atomic(value) }
    func load() -> UInt64 { value.load(ordering: .acquiring) }
    func store(_ new: UInt64) { value.store(new, ordering: .releasing) }
  }
}
