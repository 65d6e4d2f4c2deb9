import CSQLite
import DflatCore
import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import Logging
import TestSupport
import Testing

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
