#if Web
  import DflatKV
  import DflatSupport
  import Dispatch
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import Synchronization

  /// The HTTP server of `kvtool web`, on the loopback address.
  ///
  /// It reads a request only as far as it is admitted, and closes connections whose other side neither sends nor reads, and
  /// the oldest of too many without an admitted request.
  final class WebServer: Sendable {
    fileprivate typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

    /// Browsers keep connections for later requests, and open new ones when they were closed.
    private static let requestLimit = TimeAmount.seconds(120)
    /// The most time that the other side takes for a response, or for a message of a stream.
    private static let responseLimit = TimeAmount.seconds(30)

    private let gate = WebGate()
    private let strangers = WebStrangers()
    private let feed: CommitFeed
    private let router: WebRouter
    private let port: Int
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter port: The port; 0 for any free one.
    init(_ file: ServedFile, writer: KeyWriter?, port: Int) {
      feed = CommitFeed(file)
      router = WebRouter(gate, file, feed, writer)
      self.port = port
    }

    /// Starts the server, calls `ready` with the URL of the page, and ends `end` if the server fails.
    func start(_ end: SubscriptionEnd, ready: @escaping @Sendable (String) throws -> Void) {
      feed.start()
      let task = Task {
        do {
          let listener = try await listen()
          let port = listener.channel.localAddress?.port ?? 0
          gate.open(port: port)
          end.reaching { try ready(gate.url(port: port)) }
          try await accept(listener)
        } catch {
          end.reach(.failed(Self.toolError(error)))
        }
      }
      self.task.withLock { $0 = task }
    }

    /// Ends all connections, and waits for what they do, at most a second: a query may take longer.
    func stop() {
      feed.stop()
      guard let task = task.withLock({ $0 }) else { return }
      task.cancel()
      let isStopped = DispatchSemaphore(value: 0)
      Task {
        await task.value
        isStopped.signal()
      }
      _ = isStopped.wait(timeout: .now() + 1)
    }

    // MARK: Connections

    private func listen() async throws -> NIOAsyncChannel<Connection, Never> {
      try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline()
            return try Connection(wrappingChannelSynchronously: channel)
          }
        }
    }

    private func accept(_ listener: NIOAsyncChannel<Connection, Never>) async throws {
      try await withThrowingDiscardingTaskGroup { group in
        try await listener.executeThenClose { connections in
          for try await connection in connections {
            let channel = connection.channel
            strangers.add(channel)
            group.addTask {
              // An error is that of a connection, such as a browser that was closed.
              try? await self.serve(connection)
              self.strangers.remove(channel)
            }
          }
        }
      }
    }

    private func serve(_ connection: Connection) async throws {
      let channel = connection.channel
      try await connection.executeThenClose { inbound, _ in
        var parts = inbound.makeAsyncIterator()
        while true {
          let (request, response) = try await Self.closing(channel, after: Self.requestLimit) {
            try await receive(from: &parts, on: channel)
          }
          guard let request else { return }
          let answer = if let response { response } else { await router.response(to: request) }
          let isLast = !request.isKeptAlive || answer.endsConnection
          try await Self.send(answer, isLast: isLast, on: channel)
          if isLast { return }
        }
      }
    }

    /// Receives a request. Returns its response, too, if that doesn't depend on the rest; no request at the end.
    private func receive(
      from parts: inout Parts, on channel: any Channel
    ) async throws -> (WebRequest?, WebResponse?) {
      guard case .head(let head)? = try await parts.next() else { return (nil, nil) }
      var request = WebRequest(head)
      switch router.admission(of: request) {
      case .refused(let response): return (request, response)
      case .admitted(let path, let cookie, let largestBody):
        strangers.remove(channel)
        (request.path, request.newCookie) = (path, cookie)
        let tooLarge = WebResponse.refusal(.payloadTooLarge, "A request has at most \(largestBody) bytes.")
        if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), length > largestBody {
          return (request, tooLarge)
        }
        while let part = try await parts.next(), case .body(let bytes) = part {
          request.body += bytes.readableBytesView
          if request.body.count > largestBody { return (request, tooLarge) }
        }
        return (request, nil)
      }
    }

    /// Sends a response, and returns when the system has all of it.
    private static func send(_ response: WebResponse, isLast: Bool, on channel: any Channel) async throws {
      var headers = response.headers
      if isLast { headers.replaceOrAdd(name: "Connection", value: "close") }
      if case .bytes(let bytes) = response.body { headers.add(name: "Content-Length", value: "\(bytes.count)") }
      func write(_ part: HTTPServerResponsePart) async throws {
        try await closing(channel, after: responseLimit) { try await channel.writeAndFlush(part) }
      }
      try await write(.head(HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)))
      switch response.body {
      case .bytes(let bytes): try await write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
      case .messages(let messages):
        channel.closeFuture.whenComplete { _ in messages.end() }
        for await message in messages.stream { try await write(.body(.byteBuffer(ByteBuffer(bytes: message)))) }
      }
      try await write(.end(nil))
    }

    /// Runs a part of the work for a connection, which is closed if it takes longer.
    private static func closing<Result>(
      _ channel: any Channel, after limit: TimeAmount, _ body: () async throws -> Result
    ) async throws -> Result {
      let timer = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
      defer { timer.cancel() }
      return try await body()
    }

    private static func toolError(_ error: any Error) -> ToolError {
      guard let code = (error as? IOError)?.errnoCode else {
        return ToolError(.otherError, "the server has ended: \(error)")
      }
      return switch code {
      case EADDRINUSE: ToolError(.otherError, "another program uses this port: name another one with --port")
      case EACCES: ToolError(.otherError, "this user may not use this port: name another one with --port")
      default: ToolError(.otherError, "the server has ended: \(systemMessage(code))")
      }
    }
  }
#endif
