import DflatKV
import TestSupport
import Testing

/// `SQLiteWorkspace(filePath:…)` does nothing to the file system until there is something to write or to observe.
@Suite struct LazyOpeningTests {
  private let directory: TemporaryDirectory
  private let workspace: SQLiteWorkspace

  init() throws {
    directory = try TemporaryDirectory("lazy")
    workspace = SQLiteWorkspace(filePath: directory.file(), fileProtectionLevel: .noProtection)
  }

  @Test("Reads don't create the file of a lazy workspace")
  func readsMakeNoFile() throws {
    #expect(workspace.dictionary["key", Int.self] == nil)
    #expect(workspace.dictionary.keys == [])
    #expect(!workspace.dictionary.contains("key"))
    #expect(try workspace.dictionary.value(forKey: "key", as: String.self) == nil)
    #expect(try workspace.dictionary.entries() == [])
    #expect(workspace.fetchWithinASnapshot { workspace.dictionary["key", Int.self] } == nil)
    try workspace.dictionary.synchronize()
    #expect(try workspace.checkIntegrity() == [])
    #expect(try errorCode { _ = try workspace.fileStatistics() } == .noSuchFile)
    #expect(try errorCode { try workspace.backup(to: directory.file("copy.db")) } == .noSuchFile)
    #expect(try errorCode { try workspace.compact() } == .noSuchFile)
    #expect(try Files.names(in: directory) == [])
    workspace.shutdown()
    #expect(try Files.names(in: directory) == [])
  }

  @Test(
    "Shutdown doesn't create the file of an unused lazy workspace",
    arguments: [WorkspaceShutdownFlag.truncate, .vacuum, [.truncate, .vacuum]])
  func shutdownMakesNoFile(flags: WorkspaceShutdownFlag) throws {
    workspace.shutdown(flags: flags)
    #expect(try Files.names(in: directory) == [])
  }

  @Test("A transaction that touches nothing doesn't create the file of a lazy workspace")
  func aTransactionThatTouchesNothingMakesNoFile() throws {
    try workspace.transactAndWait { _ in }
    #expect(try Files.names(in: directory) == [])
  }

  @Test("A plain write creates the file of a lazy workspace")
  func aPlainWriteMakesTheFile() throws {
    workspace.dictionary["key"] = 1
    try workspace.dictionary.synchronize()
    #expect(Files.exists(directory.file()))
    #expect(workspace.commitNumber == 1)
  }

  @Test("A transaction that writes creates the file of a lazy workspace")
  func aTransactionMakesTheFile() throws {
    try workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    #expect(Files.exists(directory.file()))
  }

  /// Creating the file takes the write token, for which a closure doesn't wait unless it writes.
  @Test("A subscription in a closure doesn't create the file of a lazy workspace")
  func aSubscriptionInAClosureMakesNoFile() throws {
    var subscription: WorkspaceSubscription?
    try workspace.transactAndWait { _ in
      subscription = workspace.dictionary.subscribe("key", of: Int.self) { _ in }
      #expect(!Files.exists(directory.file()))
    }
    subscription?.cancel()
  }

  @Test("A subscription creates the file of a lazy workspace")
  func aSubscriptionMakesTheFile() throws {
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { _ in }
    #expect(Files.exists(directory.file()))
    subscription.cancel()
  }

  @Test("A9: An absence that was read before the file existed is not remembered afterwards")
  func anotherMakesTheFile() throws {
    #expect(workspace.dictionary["key0", Int.self] == nil)
    try Files.makeDatabase(at: directory.file())
    #expect(workspace.dictionary["key0", Int.self] == 0)
    #expect(workspace.fetchWithinASnapshot { workspace.dictionary["key0", Int.self] } == 0)
  }

  @Test("A failed opening reaches the completion, synchronize() and the error handler")
  func whatIsWrongReachesCompletionSynchronizeAndHandler() async throws {
    let reported = EventLog<WorkspaceError.Code>()
    var options = SQLiteWorkspace.Options.quiet
    options.errorHandler = { reported.append($0.code) }
    let folder = directory.path
    let broken = SQLiteWorkspace(filePath: folder, options: options)
    #expect(await broken.performChanges([]) { $0.dictionary["key"] = 1 } == false)
    broken.dictionary["key"] = 1
    #expect(try errorCode { try broken.dictionary.synchronize() } == .isDirectory)
    await broken.shutdown()
    #expect(reported.events.contains(.isDirectory))
  }
}
