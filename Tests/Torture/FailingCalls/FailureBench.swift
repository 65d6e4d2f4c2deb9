import CFaultVFS
import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// What is done while something is scarce.
enum FailureScenario: CaseIterable {
  case transaction, largeTransaction, plainWrites, entities, query, snapshot, opening, compacting, checking, backup

  init(using random: inout SeededGenerator) {
    self = Self.allCases[Int.random(in: 0..<Self.allCases.count, using: &random)]
  }
}

/// A file with one number in two keys and an object: every change sets all three, so that what a failure leaves half done
/// shows as a difference.
final class FailureBench {
  private let directory: TemporaryDirectory
  private let options: SQLiteWorkspace.Options
  private let reported = EventLog<WorkspaceError>()
  private let workspace: SQLiteWorkspace

  init(folder: String, synchronous: SQLiteWorkspace.Synchronous) throws {
    directory = try TemporaryDirectory(keeping: "\(folder)/failing-\(UInt64.random(in: 0...UInt64.max))")
    var options = SQLiteWorkspace.Options()
    options.vfs = FaultPlan.vfsName
    options.logger.logLevel = .critical
    options.synchronous = synchronous
    options.busyTimeout = .milliseconds(10)
    options.errorHandler = { [reported] in reported.append($0) }
    self.options = options
    workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
    try set(1)
  }

  deinit {
    workspace.shutdown()
    try? FileManager.default.removeItem(atPath: directory.path)
  }

  private func set(_ number: Int, padding: Int = 0, plainly: Bool = false) throws {
    if plainly {
      workspace.dictionary["left"] = number
      return try workspace.dictionary.synchronize()
    }
    try workspace.transactAndWait([Post.self]) { transaction in
      transaction.dictionary["left"] = number
      if padding > 0 { transaction.dictionary["padding"] = Data(repeating: 1, count: padding) }
      try transaction.upsert(Post(title: "post", priority: Int32(number)))
      transaction.dictionary["right"] = number
    }
  }

  func run(_ scenario: FailureScenario, under scarcity: Scarcity) throws {
    let outcome = try during(scarcity) { Result { try perform(scenario) } }
    if case .failure(let error) = outcome {
      try require(error is WorkspaceError, "The error is no WorkspaceError: \(error)")
    }
    // The cause is gone: everything is whole, and goes on.
    let isPlain = scenario == .plainWrites
    let found = try state(of: workspace)
    let other = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
    let stored = try state(of: other)
    let problems = try other.checkIntegrity()
    other.shutdown()
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    try require(stored.right == stored.post, "Half a transaction is in the file: \(stored).")
    try require(isPlain || stored.left == stored.right, "Half a transaction is in the file: \(stored).")
    try require(found == stored, "The workspace reads \(found), and the file holds \(stored).")
    let isUnknown = (outcome.failure as? WorkspaceError)?.code == .outcomeUnknown
    let changed = isPlain ? stored.left : stored.right
    if scenario.writes {
      switch outcome {
      case .success: try require(changed == 2 || isPlain && !reported.events.isEmpty, "A success left \(stored).")
      case .failure(let error):
        try require(changed == 1 || isUnknown, "\(error) was thrown, and the change is there: \(stored).")
      }
    } else {
      try require(stored == State(left: 1, right: 1, post: 1), "A reader changed the file: \(stored).")
    }
    try set(3)
    let last = try state(of: workspace)
    try require(last == State(left: 3, right: 3, post: 3), "After the failure a transaction leaves \(last).")
  }

  private func perform(_ scenario: FailureScenario) throws {
    switch scenario {
    case .transaction, .entities: try set(2)
    case .largeTransaction: try set(2, padding: 3_000_000)
    case .plainWrites: try set(2, plainly: true)
    case .query: _ = try workspace.query(for: Post.self).where(Post.priority > 0).fetch()
    case .snapshot:
      try workspace.fetchWithinASnapshot { _ = try workspace.dictionary.value(forKey: "absent", as: Int.self) }
    case .opening:
      let other = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
      defer { other.shutdown() }
      _ = try other.dictionary.entries()
    case .compacting: _ = try workspace.compact()
    case .checking: _ = try workspace.checkIntegrity()
    case .backup: try workspace.backup(to: directory.file("backup.db"))
    }
  }

  private struct State: Equatable, CustomStringConvertible {
    var left: Int?
    var right: Int?
    var post: Int?
    var description: String { "\(left ?? -1), \(right ?? -1) and \(post ?? -1)" }
  }

  private func state(of workspace: SQLiteWorkspace) throws -> State {
    // In a transaction, which also settles an outcome that is unknown.
    try workspace.transactAndWait([Post.self]) { transaction in
      State(
        left: try transaction.dictionary.value(forKey: "left", as: Int.self),
        right: try transaction.dictionary.value(forKey: "right", as: Int.self),
        post: try workspace.query(for: Post.self).where(Post.title == "post").first().map { Int($0.priority) })
    }
  }

  private func during<R>(_ scarcity: Scarcity, _ body: () -> R) throws -> R {
    switch scarcity {
    case .fault(let fault, let number, let lasts):
      let plan = try FaultPlan(
        fault.operations, on: fault.files, in: directory.path, fail: lasts ? .from(number) : .once(number),
        with: fault.code)
      defer { plan.cancel() }
      return body()
    case .memory(let number, let lasts):
      faultvfs_fail_allocations(number, lasts ? -1 : 1)
      defer { faultvfs_fail_allocations(0, 0) }
      return body()
    case .descriptors(let left): return withDescriptors(left, body)
    case .disk: return try SmallDisk.filled(directory, body)
    }
  }

  private func withDescriptors<R>(_ left: Int, _ body: () -> R) -> R {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
    let next = dup(STDOUT_FILENO)
    close(next)
    var limit = before
    limit.rlim_cur = rlim_t(Int(next) + left)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
    return body()
  }
}

extension FailureScenario {
  fileprivate var writes: Bool {
    switch self {
    case .transaction, .largeTransaction, .plainWrites, .entities: true
    case .query, .snapshot, .opening, .compacting, .checking, .backup: false
    }
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
