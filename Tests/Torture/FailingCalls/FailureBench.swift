import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// A file with one number in keys and objects: every change sets all of them, so that what a failure leaves half done
/// shows as a difference. Observers note what they are told.
final class FailureBench: @unchecked Sendable {  // one thread sets it up, performs and checks
  let scenario: FailureScenario
  let directory: TemporaryDirectory
  let options: SQLiteWorkspace.Options
  let workspace: SQLiteWorkspace
  /// The number that every read has to give.
  private(set) var committed = 1
  private var stirred = 0
  var outcome: Result<Void, any Error> = .success(())
  /// A read that can't throw gave nothing.
  var hasMissed = false
  /// What completion handlers were told of the members of a group.
  let members = EventLog<(Int, Bool)>()
  private let reported = EventLog<WorkspaceError>()
  private let keys = EventLog<Int>()
  private let objects = EventLog<Int>()
  private var subscriptions: [WorkspaceSubscription] = []

  /// Of those that look at the file for a moment, and watch nobody.
  var lookingOptions: SQLiteWorkspace.Options {
    var options = options
    options.followsOtherProcesses = false
    return options
  }

  /// The file that the scenario opens.
  var otherPath: String {
    switch scenario {
    case .creating: directory.file("new.db")
    case .recovering: directory.file("left.db")
    default: directory.file()
    }
  }

  init(folder: String, _ scenario: FailureScenario, _ synchronous: SQLiteWorkspace.Synchronous) throws {
    self.scenario = scenario
    directory = try TemporaryDirectory(keeping: "\(folder)/failing-\(UInt64.random(in: 0...UInt64.max))")
    var options = SQLiteWorkspace.Options()
    options.vfs = FaultPlan.vfsName
    options.logger.logLevel = .critical
    options.synchronous = synchronous
    options.busyTimeout = .milliseconds(10)
    options.errorHandler = { [reported] in reported.append($0) }
    // Watching takes longer than all else.
    options.followsOtherProcesses = [.following, .observing, .opening, .closing].contains(scenario)
    self.options = options
    if scenario == .filling { try MemberFile.make(at: directory.file()) }
    workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
    try workspace.transactAndWait([Post.self]) { try $0.insert(Post(title: "other", priority: 5)) }
    try set(1)
    try prepare()
    observe(workspace)
    // Else what the observers read is not read again before the closure has the baton: an error there would undo its group.
    if scenario == .heedlessClosure { try stir() }
  }

  deinit {
    for subscription in subscriptions { subscription.cancel() }
    workspace.shutdown()
    try? FileManager.default.removeItem(atPath: directory.path)
  }

