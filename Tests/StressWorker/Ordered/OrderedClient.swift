import DflatKV
import Foundation
import GoldenModels
import HistoryChecker
import TestSupport

/// A thread that calls random transactions of every form, snapshots, plain reads and plain writes.
final class OrderedClient: @unchecked Sendable {
  // Unchecked: only the thread that runs it uses it; transactions' closures use values of their own.
  private let context: OrderedContext
  private let thread: Int
  private let chain: Int
  private var written = 0
  private var random: SeededGenerator
  /// Small if every value is to reach other processes' observers, so that groups stay small: a commit with a record of
  /// more than 4 KiB names no values.
  private let mostInFlight: Int
  private let inFlight: DispatchSemaphore

  private var workspace: SQLiteWorkspace { context.workspace }
  private var recorder: OrderedRecorder { context.recorder }

  init(_ context: OrderedContext, thread: Int, chain: Int, seed: UInt64) {
    self.context = context
    self.thread = thread
    self.chain = chain
    random = SeededGenerator(seed: seed)
    mostInFlight = context.hasLongValues ? 8 : 2
    inFlight = DispatchSemaphore(value: mostInFlight)
  }

  /// Runs until the flag is set, and returns when all calls have ended.
  func run(until isOver: Flag) throws {
    while !isOver.isSet {
      switch Int.random(in: 0..<32, using: &random) {
      case 0..<10: wait()
      case 10..<20: queue()
      case 20..<23: snapshot()
      case 23..<26: readPlainly()
      case 26..<29: writePlainly(Int.random(in: 1...3, using: &random))
      case 29: writeBeforeTransaction()
      case 30: update()
      default: swap()
      }
    }
    for _ in 0..<mostInFlight { inFlight.wait() }
    for _ in 0..<mostInFlight { inFlight.signal() }
  }

  // MARK: Transactions

