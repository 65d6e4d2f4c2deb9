import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// Uses a file in every way that a program can, and judges each outcome.
struct HostileUse {
  let path: String
  let choices: SeededGenerator
  let isReplay: Bool

  /// Processor time that one call may take, in seconds.
  private static let callLimit = 1.0

  /// Codes that may report a damaged file. Not among them are a full disk, a lock that nobody holds, exhausted memory,
  /// and errors without advice.
  private static let codes: Set<WorkspaceError.Code> = [
    .corrupt, .notADatabase, .newerFormat, .foreignDatabase, .undecodable, .typeMismatch, .schemaVersionMismatch,
    .noSuchFile, .cannotOpen, .readOnly, .objectAlreadyExists, .objectNotFound, .conflict,
    // A COMMIT that found damage, which then hides whether it succeeded.
    .outcomeUnknown,
  ]

  private func options(isReadOnly: Bool, follows: Bool) -> SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    options.busyTimeout = .milliseconds(200)
    options.isReadOnly = isReadOnly
    options.followsOtherProcesses = follows
    return options
  }

  /// Opens the file after it was damaged.
  func run() throws {
    var random = choices
    let isReadOnly = Int.random(in: 0..<4, using: &random) == 0
    var opened: SQLiteWorkspace?
    try call("open") {
      opened = try SQLiteWorkspace.open(
        filePath: path, options: options(isReadOnly: isReadOnly, follows: Bool.random(using: &random)))
    }
    // A file that `open` refuses is accepted by the initializer, and each call refuses it.
    let workspace = opened ?? SQLiteWorkspace(filePath: path, options: options(isReadOnly: isReadOnly, follows: false))
    try use(workspace, isReadOnly: isReadOnly, isLive: false)
  }

  /// Opens a sound file, and damages it when the caches are warm and observers are subscribed.
  func runAround(_ damage: () throws -> Void) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: options(isReadOnly: false, follows: true))
    var subscriptions = try subscribe(workspace)
    try read(workspace)
    try damage()
    try use(workspace, isReadOnly: false, isLive: true)
    subscriptions.removeAll()
  }

  private func use(_ workspace: SQLiteWorkspace, isReadOnly: Bool, isLive: Bool) throws {
    var random = choices
    var check = HostileCheck(workspace: workspace, path: path, isLive: isLive)
    try read(workspace)
    try call("snapshot") { try workspace.fetchWithinASnapshot { try read(workspace) } }
    check.hasReadDamage = true
    try call("checkIntegrity") {
      let problems = try workspace.checkIntegrity([Club.Member.self])
      try check.compare(with: problems)
      check.hasReadDamage = !problems.isEmpty
    }
    var subscriptions = try subscribe(workspace)
    if !isReadOnly {
      let others = check.hasSoundTrees ? try? check.untouched() : nil
      try write(workspace)
      try check.requireUntouched(others)
    }
    try call("checkIntegrity of no type") { _ = try workspace.checkIntegrity() }
    try call("fileStatistics") { _ = try workspace.fileStatistics() }
    if Int.random(in: 0..<4, using: &random) == 0 { try call("backup") { try workspace.backup(to: path + "-copy") } }
    if !isReadOnly {
      if Int.random(in: 0..<4, using: &random) == 0 {
        try call("reindex") {
          try workspace.reindex([Club.Member.self])
          try check.compare(with: workspace.checkIntegrity([Club.Member.self]))
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 { try call("compact") { try workspace.compact() } }
      try read(workspace)
    }
    subscriptions.removeAll()
    try call("shutdown") { workspace.shutdown(flags: .truncate) }
  }

  private func subscribe(_ workspace: SQLiteWorkspace) throws -> [Any] {
    var subscriptions: [Any] = []
    try call("subscribe") {
      subscriptions.append(workspace.dictionary.subscribe("key0", of: Int.self) { _ in })
      subscriptions.append(workspace.dictionary.namespace("a").subscribe(withPrefix: "k") { _ in })
    }
    try call("subscribe to a query") {
      let result = workspace.fetch(for: Club.Member.self).where(Club.Member.balance > 3)
      subscriptions.append(workspace.subscribe(fetchedResult: result) { _ in })
    }
    return subscriptions
  }

  // MARK: Reads

  private func read(_ workspace: SQLiteWorkspace) throws {
    let root = workspace.dictionary
    for name in ["", "a", "b"] {
      let dictionary = root.namespace(name)
      try call("keys") { _ = dictionary.keys(withPrefix: "key") }
      try call("count") { _ = dictionary.count }
      try call("entries") { _ = try dictionary.entries() }
      try call("some entries") { _ = try dictionary.entries(withPrefix: "key1", limit: 3) }
    }
    try call("namespaces") { _ = try root.namespaces() }
    try call("replacedValues") { _ = try root.replacedValues(inAllNamespaces: true).map(\.value) }
    for index in 0..<14 {
      let dictionary = root.namespace(["", "a", "b"][index % 3])
      let key = "key\(index)"
      try call("storedValue") { _ = try dictionary.storedValue(forKey: key) }
      try call("value as Int") { _ = try dictionary.value(forKey: key, as: Int.self) }
      try call("value as [Int]") { _ = try dictionary.value(forKey: key, as: [Int].self) }
      try call("commitNumber") { _ = try dictionary.commitNumber(forKey: key) }
      try call("subscript") { _ = dictionary[key, String.self] }
      try call("contains") { _ = dictionary.contains(key) }
    }
    try call("value as strings") { _ = try root.value(forKey: "bomb", as: Golden.Vectors.Vectors.self) }
    try call("value as tree") { _ = try root.value(forKey: "bomb", as: HostileTree.self) }
    try call("value as texts") { _ = try root.value(forKey: "bomb", as: [String].self) }
    try readEntities(workspace)
  }

  private func readEntities(_ workspace: SQLiteWorkspace) throws {
    typealias Member = Club.Member
    let query = workspace.query(for: Member.self)
    try call("all") { _ = try query.fetch().map(\.note) }
    try call("count of all") { _ = try query.count() }
    try call("by key") { _ = try query.where(Member.number == 7).first() }
    try call("by index") { _ = try query.where(Member.balance > 3).orderBy(Member.balance.descending).fetch() }
    try call("by text") { _ = try query.where(Member.email == "m3@example.com").exists() }
    try call("by no index") { _ = try query.where(Member.note == "n").limit(3).fetch() }
    try call("count by index") { _ = try query.where(Member.balance < 9).count() }
    try call("fetch") { _ = workspace.fetch(for: Member.self).all() }
  }

  // MARK: Writes

  private func write(_ workspace: SQLiteWorkspace) throws {
    typealias Member = Club.Member
    try call("plain write") {
      workspace.dictionary["key0"] = 12
      workspace.dictionary["new"] = "new"
      try workspace.dictionary.synchronize()
    }
    try call("transaction") {
      try workspace.transactAndWait { txn in
        let dictionary = txn.dictionary.namespace("a")
        dictionary["key1"] = try dictionary.value(forKey: "key1", as: String.self) ?? "none"
        dictionary.removeAll(withPrefix: "key2")
      }
    }
    try call("restore") {
      let values = try workspace.dictionary.replacedValues(inAllNamespaces: true)
      for value in values where value.namespace != "b" { try workspace.dictionary.restoreReplacedValue(value.id) }
    }
    try call("insert") {
      try workspace.transactAndWait([Member.self]) { txn in _ = try txn.insert(Member(number: 1_000, balance: 5)) }
    }
    try call("upsert") {
      try workspace.transactAndWait([Member.self]) { txn in _ = try txn.upsert(Member(number: 3, balance: 6)) }
    }
    try call("delete") {
      try workspace.transactAndWait([Member.self]) { txn in
        guard let found = try txn.query(for: Member.self).where(Member.number == 5).first() else { return }
        try txn.delete(found)
      }
    }
    try call("deleteAll") {
      try workspace.transactAndWait([Member.self]) { txn in
        _ = try txn.deleteAll(Member.self, where: Member.balance > 40)
      }
    }
    try call("removeUnusedIndexes") { _ = try workspace.removeUnusedIndexes(of: Member.self) }
  }

  // MARK: Judging

  private func call(_ name: String, _ body: () throws -> Void) throws {
    let start = clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID)
    do {
      try body()
      if isReplay { print(name, "returned") }
    } catch let finding as Finding {
      throw finding
    } catch let error as WorkspaceError {
      if isReplay { print(name, error) }
      guard Self.codes.contains(error.code) else { throw Finding("'\(name)' reported a damaged file as \(error).") }
    } catch {
      throw Finding("'\(name)' threw \(type(of: error)): \(error).")
    }
    let seconds = Double(clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID) - start) / 1e9
    let limit = name == "snapshot" ? 10 * Self.callLimit : Self.callLimit
    if seconds > limit { throw Finding("'\(name)' took \(seconds) s of processor time.") }
  }
}

/// A type whose property list can contain itself.
private struct HostileTree: Codable, Equatable, Sendable {
  let children: [HostileTree]

  init(from decoder: any Decoder) throws { children = try [HostileTree](from: decoder) }
  func encode(to encoder: any Encoder) throws { try children.encode(to: encoder) }
}

private func clock_gettime_nsec(_ clock: clockid_t) -> Int {
  var time = timespec()
  clock_gettime(clock, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