  private func prepare() throws {
    switch scenario {
    case .following:
      let other = try SQLiteWorkspace.open(filePath: directory.file(), options: lookingOptions)
      try other.transactAndWait([Post.self]) { try write(2, in: $0) }
      other.shutdown()
      committed = 2
    case .recovering:
      // As a killed process leaves it: the log is not copied.
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: directory.file() + suffix, toPath: directory.file("left.db") + suffix)
      }
    case .checkpoint:
      for number in 0..<2 {
        try workspace.transactAndWait { $0.dictionary["padding"] = Data(repeating: UInt8(number), count: 1_900_000) }
      }
    case .reading, .heedlessReading, .snapshot, .transaction, .heedlessClosure, .backup, .checking: try stir()
    default: break
    }
  }

  /// Another's commit, which empties the connections' page caches, and of a key that this workspace has not read.
  private func stir() throws {
    let other = try SQLiteWorkspace.open(filePath: directory.file(), options: lookingOptions)
    defer { other.shutdown() }
    stirred += 1
    try other.transactAndWait { $0.dictionary["unread"] = Self.text(stirred) }
  }

  /// Observes a key and a query of the workspace.
  func observe(_ workspace: SQLiteWorkspace) {
    let key = workspace.dictionary.subscribe("left", of: Int.self) { [keys] change in
      switch change {
      case .initial(let value): keys.append(value ?? 0)
      case .updated(let value): keys.append(value)
      case .deleted: keys.append(-1)
      }
    }
    let result = workspace.fetch(for: Post.self).where(Post.title == "post")
    let query = workspace.subscribe(fetchedResult: result) { [objects] in
      objects.append($0.first.map { Int($0.priority) } ?? -1)
    }
    subscriptions += [key, query]
  }

  // MARK: Checks

  /// The cause is gone: everything is whole, says what was told, and goes on.
  func check() throws {
    if case .failure(let error) = outcome {
      try require((error as? Finding) == nil, "\((error as? Finding)?.message ?? "")")
      try require(error is WorkspaceError, "The error is no WorkspaceError: \(error)")
    }
    if scenario == .closing { return try checkClosed() }
    let found = try state(of: workspace)
    let other = try SQLiteWorkspace.open(filePath: directory.file(), options: lookingOptions)
    defer { other.shutdown() }
    let stored = try state(of: other)
    let problems = try other.checkIntegrity([Post.self])
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    try require(found == stored, "The workspace reads \(found), and the file holds \(stored).")
    try require(!hasMissed || !reported.events.isEmpty, "A read gave nothing, and nobody was told.")
    try checkOutcome(stored)
    try checkLeftovers(stored)
    let before = stored.left ?? -1
    try set(9)
    let last = try state(of: workspace)
    try require(last == .all(9), "After the failure a transaction leaves \(last).")
    try checkObservers(before)
  }

  private func checkOutcome(_ stored: State) throws {
    let isUnknown = (outcome.failure as? WorkspaceError)?.code == .outcomeUnknown
    switch scenario.kind {
    case .reads: try require(stored == .all(committed), "A reader changed the file: \(stored).")
    case .group: try checkMembers()
    case .sets where [.plainWrites, .flush, .update].contains(scenario):
      // Keys alone, of one commit, or of several where plain writes wait.
      let isChanged =
        switch scenario {
        case .update: stored.only == 2
        case .flush: stored.right == 2
        default: stored.left == 2 && stored.right == 2 && stored.text == 2
        }
      if case .failure(let error) = outcome {
        try require(!isChanged || isUnknown, "\(error) was thrown, and the change is there: \(stored).")
        try require(
          scenario == .update || !reported.events.isEmpty, "\(error) was thrown, and the handler was told nothing.")
      } else {
        try require(isChanged || !reported.events.isEmpty, "A success left \(stored).")
      }
    case .sets:
      try require(stored == .all(1) || stored == .all(2), "Half a transaction is in the file: \(stored).")
      if case .failure(let error) = outcome {
        // The checkpoint scenario also compacts, behind its commit.
        try require(
          stored.left == 1 || isUnknown || scenario == .checkpoint,
          "\(error) was thrown, and the change is there: \(stored).")
      } else {
        try require(stored.left == 2, "A success left \(stored).")
      }
    }
  }

  /// Each member of the group is there in all its parts, or not at all, as its completion was told.
  private func checkMembers() throws {
    let told = members.events
    try require(told.map(\.0).sorted() == Array(0..<Self.memberCount), "Completions were told of \(told).")
    let isUnknown = reported.events.contains { $0.code == .outcomeUnknown }
    for (member, succeeded) in told {
      let key = try workspace.dictionary.value(forKey: "member\(member)", as: Int.self) != nil
      let object = try workspace.query(for: Post.self).where(Post.title == "member \(member)").exists()
      try require(key == object, "Of member \(member) the key is \(key ? "" : "not ")there, unlike its object.")
      try require(
        key == succeeded || isUnknown, "Member \(member) was told \(succeeded), and is \(key ? "" : "not ")there.")
      try require(
        !(key && [Self.aborted, Self.refused].contains(member)), "A member that was aborted or refused is there.")
    }
    try workspace.transactAndWait([Post.self]) { try $0.deleteAll(Post.self, where: Post.title.hasPrefix("member")) }
  }

  private func checkLeftovers(_ stored: State) throws {
    let backup = directory.file("backup.db")
    if scenario == .backup {
      let exists = FileManager.default.fileExists(atPath: backup)
      try require(exists == (outcome.failure == nil), "A backup \(exists ? "is there, and failed" : "is missing").")
      if exists {
        let copy = try SQLiteWorkspace.open(filePath: backup, options: lookingOptions)
        defer { copy.shutdown() }
        let copied = try state(of: copy)
        try require(copied == stored, "The backup holds \(copied) for \(stored).")
      }
    }
    if scenario == .creating || scenario == .recovering {
      let opened = try SQLiteWorkspace.open(filePath: otherPath, options: lookingOptions)
      defer { opened.shutdown() }
      let problems = try opened.checkIntegrity([Post.self])
      try require(problems.isEmpty, "The integrity check finds \(problems).")
      if scenario == .recovering {
        let state = try state(of: opened)
        try require(state == .all(1), "What was recovered is \(state).")
      }
      try opened.transactAndWait([Post.self]) { try write(3, in: $0) }
    }
    if scenario == .newTable {
      let members = try workspace.query(for: Club.Member.self).count()
      try require(members == (stored.left == 2 ? 1 : 0), "\(members) members are beside \(stored).")
    }
    let beside = try workspace.dictionary.value(forKey: "beside", as: Int.self)
    try require(
      scenario != .plainAndTransaction || beside == 2 || !reported.events.isEmpty, "A plain write is lost in silence.")
  }

  /// The workspace was shut down while something failed.
  private func checkClosed() throws {
    let other = try SQLiteWorkspace.open(filePath: directory.file(), options: lookingOptions)
    defer { other.shutdown() }
    let stored = try state(of: other)
    try require(stored == .all(1), "Closing changed the file: \(stored).")
    let problems = try other.checkIntegrity([Post.self])
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    let beside = try other.dictionary.value(forKey: "beside", as: Int.self)
    // Shutting down also compacts the file and moves its log, and reports by themselves the steps that fail.
    let steps = ["Compacting ", "Moving the write-ahead log "]
    let failures = reported.events.filter { error in !steps.contains { error.message.hasPrefix($0) } }
    let isUnknown = failures.contains { $0.code == .outcomeUnknown }
    try require(
      (beside == 2) == failures.isEmpty || isUnknown,
      "A plain write is \(beside == 2 ? "there" : "lost"), and was reported as \(failures).")
  }

  /// They were told what was committed, in order, each once. `before` is what was committed when the last number was set.
  private func checkObservers(_ before: Int) throws {
    for (what, log) in [("key", keys), ("query", objects)] {
      let told = log.events
      let committed = [1, before, 9]
      // An observer whose initial value could not be read begins with none.
      let values = told.filter { $0 > 0 }
      try require(values.last == 9, "The last that the observer of a \(what) was told is \(told).")
      try require(values.allSatisfy(committed.contains), "The observer of a \(what) was told \(told), never committed.")
      if scenario != .observing {
        try require(
          zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "The observer of a \(what) was told \(told).")
      }
    }
  }

  func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Finding(message()) }
  }
}