  /// Returns the stores of objects that a transaction declares.
  private func randomStores() -> [Int] {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: []
    case 2: [0, 1]
    case 3: [1]
    default: [0]
    }
  }

  /// Returns the lanes, which are the declared types. Transactions that declare none share one lane.
  private static func lanes(_ stores: [Int]) -> UInt32 {
    stores.isEmpty ? 1 : stores.reduce(0) { $0 | 2 << UInt32($1) }
  }

  private func wait() {
    let stores = randomStores()
    let id = recorder.call(thread: thread, .transaction, lanes: Self.lanes(stores))
    let seed = SeededGenerator(seed: random.next())
    var run = OrderedRun(context, id: id, stores: stores, random: seed)
    do {
      try workspace.transactAndWait(OrderedRun.types(stores)) { transaction in
        // The closure is run again after a conflict.
        run = OrderedRun(context, id: id, stores: stores, random: seed)
        try run.perform(transaction)
      }
      finish(id, run)
    } catch { recorder.end(id, outcome(of: error)) }
  }

  private func queue() {
    inFlight.wait()
    let stores = randomStores()
    let id = recorder.call(thread: thread, .transaction, lanes: Self.lanes(stores))
    // No other thread uses the run until the closure has ended, and the completion comes after it.
    let run = Handed(OrderedRun(context, id: id, stores: stores, random: SeededGenerator(seed: random.next())))
    workspace.performChanges(OrderedRun.types(stores)) { transaction in
      do { try run.value.perform(transaction) } catch {
        OrderedContext.complain(of: error)
        transaction.abort()
      }
    } completionHandler: { [self] succeeded in
      if succeeded { finish(id, run.value) } else { recorder.end(id, .aborted) }
      inFlight.signal()
    }
    recorder.noteQueued(id)
  }

  private func finish(_ id: Int, _ run: OrderedRun) {
    recorder.end(id, .committed, run.operations)
    if run.mustFail { OrderedContext.complain("a transaction committed without a value that can't be encoded") }
  }

  private func update() {
    let key = Int.random(in: OrderedKeys.lasting, using: &random)
    let id = recorder.call(thread: thread, .transaction)
    let value = context.newValue()
    let text = context.text(of: value, &random)
    do {
      try workspace.dictionary.update(context.names[key], default: "") {
        let old = OrderedContext.value(of: $0)
        $0 = text
        recorder.noteTurn(id, [.read(key: key, value: old), .write(key: key, value: value, attribute: 0)])
      }
      recorder.end(id, .committed)
    } catch { recorder.end(id, outcome(of: error)) }
  }

  private func swap() {
    let key = Int.random(in: OrderedKeys.swapped, using: &random)
    let name = context.names[key]
    let value = context.newValue()
    let text = context.text(of: value, &random)
    do {
      let old = try workspace.dictionary.value(forKey: name, as: String.self)
      let id = recorder.call(thread: thread, .transaction)
      let read = OrderedHistory.Operation.read(key: key, value: OrderedContext.value(of: old))
      recorder.noteSwap(id, [read, .write(key: key, value: value, attribute: 0)])
      do {
        let done = try workspace.dictionary.compareAndSet(name, expected: old, new: text)
        recorder.end(id, done ? .committed : .aborted)
      } catch { recorder.end(id, outcome(of: error)) }
    } catch { OrderedContext.complain(of: error) }
  }

  private func outcome(of error: any Error) -> OrderedHistory.Outcome {
    OrderedContext.complain(of: error)
    return (error as? WorkspaceError)?.code == .outcomeUnknown ? .unknown : .aborted
  }

  // MARK: Reads

  /// Reads one state if the caller sees one state.
  private func randomReads(_ count: Int) throws -> [OrderedHistory.Operation] {
    let (dictionary, names) = (workspace.dictionary, context.names)
    return try (0..<count).map { _ in
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try OrderedRun.read(Int.random(in: 0..<64, using: &random), dictionary, names)
      case 1: try OrderedRun.find(.init(OrderedRun.block(&random)), dictionary, names)
      case 2: OrderedRun.names(.init(OrderedRun.block(&random)), dictionary, names)
      case 3: try OrderedRun.find(.init(0..<256), dictionary, names)
      case 4: try OrderedRun.query(OrderedPosts.self, context, &random)
      case 5: try OrderedRun.query(OrderedDocs.self, context, &random)
      case 6: try OrderedRun.read(Int.random(in: OrderedPosts.keys, using: &random), OrderedPosts.self, context)
      default: try OrderedRun.read(Int.random(in: OrderedDocs.keys, using: &random), OrderedDocs.self, context)
      }
    }
  }

  private func snapshot() {
    let id = recorder.call(thread: thread, .snapshot)
    do {
      let count = Int.random(in: 1...5, using: &random)
      recorder.end(id, .committed, try workspace.fetchWithinASnapshot { try randomReads(count) })
    } catch {
      OrderedContext.complain(of: error)
      recorder.end(id, .aborted)
    }
  }

  private func readPlainly() {
    let id = recorder.call(thread: thread, .plain)
    do {
      // Most ways to mix two states only show in a read of keys of both kinds of writes.
      let readsAll = Int.random(in: 0..<3, using: &random) == 0
      let reads =
        readsAll
        ? [try OrderedRun.find(.init(OrderedKeys.dictionary), workspace.dictionary, context.names)]
        : try randomReads(1)
      recorder.end(id, .committed, reads)
    } catch {
      OrderedContext.complain(of: error)
      recorder.end(id, .aborted)
    }
  }

  /// Reads everything in a transaction, and in a snapshot.
  func readAll() throws {
    func reads() throws -> [OrderedHistory.Operation] {
      let workspace = workspace
      return [
        try OrderedRun.find(.init(OrderedKeys.dictionary), workspace.dictionary, context.names),
        .find(
          .init(OrderedPosts.keys),
          OrderedPosts.found(in: Array(try workspace.query(for: OrderedPosts.Element.self).fetch()), context.names)),
        .find(
          .init(OrderedDocs.keys),
          OrderedDocs.found(in: Array(try workspace.query(for: OrderedDocs.Element.self).fetch()), context.names)),
      ]
    }
    let id = recorder.call(thread: thread, .transaction)
    try workspace.transactAndWait(OrderedRun.types([0, 1])) { _ in recorder.noteTurn(id, try reads()) }
    recorder.end(id, .committed)
    let snapshot = recorder.call(thread: thread, .snapshot)
    recorder.end(snapshot, .committed, try workspace.fetchWithinASnapshot { try reads() })
  }

  // MARK: Plain writes

  /// Runs a transaction after plain writes that replace others. A read of many keys that shows the transaction and the
  /// replaced writes mixes two states.
  private func writeBeforeTransaction() {
    writePlainly(2)
    writePlainly(2)
    wait()
  }

  private func writePlainly(_ count: Int) {
    for _ in 0..<count {
      written += 1
      let key = OrderedKeys.plain.lowerBound + 2 * chain + (written.isMultiple(of: 2) ? 1 : 0)
      let text = context.text(of: written, &random)
      recorder.noteWrite(chain, written)
      workspace.dictionary[context.names[key]] = text
      recorder.noteReturn(chain, written)
    }
    guard Int.random(in: 0..<6, using: &random) == 0 else { return }
    do {
      try workspace.dictionary.synchronize()
      recorder.noteSynchronized(chain, written)
    } catch { OrderedContext.complain(of: error) }
  }
}
