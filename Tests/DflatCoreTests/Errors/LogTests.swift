import CSQLite
import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import Logging
import TestSupport
import Testing

@testable import DflatCore

/// The entries of `options.logger`, and the texts of errors.
@Suite struct LogTests {
  private let entries = EventLog<LogEntry>()

  private func open(_ configure: (inout SQLiteWorkspace.Options) -> Void = { _ in }) throws -> TestWorkspace {
    try TestWorkspace { options in
      options.logger = CapturingLogHandler.logger(entries)
      configure(&options)
    }
  }

  /// The entries of `.info` and above.
  private var loud: [LogEntry] { entries.events.filter { $0.level >= .info } }

  /// A log handler that notes on which threads it is asked for its level, which may be a setting in the dictionary.
  private struct AskedLogHandler: LogHandler {
    let askingThreads: EventLog<pthread_t>
    let texts: EventLog<String>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level {
      get {
        askingThreads.append(pthread_self())
        return .error
      }
      set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { texts.append(event.message.description) }
  }

  @Test("A11: The log handler's level isn't asked for under the lock under which an entry is written")
  func levelUnderNoLock() throws {
    let (threads, texts) = (EventLog<pthread_t>(), EventLog<String>())
    let logger = Logger(label: "asked") { _ in AskedLogHandler(askingThreads: threads, texts: texts) }
    let before = threads.events.count
    // Opening the file notes the version of SQLite while the write token is held.
    let test = try TestWorkspace { $0.logger = logger }
    let core = test.workspace.core
    core.publication.withPublicationLock {
      core.log.write(.debug, "ignored", for: core)
      core.report(WorkspaceError(.corrupt, "reported", path: core.path))
    }
    #expect(try texts.wait(forCount: 1) == ["reported"])
    try test.settle()
    let asking = threads.events.dropFirst(before)
    #expect(!asking.isEmpty && !asking.contains { pthread_equal($0, pthread_self()) != 0 })
  }

  @Test("Nothing is logged at .info and above while a file is opened, used by two workspaces, and closed")
  func nothingIsLoggedWhenNothingIsWrong() throws {
    let test = try open()
    let other = try test.another { $0.logger = CapturingLogHandler.logger(entries) }
    let subscription = test.dictionary.subscribe("key", of: Int.self) { _ in }
    for number in 0..<50 { other.dictionary["key"] = number }
    try other.dictionary.synchronize()
    try test.workspace.transactAndWait([Post.self]) { transaction in
      transaction.dictionary["other"] = "value"
      try transaction.insert(Post(title: "post", priority: 1))
    }
    #expect(try test.dictionary.value(forKey: "absent", as: Int.self) == nil)
    _ = try test.workspace.fileStatistics()
    try test.workspace.compact()
    #expect(try test.workspace.checkIntegrity() == [])
    subscription.cancel()
    // The other workspace still has the file open, so the write-ahead log stays.
    test.workspace.shutdown(flags: .truncate)
    other.workspace.shutdown(flags: .truncate)
    for workspace in [test.workspace, other.workspace] { try workspace.settle() }
    #expect(loud.isEmpty, "\(loud)")
  }

