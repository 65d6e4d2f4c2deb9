@testable import DflatCore
@testable import DflatEntities
import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// An operation that runs while something fails.
enum FailureScenario: String, CaseIterable {
  case transaction, largeTransaction = "large transaction", heedlessClosure = "heedless closure"
  case group, newTable = "new table", plainWrites = "plain writes", flush, plainAndTransaction = "plain and transaction"
  case update, checkpoint
  case reading, heedlessReading = "heedless reading", snapshot, observing, following, opening, creating, recovering,
    readOnly = "read-only"
  case compacting, checking, repairing, backup, filling, closing

  /// Tells scenarios that set everything to the next number, that only read, and that run several transactions at once.
  enum Kind { case sets, reads, group }

  var kind: Kind {
    switch self {
    case .transaction, .largeTransaction, .heedlessClosure, .newTable, .plainAndTransaction, .update, .checkpoint: .sets
    case .group: .group
    case .plainWrites, .flush: .sets
    default: .reads
    }
  }
}

extension FailureBench {
  /// Runs the scenario. Call it at most once.
  func perform() {
    outcome = Result { try run() }
  }

  private func run() throws {
    switch scenario {
    case .transaction: try set(2)
    case .newTable:
      try workspace.transactAndWait([Post.self, Club.Member.self]) { transaction in
        try write(2, in: transaction)
        try transaction.insert(Club.Member(number: 2, email: "2@", card: 2))
      }
    case .largeTransaction: try set(2, padding: 3_000_000)
    case .checkpoint:
      // The log is long, so a checkpoint follows the commit.
      try set(2)
      try workspace.compact()
    case .heedlessClosure: try setHeedlessly(2)
    case .group: runGroup()
    case .plainWrites:
      for key in ["left", "right"] { workspace.dictionary[key] = 2 }
      workspace.dictionary["text"] = Self.text(2)
      try workspace.dictionary.synchronize()
    case .flush:
      workspace.dictionary["right"] = 2
      let flushed = EventLog<Result<Void, any Error>>()
      Task { [workspace] in
        do {
          try await workspace.dictionary.flush()
          flushed.append(.success(()))
        } catch {
          flushed.append(.failure(error))
        }
      }
      try flushed.wait(forCount: 1)[0].get()
    case .plainAndTransaction:
      workspace.dictionary["beside"] = 2
      try set(2)
    case .update:
      let number = try workspace.dictionary.update("only", default: 1) { $0 += 1 }
      try require(number == 2, "An update of 1 returned \(number).")
    case .reading: try readEverything(workspace)
    case .heedlessReading:
      let isThere = workspace.dictionary["text", String.self] == Self.text(committed)
      hasMissed = workspace.fetch(for: Post.self).count() != 3 || !isThere
    case .snapshot: try workspace.fetchWithinASnapshot { try readEverything(workspace) }
    case .observing: observe(workspace)
    case .following:
      // Follows a commit of another workspace that was there before anything failed.
      try workspace.fetchWithinASnapshot { try readEverything(workspace) }
      try workspace.transactAndWait([Post.self]) { _ = try $0.dictionary.value(forKey: "left", as: Int.self) }
    case .opening, .recovering:
      let other = try SQLiteWorkspace.open(filePath: otherPath, options: options)
      defer { other.shutdown() }
      try readEverything(other)
    case .readOnly:
      var options = options
      options.isReadOnly = true
      let other = try SQLiteWorkspace.open(filePath: otherPath, options: options)
      defer { other.shutdown() }
      try readEverything(other)
    case .creating:
      let other = try SQLiteWorkspace.open(filePath: otherPath, options: options)
      defer { other.shutdown() }
      try other.transactAndWait([Post.self]) { try write(1, in: $0) }
    case .compacting: try workspace.compact()
    case .checking:
      _ = try workspace.checkIntegrity([Post.self])
    case .repairing: try workspace.reindex([Post.self])
    case .backup:
      try workspace.backup(to: directory.file("backup.db"))
    case .filling:
      MemberFile.wantIndexes(workspace)
      let idle = Gate("the filling of indexes")
      EntityStore.of(workspace.core).storage.filling.whenIdle { idle.open() }
      try idle.wait()
    case .closing:
      workspace.dictionary["beside"] = 2
      workspace.shutdown(flags: [.truncate, .vacuum])
    }
  }

  // MARK: Writing

  /// Sets everything to the number.
  func set(_ number: Int, padding: Int = 0) throws {
    try workspace.transactAndWait([Post.self]) { transaction in
      if padding > 0 { transaction.dictionary["padding"] = Data(repeating: 1, count: padding) }
      try write(number, in: transaction)
    }
  }

