import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// `crash PATH PAYLOAD [WHERE N] [maintain] [observe] [faulty] [kept]`: writes numbered transactions and plain writes
/// until it is killed, by the process that started it or by itself.
///
/// It kills itself when it reaches WHERE for the Nth time. WHERE is a failpoint, or `file`, any operation on the file,
/// or `in:STEP`, an operation within a step (`KillSteps`). `maintain` compacts the file, fills indexes, and closes and
/// opens it now and then. `observe` observes, reads several keys at once, and follows another workspace's commits.
/// `faulty` makes some writes to the log fail. `kept` says that another process has the file open.
///
/// Two threads write: one runs transactions of three keys `t.`, an object that is changed and one that is new, the
/// other transactions of two keys `u.` and plain writes to `p`. Each prints `t|u|p NUMBER COMMIT` when its write has
/// completed. At the start the process prints the numbers that it finds. PAYLOAD is the size of an additional value
/// that each `t` transaction sets.
enum CrashCommand: Command {
  static let name = "crash"

  static func run(_ arguments: Arguments) throws {
    let rest = arguments.rest(from: 2)
    let flags = Set(rest)
    var run = CrashRun(
      path: try arguments.path, payload: try arguments.number(1), maintains: flags.contains("maintain"),
      observes: flags.contains("observe"), isKept: flags.contains("kept"))
    var plans: [FaultPlan] = []
    if rest.count >= 2, let number = Int(rest[1]) {
      if rest[0] == "file" || rest[0].hasPrefix("in:") {
        KillSteps.watchLibrary()
        let step = rest[0] == "file" ? nil : String(rest[0].dropFirst(3))
        plans.append(try KillSteps.plan(run.path, operation: number, in: step))
      } else {
        armToKill(at: rest[0], after: number)
      }
    }
    if flags.contains("faulty") { plans.append(try failingWrites(run.path)) }
    if !plans.isEmpty { run.options.vfs = FaultPlan.vfsName }
    defer { withExtendedLifetime(plans) {} }
    while true { try run.session() }
  }

  /// Makes a write to the log fail now and then.
  private static func failingWrites(_ path: String) throws -> FaultPlan {
    let hit = HitCounter()
    return try FaultPlan(.write, on: .wal, in: path, at: .from(1)) { hit.next() % 60 == 0 ? .ioErrorWrite : nil }
  }
}

/// Opens the file, writes for a while, and closes it.
private struct CrashRun {
  let path: String
  let payload: Int
  let maintains: Bool
  let observes: Bool
  let isKept: Bool
  var options: SQLiteWorkspace.Options
  private var sessions = 0

  init(path: String, payload: Int, maintains: Bool, observes: Bool, isKept: Bool) {
    self.path = path
    self.payload = payload
    self.maintains = maintains
    self.observes = observes
    self.isKept = isKept
    options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    if observes { options.cacheLimit = .entries(16) }
  }

  mutating func session() throws {
    let workspace = try KillSteps.withinProcess(openingStep) {
      try attempt { try SQLiteWorkspace.open(filePath: path, options: options) }
    }
    let dictionary = workspace.dictionary
    for (series, key) in ["t": "t.a", "u": "u.a", "p": "p"] {
      if let number = dictionary[key, Int.self] { say("\(series) \(number) \(workspace.commitNumber)") }
    }
    say("ready")
    let count = maintains ? 25 : Int.max - 1
    let beside = BackgroundThread { [self] in try writeBeside(workspace, count) }
    let other = observes ? try SQLiteWorkspace.open(filePath: path) : nil
    let first = dictionary["t.a", default: 0] + 1
    for number in first..<(first + min(count, .max - first)) {
      try attempt { try write(number, to: workspace) }
      say("t \(number) \(workspace.commitNumber)")
      if maintains, number % 12 == 0 { _ = try? KillSteps.within("vacuum") { try workspace.compact() } }
      if maintains, number % 5 == 0 { MemberFile.wantIndexes(workspace) }
      if let other, number % 2 == 0 { try look(at: workspace, beside: other, number) }
    }
    try beside.join()
    sessions += 1
    let flags: [SQLiteWorkspace.ShutdownFlag] = [[], .truncate, [.truncate, .vacuum]]
    KillSteps.withinProcess("closing") { workspace.shutdown(flags: flags[sessions % 3]) }
  }

