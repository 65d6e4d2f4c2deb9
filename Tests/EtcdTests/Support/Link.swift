import NIOCore
import NIOPosix
import Synchronization

/// A link to a server on this computer that passes bytes on in both directions, and can be cut in one or both of them.
///
/// A cut link keeps its connections, as a network that loses all packets does: nothing arrives until it is mended, and
/// then what was sent meanwhile arrives late.
public final class Link: Sendable {
  public enum Direction: Int, CaseIterable, Sendable { case toServer, fromServer }

  private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  /// The port on which the link listens.
  public let port: Int
  private let gates: Gates
  private let service: Task<Void, Never>

  private final class Gates: Sendable {
    let cut = Mutex<Set<Direction>>([])

    /// Waits while a direction is cut. Polls, so that it ends with its task.
    func pass(_ direction: Direction) async throws {
      while cut.withLock({ $0.contains(direction) }) { try await Task.sleep(for: .milliseconds(10)) }
    }
  }

  /// Listens on a free port.
  ///
  /// - Parameter server: The server's port. It need not listen yet.
  public init(toPort server: Int) async throws {
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0, childChannelInitializer: Self.wrap)
    port = channel.channel.localAddress?.port ?? 0
    let gates = Gates()
    self.gates = gates
    service = Task {
      try? await withThrowingDiscardingTaskGroup { group in
        try await channel.executeThenClose { connections in
          for try await client in connections {
            group.addTask { try? await Self.serve(client, server, gates) }
          }
        }
      }
    }
  }

  deinit { service.cancel() }

  /// Lets nothing pass in these directions.
  public func cut(_ directions: Set<Direction> = Set(Direction.allCases)) { gates.cut.withLock { $0 = directions } }

  public func mend() { cut([]) }

  @Sendable private static func wrap(_ channel: any Channel) -> EventLoopFuture<Connection> {
    channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
  }

  private static func serve(_ client: Connection, _ port: Int, _ gates: Gates) async throws {
    try await client.executeThenClose { fromClient, toClient in
      let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: port, channelInitializer: wrap)
      try await server.executeThenClose { fromServer, toServer in
        // Whichever side closes its connection first ends both.
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await pass(fromClient, to: toServer, .toServer, gates) }
          group.addTask { try await pass(fromServer, to: toClient, .fromServer, gates) }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
    }
  }

  private static func pass(
    _ source: NIOAsyncChannelInboundStream<ByteBuffer>, to target: NIOAsyncChannelOutboundWriter<ByteBuffer>,
    _ direction: Direction, _ gates: Gates
  ) async throws {
    for try await bytes in source {
      try await gates.pass(direction)
      try await target.write(bytes)
    }
  }
}
