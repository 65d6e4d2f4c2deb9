import DflatCore
import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// Runs the steps of a program on workspaces.
final class Executor: @unchecked Sendable {
  // Unchecked: one operation runs at a time; those of a callback run while the thread that triggered it waits.
  let folder: String
  let slots: [Slot]
  var places: [Int: Place] = [:]
  /// The clusters of replicas, which take the places of files.
  private var clusters: [Int: MemoryCluster] = [:]
  /// Objects that were inserted or fetched, for later requests.
  var objects: [Club.Member] = []
  /// Typed keys remember where they were used last.
  var typedKeys: [Name: TypedKeys] = [:]
  static let objectLimit = 12

  init(folder: String, slots: [Slot]) {
    self.folder = folder
    self.slots = slots
  }

  /// A slot's workspace while it is open, and the results that its callbacks collect.
  final class Place: @unchecked Sendable {
    // Unchecked for the same reason as the executor.
    let workspace: SQLiteWorkspace
    let reports = EventLog<String>()
    var subscriptions: [Int: WorkspaceSubscription] = [:]
    var logs: [Int: EventLog<String>] = [:]
    var seen: [Int: Int] = [:]
    var reported = 0
    var trigger: WorkspaceSubscription?
    let callback = TriggeredWork()
    var fired = Int64(0)
    /// True while a callback of this workspace runs, in which nothing may wait for the delivery queue.
    var isInCallback = false

    /// - Parameter replication: Makes the workspace a replica; nil for a file that the slots share.
    init(_ slot: Slot, path: String, replication: SQLiteWorkspace.Replication?) throws {
      var options = Executor.quietOptions
      options.isReadOnly = slot.isReadOnly
      options.writeConcurrency = slot.isSerial ? .serial : .concurrent
      options.synchronous = slot.isFull ? .full : .normal
      options.fillsIndexes = slot.fillsIndexes
      switch slot.cache {
      case .unlimited: break
      case .entries: options.cacheLimit = .entries(16)
      case .bytes: options.cacheLimit = .bytes(20_000)
      }
      let reports = reports
      options.errorHandler = { reports.append("\($0.code)") }
      workspace =
        if let replication {
          try SQLiteWorkspace.open(filePath: path, options: options, replication: replication)
        } else {
          try SQLiteWorkspace.open(filePath: path, options: options)
        }
    }

    func settle() throws {
      let done = Gate("delivery")
      workspace.core.delivery.enqueue(for: workspace.core) { done.open() }
      try done.wait()
    }
  }

  /// Options with a long timeout and without log output.
  static var quietOptions: SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options()
    options.busyTimeout = .seconds(30)
    options.logger.logLevel = .critical
    return options
  }

  struct Closed: Error {}

  func place(_ slot: Int) throws -> Place {
    guard let place = places[slot] else { throw Closed() }
    return place
  }

  // MARK: Steps

  func run(_ step: Step) throws -> Answer {
    switch step.action {
    case .open:
      places[step.slot] = try open(step.slot)
      return answer(.text("ok"), places[step.slot])
    case .close(let flags):
      let place = try place(step.slot)
      place.workspace.shutdown(flags: WorkspaceShutdownFlag(rawValue: flags))
      let answer = answer(.text("ok"), place, withEvents: true)
      places[step.slot] = nil
      return answer
    case .catchUp:
      let place = try place(step.slot)
      try place.workspace.replication?.catchUp()
      try place.workspace.core.checkForCommits()
      return answer(.text("ok"), place)
    case .settle:
      let place = try place(step.slot)
      var reply = "ok"
      do { try place.workspace.dictionary.synchronize() } catch { reply = Self.code(error) }
      try place.workspace.replication?.catchUp()
      try place.workspace.core.checkForCommits()
      // A write is in the file a moment before its observers are queued, under the publication lock.
      try place.workspace.core.withPublishedView { _ in }
      try place.settle()
      return answer(.text(reply), place, withEvents: true)
    case .run(let operation):
      let place = try place(step.slot)
      return answer(perform(operation, at: place, in: .plain), place)
    case .burst(let burst):
      let here = places.keys.filter { slots[$0].file == slots[step.slot].file && !slots[$0].isReadOnly }.sorted()
      return Answer(reply: .text(try burst.run(here.compactMap { places[$0]?.workspace })))
    }
  }

  private func open(_ slot: Int) throws -> Place {
    let (options, path) = (slots[slot], "\(folder)/\(slots[slot].file)")
    guard options.isReplica else { return try Place(options, path: path + ".db", replication: nil) }
    let cluster = clusters[options.file] ?? MemoryCluster()
    clusters[options.file] = cluster
    return try Place(options, path: "\(path).\(slot).db", replication: cluster.replication())
  }

  private func answer(_ reply: Reply, _ place: Place?, withEvents: Bool = false) -> Answer {
    var answer = Answer(reply: reply)
    guard let place else { return answer }
    if withEvents {
      for (id, log) in place.logs {
        let events = log.events
        let new = events.dropFirst(place.seen[id] ?? 0)
        place.seen[id] = events.count
        answer.events[id] = Array(new)
      }
      let reports = place.reports.events
      answer.reports = Array(reports.dropFirst(place.reported))
      place.reported = reports.count
    }
    answer.commitNumber = place.workspace.commitNumber
    return answer
  }

  func end() {
    for place in places.values { place.workspace.shutdown() }
    places = [:]
    objects = []
  }

  // MARK: Operations

  enum Scope: @unchecked Sendable {  // only a closure's thread uses it, or a thread that it waits for
    case plain
    case transaction(TransactionContext)
    /// A callback, in which nothing may wait for the delivery queue.
    case callback
    case snapshot

    var transaction: TransactionContext? { if case .transaction(let transaction) = self { transaction } else { nil } }
  }

  func perform(_ operations: [Operation], at place: Place, in scope: Scope) -> [Reply] {
    operations.map { perform($0, at: place, in: scope) }
  }

  func perform(_ operation: Operation, at place: Place, in scope: Scope) -> Reply {
    do { return try run(operation, at: place, in: scope) } catch { return .text(Self.code(error)) }
  }

  static func code(_ error: any Error) -> String {
    if let error = error as? WorkspaceError { return "!\(error.code)" }
    if error is Closed { return "!closed" }
    if error is Refusal { return "!refusal" }
    return "!!\(error)"
  }

  struct Refusal: Error {}

  func keep(_ object: Club.Member) {
    if objects.count >= Self.objectLimit { objects.removeFirst() }
    objects.append(object)
  }
}
