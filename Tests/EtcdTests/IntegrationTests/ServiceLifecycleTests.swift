import DflatKV
import DflatServiceLifecycle
import Foundation
import Logging
import ServiceLifecycle
import Testing

/// A workspace as a service.
@Suite(.timeLimit(.minutes(15))) struct ServiceLifecycleTests {
  private let file = TestFile()

  /// Writes until the group shuts down, and once more then.
  private struct Writer: Service {
    let workspace: SQLiteWorkspace
    let started: AsyncStream<Void>.Continuation

    func run() async throws {
      workspace.dictionary["state"] = "running"
      started.finish()
      try await gracefulShutdown()
      workspace.dictionary["state"] = "ended"
    }
  }

  private struct Failing: Service {
    struct Failure: Error {}

    func run() async throws { throw Failure() }
  }

  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test("A graceful shutdown closes the workspace after the services that use it, and loses no write")
  func shutsDown() async throws {
    let workspace = try SQLiteWorkspace.open(filePath: file.path)
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let group = ServiceGroup(
      services: [
        WorkspaceService(workspace, flags: .truncate), Writer(workspace: workspace, started: continuation),
      ], logger: logger)
    async let running: Void = group.run()
    for await _ in started {}
    await group.triggerGracefulShutdown()
    try await running
    #expect(throws: WorkspaceError.self) { try workspace.dictionary.storedValue(forKey: "state") }
    #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
    let next = try SQLiteWorkspace.open(filePath: file.path)
    #expect(next.dictionary["state", String.self] == "ended")
    await next.shutdown()
  }

  @Test("If another service fails, the workspace is shut down, too") func isCancelled() async throws {
    let workspace = try SQLiteWorkspace.open(filePath: file.path)
    workspace.dictionary["a"] = 1
    let group = ServiceGroup(services: [WorkspaceService(workspace), Failing()], logger: logger)
    await #expect(throws: Failing.Failure.self) { try await group.run() }
    let error = #expect(throws: WorkspaceError.self) { try workspace.dictionary.storedValue(forKey: "a") }
    #expect(error?.code == .shutdown)
    let next = try SQLiteWorkspace.open(filePath: file.path)
    #expect(next.dictionary["a", Int.self] == 1)
    await next.shutdown()
  }
}