extension FailureBench {
  /// What a number is set in.
  struct State: Equatable, CustomStringConvertible {
    var left, right, only, text, post, tag, companion: Int?
    var isUndone = true

    static func all(_ number: Int) -> State {
      State(
        left: number, right: number, only: number, text: number, post: number, tag: number, companion: number)
    }

    var description: String {
      let values = [left, right, only, text, post, tag, companion].map { $0.map { "\($0)" } ?? "nothing" }
      return values.joined(separator: ", ") + (isUndone ? "" : ", and what was undone")
    }
  }

  func state(of workspace: SQLiteWorkspace) throws -> State {
    // In a transaction, which also settles an outcome that is unknown.
    try workspace.transactAndWait([Post.self]) { transaction in
      let dictionary = transaction.dictionary
      func number(of text: String?) -> Int? {
        guard let text, let first = text.first?.wholeNumberValue else { return nil }
        return text == Self.text(first) ? first : -1
      }
      let post = try workspace.query(for: Post.self).where(Post.title == "post").first()
      let companions = try workspace.query(for: Post.self).where(Post.title.hasPrefix("post ")).fetch()
      return State(
        left: try dictionary.value(forKey: "left", as: Int.self),
        right: try dictionary.value(forKey: "right", as: Int.self),
        only: try dictionary.value(forKey: "only", as: Int.self),
        text: number(of: try dictionary.value(forKey: "text", as: String.self)),
        post: post.map { Int($0.priority) }, tag: number(of: post?.tag),
        companion: companions.count == 1 ? Int(-companions[0].priority) : nil,
        isUndone: try dictionary.value(forKey: "undone", as: Int.self) == nil)
    }
  }
}

extension Result {
  var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
