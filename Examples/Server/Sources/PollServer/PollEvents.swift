import DflatKV
import Foundation
import Hummingbird
import ServiceLifecycle

/// Server-sent events: the standing now, and after each commit that changes it, by any process.
struct PollEvents: Sendable {
  private let workspace: SQLiteWorkspace

  init(_ workspace: SQLiteWorkspace) { self.workspace = workspace }

  var response: Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
      body: ResponseBody { writer in
        let encoder = PollContext.encoder
        let standings = workspace.observe { reader in Standing(reader.dictionary) }.values()
        // A slow client gets the newest standing when it is ready for one. Without the cancellation, the server would
        // wait for its clients before it shuts down.
        for try await standing in standings.cancelOnGracefulShutdown() {
          try await writer.write(
            ByteBuffer(string: "data: \(String(decoding: encoder.encode(standing), as: UTF8.self))\n\n"))
        }
        try await writer.finish(nil)
      })
  }
}