  @Test("Nothing is logged at .info and above by ordinary reads, writes and observers of keys and objects")
  func nothingIsLoggedInOrdinaryUse() throws {
    typealias Article = Golden.Search.Article
    let test = try open()
    let (workspace, dictionary) = (test.workspace, test.dictionary)
    // Keys.
    dictionary["theme"] = "dark"
    dictionary["draft"] = Post(title: "draft")
    dictionary["names"] = ["Ada", "Grace"]
    dictionary.namespace("counters")["visits"] = 1
    dictionary.removeValue(forKey: "absent")
    try dictionary.synchronize()
    try dictionary.update("count", default: 0) { $0 += 1 }
    let swapped = try dictionary.compareAndSet("count", expected: 5, new: 6)
    #expect(!swapped)
    // A migration of a value of another type.
    let isDark: DictionaryKey<Bool> = DictionaryKey(
      "theme", default: false, migrating: [.from(String.self) { old in old == "dark" }])
    #expect(dictionary[isDark])
    dictionary[isDark] = false
    try dictionary.synchronize()
    // Objects, searches and observers.
    let search = workspace.fetch(for: Article.self).where(Article.matches("fox"))
    let subscriptions: [WorkspaceSubscription] = [
      workspace.subscribe(fetchedResult: search) { _ in },
      workspace.subscribe(fetchedResult: workspace.fetch(for: Post.self).where(Post.priority > 1)) { _ in },
      workspace.observe { reader -> Int in
        try reader.query(for: Article.self).where(Article.matches("fox")).orderBy(.relevance).fetch().count
      }.subscribe { _ in },
      dictionary.subscribe(isDark) { _ in },
    ]
    try workspace.transactAndWait([Article.self, Post.self]) { txn in
      for id in 1...20 { try txn.insert(Article(id: Int32(id), title: "fox \(id)", stars: Int32(id))) }
      try txn.insert(Post(title: "a", priority: 1))
      try txn.upsert(Post(title: "b", priority: 2))
    }
    try workspace.transactAndWait([Article.self, Post.self]) { txn in
      _ = try txn.update(Post(title: "a")) { $0.priority = 3 }
      try txn.delete(Post(title: "b"))
      _ = try txn.updateAll(Article.self, where: Article.title.matches("fox")) { $0.body = "wolf" }
    }
    let articles = workspace.query(for: Article.self)
    #expect(try articles.where(Article.matches("wolf")).count() == 20)
    #expect(try articles.where(Article.stars > 5).orderBy(Article.title.ascending).limit(3).fetch().count == 3)
    #expect(try articles.max(of: Article.stars) == 20)
    #expect(try !articles.where(Article.tag.contains("x")).explain().description.isEmpty)
    // An error that the caller gets, and a transaction that its closure undoes.
    #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait([Post.self]) { txn in try txn.insert(Post(title: "a")) }
    }
    #expect(throws: WorkspaceError.self) { try workspace.transactAndWait { txn in txn.abort() } }
    for subscription in subscriptions { subscription.cancel() }
    workspace.shutdown()
    // The file is opened again, with its indexes and schemas.
    let reopened = try test.another { $0.logger = CapturingLogHandler.logger(entries) }
    #expect(try reopened.workspace.query(for: Article.self).where(Article.matches("wolf")).count() == 20)
    #expect(try reopened.dictionary.value(forKey: "draft", as: Post.self)?.title == "draft")
    reopened.workspace.shutdown()
    try test.settle()
    try reopened.settle()
    #expect(loud.isEmpty, "\(loud)")
    #expect(test.errors.events.isEmpty && reopened.errors.events.isEmpty)
  }

  @Test("The version of SQLite is part of fileStatistics(), and a notice about it has the level .debug")
  func theVersionOfSQLiteIsNoted() throws {
    let test = try open()
    test.dictionary["key"] = 1
    try test.dictionary.synchronize()
    let statistics = try test.workspace.fileStatistics()
    #expect(statistics.sqliteVersion == String(cString: sqlite3_libversion()))
    #expect(statistics.sqliteHasCheckpointBug == SQLiteLibrary.hasWALResetBug)
    try test.settle()
    let notices = entries.events.filter { $0.text.contains("SQLite \(statistics.sqliteVersion)") }
    #expect(notices.map(\.level) == (statistics.sqliteHasCheckpointBug ? [.debug] : []))
  }

  @Test("An error is logged once: its message as the text, its code and its cause as the only metadata")
  func anErrorIsLoggedOnce() throws {
    let test = try open { $0.vfs = FaultPlan.vfsName }
    test.dictionary["key"] = 1
    try test.dictionary.synchronize()
    let plan = try FaultPlan(.write, on: .wal, in: test.directory.path, fail: .from(1), with: .full)
    defer { plan.cancel() }
    test.dictionary["key"] = 2
    let error = try #require(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
    #expect(error.code == .diskFull)
    try test.settle()
    let entry = try #require(loud.first)
    #expect(loud.count == 1 && entry.level == .error)
    #expect(entry.text == error.message && error.message.contains(test.path))
    #expect(Set(entry.metadata.keys) == ["code", "cause"])
    #expect(entry.metadata["code"] == "diskFull")
    #expect(entry.metadata["cause"]?.hasPrefix("SQLite 13: ") == true)
    #expect(entry.metadata["cause"]?.contains(error.message) == false)
  }