  func write(_ number: Int, in transaction: TransactionContext) throws {
    transaction.dictionary["left"] = number
    transaction.dictionary["only"] = number
    transaction.dictionary["text"] = Self.text(number)
    let request = PostChangeRequest.upsertRequest(Post(title: "post"))
    request.priority = Int32(number)
    request.tag = Self.text(number)
    try transaction.submit(request)
    try transaction.deleteAll(Post.self, where: Post.title.hasPrefix("post "))
    try transaction.insert(Post(title: "post \(number)", tag: Self.text(number), priority: Int32(-number)))
    // A part that is undone alone.
    struct Undone: Error {}
    do {
      try transaction.updateAll(Post.self, where: Post.title == "post") { request in
        request.priority = 77
        transaction.dictionary["undone"] = number
        throw Undone()
      }
    } catch is Undone {}
    transaction.dictionary["right"] = number
  }

  /// Runs a closure that continues after any failure, and treats values that it can't read as absent.
  private func setHeedlessly(_ number: Int) throws {
    try workspace.transactAndWait([Post.self]) { transaction in
      // The first read uses its own view, the later ones the group's connection.
      var isMisled = workspace.fetch(for: Post.self).all().count != 3
      if transaction.dictionary["unread", String.self] == nil { isMisled = true }
      if transaction.dictionary.keys(withPrefix: "le") != ["left"] { isMisled = true }
      if workspace.fetch(for: Post.self).count() != 3 { isMisled = true }
      transaction.dictionary["left"] = number
      transaction.dictionary["only"] = number
      transaction.dictionary["text"] = Self.text(number)
      let request = PostChangeRequest.upsertRequest(Post(title: "post"))
      request.priority = Int32(number)
      request.tag = Self.text(number)
      transaction.try(submit: request)
      _ = try? transaction.deleteAll(Post.self, where: Post.title.hasPrefix("post "))
      _ = try? transaction.insert(Post(title: "post \(number)", tag: Self.text(number), priority: Int32(-number)))
      // A decision based on a failed read must not be committed.
      transaction.dictionary["right"] = isMisled ? -1 : number
    }
  }

  static let memberCount = 5
  /// The members of the group that are undone.
  static let (aborted, refused) = (2, 3)

  /// Runs transactions that share a commit. Each has a completion, and two are undone alone: one is aborted, and one
  /// has a request that is refused.
  private func runGroup() {
    let queued = Gate("the group")
    for member in 0..<Self.memberCount {
      workspace.performChanges([Post.self]) { transaction in
        transaction.dictionary["member\(member)"] = member
        if member == 0 { try? queued.wait() }
        _ = try? transaction.insert(Post(title: "member \(member)", tag: Self.text(member), priority: 5))
        if member == Self.aborted { transaction.abort() }
        // An object with that title exists.
        if member == Self.refused {
          transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "other", priority: 5)))
        }
      } completionHandler: { [members] succeeded in
        members.append((member, succeeded))
      }
    }
    queued.open()
    _ = try? members.wait(forCount: Self.memberCount)
  }

  /// A text on several pages, of a size for which SQLite allocates memory once more when it is read.
  static func text(_ number: Int) -> String { String(repeating: "\(number)", count: 6_006) }

  // MARK: Reading

  /// Reads in every way, and checks the results.
  func readEverything(_ workspace: SQLiteWorkspace) throws {
    let dictionary = workspace.dictionary
    let number = try dictionary.value(forKey: "left", as: Int.self) ?? -1
    try require(number == committed, "A read returned \(number), but \(committed) is committed.")
    let text = try dictionary.value(forKey: "text", as: String.self)
    try require(text == Self.text(number), "A text was read as \(text?.prefix(9) ?? "nothing").")
    let entries = try dictionary.entries(withPrefix: "le")
    try require(entries.map(\.key) == ["left"], "The keys were read as \(entries.map(\.key)).")
    _ = try dictionary.namespaces()
    _ = try dictionary.commitNumber(forKey: "right")
    _ = try workspace.fileStatistics()
    let posts = try workspace.query(for: Post.self).where(Post.priority > 0).orderBy(Post.title.ascending).fetch()
    try require(
      posts.map(\.title) == ["other", "post"] && posts[1].tag == Self.text(number),
      "Objects were read as \(posts.map(\.title)).")
    let count = try workspace.query(for: Post.self).count()
    try require(count == 3, "3 objects were counted as \(count).")
  }
}
