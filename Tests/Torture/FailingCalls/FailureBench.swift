import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// A file with the same number in its keys and objects. Every change sets all of them, so a half-done change after a
/// failure shows as a difference. Observers record the values that they receive.
final class FailureBench: @unchecked Sendable {  // one thread sets it up, performs the scenario and checks it
  let scenario: FailureScenario
  let directory: TemporaryDirectory
  let options: SQLiteWorkspace.Options
  let workspace: SQLiteWorkspace
  /// The number that every read has to return.
  private(set) var committed = 1
  private var stirred = 0
  var outcome: Result<Void, any Error> = .success(())
  /// True if a read that can't throw returned nothing.
  var hasMissed = false
  /// The results that the completion handlers of a group's members received.
  let members = EventLog<(Int, Bool)>()
  private let reported = EventLog<WorkspaceError>()
  private let keys = EventLog<Int>()
  private let objects = EventLog<Int>()
  private var subscriptions: [WorkspaceSubscription] = []

  /// Options of workspaces that look at the file briefly and follow no other process.
  var lookingOptions: SQLiteWorkspace.Options {
    var options = options
    options.followsOtherProcesses = false
    // Nothing fails any more, but the workspace may still have the file's lock, and little processor time.
    options.busyTimeout = .seconds(30)
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
    // Following other processes takes longer than everything else.
    options.followsOtherProcesses = [.following, .observing, .opening, .closing].contains(scenario)
    self.options = options
    if scenario == .filling { try MemberFile.make(at: directory.file()) }
    workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
    try workspace.transactAndWait([Post.self]) { try $0.insert(Post(title: "other", priority: 5)) }
    try set(1)
    try prepare()
    observe(workspace)
    // Empties the page caches, so that the closure's first read reaches the file before the closure has the write
    // token. An error after that would undo its group.
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
      // The file as a killed process leaves it: the log is not copied into the database.
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

  /// Commits in another workspace, which empties the connections' page caches. The key is one that this workspace has
  /// not read.
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
      case .deleted, .expired: keys.append(-1)
      }
    }
    let result = workspace.fetch(for: Post.self).where(Post.title == "post")
    let query = workspace.subscribe(fetchedResult: result) { [objects] in
      objects.append($0.first.map { Int($0.priority) } ?? -1)
    }
    subscriptions += [key, query]
  }

  // MARK: Checks

  /// Checks, once the cause of failures is gone, that everything is whole, matches the reported outcome, and works
  /// again.
  func check() throws {
    if case .failure(let error) = outcome {
      try require((error as? Finding) == nil, "\((error as? Finding)?.message ?? "")")
      try require(error is WorkspaceError, "The error is not a WorkspaceError: \(error)")
    }
    if scenario == .closing { return try checkClosed() }
    let found = try patiently { try state(of: workspace) }
    let other = try SQLiteWorkspace.open(filePath: directory.file(), options: lookingOptions)
    defer { other.shutdown() }
    let stored = try state(of: other)
    let problems = try other.checkIntegrity([Post.self])
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    try require(found == stored, "The workspace reads \(found), and the file holds \(stored).")
    try require(!hasMissed || !reported.events.isEmpty, "A read returned nothing, and no error was reported.")
    try checkOutcome(stored)
    try checkLeftovers(stored)
    let before = stored.left ?? -1
    try set(9)
    let last = try state(of: workspace)
    try require(last == .all(9), "A transaction after the failure left \(last).")
    try checkObservers(before)
  }

  /// Runs `body` again while the file is locked. After some failures a workspace closes its connections, which syncs
  /// the file under a lock, and on a slow disk that takes longer than the short busy timeout.
  private func patiently<T>(_ body: () throws -> T) throws -> T {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      do { return try body() } catch let error as WorkspaceError where error.code == .busy {
        guard ContinuousClock.now < deadline else { throw error }
      }
    }
  }

  private func checkOutcome(_ stored: State) throws {
    let isUnknown = (outcome.failure as? WorkspaceError)?.code == .outcomeUnknown
    switch scenario.kind {
    case .reads: try require(stored == .all(committed), "A reader changed the file: \(stored).")
    case .group: try checkMembers()
    case .sets where [.plainWrites, .flush, .update].contains(scenario):
      // These change keys alone, in one commit, or in several if plain writes are queued.
      let isChanged =
        switch scenario {
        case .update: stored.only == 2
        case .flush: stored.right == 2
        default: stored.left == 2 && stored.right == 2 && stored.text == 2
        }
      if case .failure(let error) = outcome {
        try require(!isChanged || isUnknown, "\(error) was thrown, but the change is in the file: \(stored).")
        try require(
          scenario == .update || !reported.events.isEmpty,
          "\(error) was thrown, but the error handler received nothing.")
      } else {
        try require(isChanged || !reported.events.isEmpty, "An operation that succeeded left \(stored).")
      }
    case .sets:
      try require(stored == .all(1) || stored == .all(2), "Half a transaction is in the file: \(stored).")
      if case .failure(let error) = outcome {
        // The checkpoint scenario also compacts the file after its commit.
        try require(
          stored.left == 1 || isUnknown || scenario == .checkpoint,
          "\(error) was thrown, but the change is in the file: \(stored).")
      } else {
        try require(stored.left == 2, "A transaction that succeeded left \(stored).")
      }
    }
  }

  /// Checks that each member of the group is there in all its parts, or not at all, as its completion reported.
  private func checkMembers() throws {
    let told = members.events
    try require(told.map(\.0).sorted() == Array(0..<Self.memberCount), "The completions reported \(told).")
    let isUnknown = reported.events.contains { $0.code == .outcomeUnknown }
    for (member, succeeded) in told {
      let key = try workspace.dictionary.value(forKey: "member\(member)", as: Int.self) != nil
      let object = try workspace.query(for: Post.self).where(Post.title == "member \(member)").exists()
      try require(key == object, "The key of member \(member) is \(key ? "" : "not ")there, unlike its object.")
      try require(
        key == succeeded || isUnknown,
        "The completion of member \(member) reported \(succeeded), but the member is \(key ? "" : "not ")there.")
      try require(
        !(key && [Self.aborted, Self.refused].contains(member)), "A member that was aborted or refused is there.")
    }
    try workspace.transactAndWait([Post.self]) { try $0.deleteAll(Post.self, where: Post.title.hasPrefix("member")) }
  }

  private func checkLeftovers(_ stored: State) throws {
    let backup = directory.file("backup.db")
    if scenario == .backup {
      let exists = FileManager.default.fileExists(atPath: backup)
      try require(
        exists == (outcome.failure == nil), "The backup \(exists ? "failed, but its file is there" : "is missing").")
      if exists {
        let copy = try SQLiteWorkspace.open(filePath: backup, options: lookingOptions)
        defer { copy.shutdown() }
        let copied = try state(of: copy)
        try require(copied == stored, "The backup holds \(copied), and the file \(stored).")
      }
    }
    if scenario == .creating || scenario == .recovering {
      let opened = try SQLiteWorkspace.open(filePath: otherPath, options: lookingOptions)
      defer { opened.shutdown() }
      let problems = try opened.checkIntegrity([Post.self])
      try require(problems.isEmpty, "The integrity check finds \(problems).")
      if scenario == .recovering {
        let state = try state(of: opened)
        try require(state == .all(1), "The recovered file holds \(state).")
      }
      try opened.transactAndWait([Post.self]) { try write(3, in: $0) }
    }
    if scenario == .newTable {
      let members = try workspace.query(for: Club.Member.self).count()
      try require(members == (stored.left == 2 ? 1 : 0), "The file holds \(members) members and \(stored).")
    }
    let beside = try workspace.dictionary.value(forKey: "beside", as: Int.self)
    try require(
      scenario != .plainAndTransaction || beside == 2 || !reported.events.isEmpty,
      "A plain write was lost without an error.")
  }

  /// Checks the file after the workspace was shut down while something failed.
  private func checkClosed() throws {
    let other = try SQLiteWorkspace.open(filePath: directory.file(), options: lookingOptions)
    defer { other.shutdown() }
    let stored = try state(of: other)
    try require(stored == .all(1), "Closing changed the file: \(stored).")
    let problems = try other.checkIntegrity([Post.self])
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    let beside = try other.dictionary.value(forKey: "beside", as: Int.self)
    // Shutdown also compacts the file and moves its log, and reports failures of these steps separately.
    let steps = ["Compacting ", "Moving the write-ahead log "]
    let failures = reported.events.filter { error in !steps.contains { error.message.hasPrefix($0) } }
    let isUnknown = failures.contains { $0.code == .outcomeUnknown }
    try require(
      (beside == 2) == failures.isEmpty || isUnknown,
      "The plain write is \(beside == 2 ? "there" : "lost"), but the reported errors are \(failures).")
  }

  /// Checks that the observers received the committed values in order, each once. `before` was committed when the last
  /// number was set.
  private func checkObservers(_ before: Int) throws {
    for (what, log) in [("key", keys), ("query", objects)] {
      let told = log.events
      let committed = [1, before, 9]
      // An observer whose initial value could not be read starts without one.
      let values = told.filter { $0 > 0 }
      try require(values.last == 9, "The observer of a \(what) did not receive the last value: \(told).")
      try require(
        values.allSatisfy(committed.contains),
        "The observer of a \(what) received a value that was never committed: \(told).")
      if scenario != .observing {
        try require(
          zip(values, values.dropFirst()).allSatisfy { $0 < $1 },
          "The observer of a \(what) received values out of order or twice: \(told).")
      }
    }
  }

  func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Finding(message()) }
  }
}

extension FailureBench {
  /// The parts of the file that hold the number.
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
    // Reads in a transaction, which also resolves an unknown outcome.
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