  @Test("A9: Looking for other processes' commits throws the error of a file that can't be opened")
  func unopenedFile() throws {
    let test = try TestWorkspace { options in
      options.vfs = FaultPlan.vfsName
      // Nobody else has a reader.
      options.followsOtherProcesses = false
    }
    test.dictionary["key"] = 1
    try test.dictionary.synchronize()
    test.core.readers.dropIdle()
    let plan = try FaultPlan(.open, on: .main, in: test.directory.path, fail: .from(1), with: .cannotOpen)
    let error = #expect(throws: WorkspaceError.self) { try test.core.checkForCommits() }
    #expect(error?.code == .cannotOpen)
    plan.cancel()
    try test.core.checkForCommits()
  }

  /// The error arises while the write token is held: a handler that ran then would wait for itself.
  @Test("A11: A log handler may use the workspace") func handlersMayUseTheWorkspace() throws {
    let written = Gate("the handler's write")
    let workspace = Lock<SQLiteWorkspace?>(nil)
    let test = try TestWorkspace { options in
      options.vfs = FaultPlan.vfsName
      options.logger = CapturingLogHandler.logger(entries) { entry in
        guard entry.level == .error, let workspace = workspace.withLock({ $0 }) else { return }
        workspace.dictionary["last error"] = entry.text
        try? workspace.dictionary.synchronize()
        written.open()
      }
    }
    workspace.withLock { $0 = test.workspace }
    test.dictionary["key"] = 1
    try test.dictionary.synchronize()
    let plan = try FaultPlan(.write, on: .wal, in: test.directory.path, fail: .once(1), with: .full)
    defer { plan.cancel() }
    test.dictionary["key"] = 2
    #expect(throws: WorkspaceError.self) { try test.dictionary.synchronize() }
    try written.wait()
    #expect(test.dictionary["last error", String.self]?.isEmpty == false)
    workspace.withLock { $0 = nil }
  }

  @Test("The texts of an error contain its message once, and SQLite's message once")
  func errorsPrintTheirTextOnce() {
    let misuse = SQLiteError(extendedCode: 21, message: "bad parameter", sql: "SELECT ?")
    let error = WorkspaceError(misuse, path: "/a.db", doing: "Reading")
    #expect(error.message == "Reading '/a.db': SQLite failed: bad parameter.")
    #expect(error.description == "sqlite: \(error.message) (SQLite 21, in: SELECT ?)")
    #expect(error.localizedDescription == error.message)
    #expect(String(reflecting: error) == error.description)

    let cause = SQLiteError(extendedCode: 13, message: "database or disk is full")
    let full = WorkspaceError(cause, path: "/a.db", doing: "Writing to")
    #expect(full.description == "diskFull: \(full.message) (SQLite 13: database or disk is full)")
    #expect(!full.message.contains("database or disk is full"))
  }

  @Test("A value that can't be read is described once, whichever coder refuses it")
  func undecodableValuesAreDescribedOnce() throws {
    struct Settings: Codable, Equatable, Sendable { var size: Int }
    let test = try open()
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary["list"] = StoredValue.propertyList(Data("bplist00 and then nothing of a list".utf8))
      transaction.dictionary["buffer"] = StoredValue.flatBuffers(
        Data([1, 2, 3]), schemaVersion: Post.flatBuffersSchemaVersion)
    }
    let dictionary = test.dictionary
    let list = try #require(throws: WorkspaceError.self) { try dictionary.value(forKey: "list", as: Settings.self) }
    #expect(list.code == .undecodable)
    #expect(list.description == "undecodable: \(list.message)")
    let buffer = try #require(throws: WorkspaceError.self) { try dictionary.value(forKey: "buffer", as: Post.self) }
    #expect(buffer.code == .undecodable)
    #expect(buffer.description == "undecodable: \(buffer.message)")
  }
}
