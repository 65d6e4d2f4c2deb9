#if Web
  import FlyingSocks

  /// A pool of sockets that ends connections whose other side neither sends nor reads.
  struct IdleLimitedPool: AsyncSocketPool {
    /// Browsers keep connections for later requests, and open new ones when they were closed.
    private static let readLimit = Duration.seconds(120)
    private static let writeLimit = Duration.seconds(30)

    let base: any AsyncSocketPool

    func prepare() async throws { try await base.prepare() }

    func run() async throws { try await base.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
      // The socket that listens has no other side.
      guard (try? socket.remotePeer()) != nil else {
        return try await base.suspendSocket(socket, untilReadyFor: events)
      }
      let limit = events.contains(.write) ? Self.writeLimit : Self.readLimit
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await base.suspendSocket(socket, untilReadyFor: events) }
        group.addTask {
          try await Task.sleep(for: limit)
          throw SocketError.disconnected
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }
#endif