  private var openingStep: String {
    let files = FileManager.default
    func size(_ suffix: String) -> Int {
      (try? files.attributesOfItem(atPath: path + suffix))?[.size] as? Int ?? 0
    }
    if size("") == 0 || size("-journal") > 0 { return "first open" }
    return size("-wal") > 0 && !isKept ? "recovery" : "open"
  }

  private func write(_ number: Int, to workspace: SQLiteWorkspace) throws {
    try commit(number, [Post.self], to: workspace) { [payload] transaction in
      for key in ["t.a", "t.b", "t.c"] { transaction.dictionary[key] = number }
      try transaction.upsert(Post(title: "last", priority: Int32(number)))
      // The object exists already if a commit whose outcome was unknown is in the file.
      try transaction.upsert(Post(title: "t \(number)", priority: Int32(number)))
      if payload > 0 { transaction.dictionary["t.payload"] = Data(repeating: UInt8(number & 0xff), count: payload) }
    }
  }

  private func writeBeside(_ workspace: SQLiteWorkspace, _ count: Int) throws {
    let dictionary = workspace.dictionary
    let first = dictionary["u.a", default: 0] + 1
    for number in first..<(first + min(count, .max - first)) {
      try attempt {
        try commit(number, [], to: workspace) { transaction in
          for key in ["u.a", "u.b"] { transaction.dictionary[key] = number }
        }
      }
      say("u \(number) \(workspace.commitNumber)")
      try attempt {
        dictionary["p"] = number
        if number.isMultiple(of: 2) { return try dictionary.synchronize() }
        try Self.blocking { try await dictionary.flush() }
      }
      say("p \(number) \(workspace.commitNumber)")
    }
  }

  /// Commits in turn in each of the ways that report the outcome.
  private func commit(
    _ number: Int, _ types: [Any.Type], to workspace: SQLiteWorkspace,
    _ body: @escaping @Sendable (TransactionContext) throws -> Void
  ) throws {
    switch number % 3 {
    case 0: try workspace.transactAndWait(types, body)
    case 1:
      let told = EventLog<Bool>()
      workspace.performChanges(types) { transaction in
        do { try body(transaction) } catch { transaction.abort() }
      } completionHandler: {
        told.append($0)
      }
      if try told.wait(forCount: 1) == [false] { throw Undone() }
    default:
      // A list of types is not sendable.
      let isOfPosts = !types.isEmpty
      try Self.blocking { try await workspace.transact(isOfPosts ? [Post.self] : [], body) }
    }
  }

  /// Thrown if a transaction's completion reports false.
  private struct Undone: Error {}

  private static func blocking(_ body: @escaping @Sendable () async throws -> Void) throws {
    let outcome = EventLog<Result<Void, any Error>>()
    Task {
      do {
        try await body()
        outcome.append(.success(()))
      } catch {
        outcome.append(.failure(error))
      }
    }
    try outcome.wait(forCount: 1)[0].get()
  }

  /// Repeats the attempt after a disk error: the values that it sets are the same.
  private func attempt<T>(_ body: () throws -> T) throws -> T {
    while true {
      do { return try body() } catch let error as WorkspaceError {
        guard [.inputOutput, .outcomeUnknown, .diskFull].contains(error.code) else { throw error }
      } catch is Undone {}
    }
  }

  private func look(at workspace: SQLiteWorkspace, beside other: SQLiteWorkspace, _ number: Int) throws {
    try other.transactAndWait { $0.dictionary["other"] = number }
    let key = workspace.dictionary.subscribe("absent \(number)") { _ in }
    let range = workspace.dictionary.subscribe(withPrefix: "oth") { _ in }
    let posts = workspace.subscribe(
      fetchedResult: workspace.fetch(for: Post.self).where(Post.title == "last")
    ) { _ in }
    let closure = workspace.observe { $0.dictionary["t.a", default: 0] }.subscribe { _ in }
    _ = workspace.dictionary.keys(withPrefix: "t.")
    _ = workspace.fetchWithinASnapshot { workspace.dictionary["never \(number)", Int.self] }
    _ = workspace.dictionary["never \(number)", Int.self]
    for subscription in [key, range, posts, closure] { subscription.cancel() }
  }
}
