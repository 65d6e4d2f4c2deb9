import DflatKV
import DflatServiceLifecycle
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle

@main
struct PollServer {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let workspace = try SQLiteWorkspace.open(filePath: environment["POLL_DB"] ?? "poll.db")
    let router = Router(context: PollContext.self)
    PollRoutes(workspace: workspace).add(to: router)
    var logger = Logger(label: "poll-server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    let server = Application(
      router: router,
      configuration: .init(address: .hostname("127.0.0.1", port: environment["POLL_PORT"].flatMap { Int($0) } ?? 8080)),
      onServerRunning: { channel in announce(channel.localAddress?.port ?? 0) },
      logger: logger)
    // Services end in reverse order. The workspace closes after the last request, with all writes committed.
    let group = ServiceGroup(
      services: [WorkspaceService(workspace, flags: .truncate), server],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
    print("all votes are in the file")
  }

  private static func announce(_ port: Int) {
    // Not buffered: whoever started the server waits for the line.
    FileHandle.standardOutput.write(Data("listening on http://127.0.0.1:\(port)\n".utf8))
  }
}
