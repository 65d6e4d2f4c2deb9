import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An endpoint on this computer that answers as a closure says, for failures that no real member shows on demand.
public final class FaultyEndpoint: Sendable {
  /// The endpoint's reaction to a request.
  public enum Reply: Sendable {
    /// Answers with a status and a text.
    case answer(Int, String)
    /// Answers with a status and a text, after a time.
    case answerLate(Duration, Int, String)
    /// Passes the request on to a member, and its whole answer back.
    case forward(to: String)
    /// Passes the request on to a member, and closes the connection instead of answering.
    case forwardAndClose(to: String)
    /// Passes the request on to a member, and answers with a status and a text of its own.
    case forwardAndAnswer(to: String, Int, String)
    /// Passes the request on to a member, runs a closure when it has answered, and never passes the answer back.
    case forwardAndHang(to: String, then: @Sendable () -> Void)
    /// Passes a stream on, and closes the connection after this many of the member's messages.
    case forwardStream(to: String, messages: Int)
    /// Passes a stream on as long as the closure returns true. Then nothing comes any more, and the connection stays.
    case forwardStreamWhile(to: String, @Sendable () -> Bool)
    /// Closes the connection.
    case close
    /// Never answers.
    case hang
  }

  /// A request: its path, and its text.
  public struct Request: Sendable {
    public let path: String
    public let body: String
    fileprivate let head: HTTPRequestHead
    fileprivate let bytes: ByteBuffer
  }

  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  private typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

  /// The URL for clients.
  public let endpoint: String
  private let server: Task<Void, Never>
  private let numbers = Numbers()

  /// The number of requests so far.
  public var requests: Int { numbers.next.withLock { $0 } }

  /// Listens on a free port.
  ///
  /// - Parameter reply: Decides about each request; it gets the request's number, from 0.
  public init(_ reply: @escaping @Sendable (Request, Int) -> Reply) async throws {
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          return try Connection(wrappingChannelSynchronously: channel)
        }
      }
    endpoint = "http://127.0.0.1:\(channel.channel.localAddress?.port ?? 0)"
    server = Task { [numbers] in
      try? await withThrowingDiscardingTaskGroup { group in
        try await channel.executeThenClose { connections in
          for try await connection in connections {
            group.addTask { try? await Self.serve(connection) { reply($0, numbers.take()) } }
          }
        }
      }
    }
  }

  deinit { server.cancel() }

  private final class Numbers: Sendable {
    let next = Mutex(0)

    func take() -> Int {
      next.withLock {
        let number = $0
        $0 += 1
        return number
      }
    }
  }

  private static func serve(_ connection: Connection, _ reply: (Request) -> Reply) async throws {
    try await connection.executeThenClose { inbound, outbound in
      var head: HTTPRequestHead?
      var bytes = ByteBuffer()
      for try await part in inbound {
        switch part {
        case .head(let received): head = received
        case .body(var more): bytes.writeBuffer(&more)
        case .end:
          guard let received = head else { return }
          let request = Request(path: received.uri, body: String(buffer: bytes), head: received, bytes: bytes)
          bytes.clear()
          guard try await answer(request, with: reply(request), on: outbound) else { return }
        }
      }
    }
  }

  /// Returns false if the connection is to be closed.
  private static func answer(
    _ request: Request, with reply: Reply, on outbound: Writer
  ) async throws -> Bool {
    switch reply {
    case .answer(let status, let text):
      let head = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: status),
        headers: ["Content-Length": "\(text.utf8.count)"])
      try await outbound.write(contentsOf: [.head(head), .body(.byteBuffer(ByteBuffer(string: text))), .end(nil)])
      return true
    case .answerLate(let time, let status, let text):
      try await Task.sleep(for: time)
      return try await answer(request, with: .answer(status, text), on: outbound)
    case .forward(let member):
      let response = try await forward(request, to: member)
      let body = try await response.body.collect(upTo: 1 << 30)
      let head = HTTPResponseHead(
        version: .http1_1, status: response.status, headers: ["Content-Length": "\(body.readableBytes)"])
      try await outbound.write(contentsOf: [.head(head), .body(.byteBuffer(body)), .end(nil)])
      return true
    case .forwardAndClose(let member):
      _ = try await forward(request, to: member).body.collect(upTo: 1 << 30)
      return false
    case .forwardAndAnswer(let member, let status, let text):
      _ = try await forward(request, to: member).body.collect(upTo: 1 << 30)
      return try await answer(request, with: .answer(status, text), on: outbound)
    case .forwardAndHang(let member, let body):
      _ = try await forward(request, to: member).body.collect(upTo: 1 << 30)
      body()
      try await Task.sleep(for: .seconds(3_600))
      return false
    case .forwardStream(let member, let messages):
      let response = try await forward(request, to: member)
      let headers: HTTPHeaders = ["Transfer-Encoding": "chunked"]
      try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)))
      var sent = 0
      for try await bytes in response.body where sent < messages {
        try await outbound.write(.body(.byteBuffer(bytes)))
        sent += bytes.readableBytesView.count { $0 == UInt8(ascii: "\n") }
        if sent >= messages { break }
      }
      return false
    case .forwardStreamWhile(let member, let isAlive):
      let response = try await forward(request, to: member)
      let headers: HTTPHeaders = ["Transfer-Encoding": "chunked"]
      try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)))
      for try await bytes in response.body where isAlive() { try await outbound.write(.body(.byteBuffer(bytes))) }
      return false
    case .close: return false
    case .hang:
      try await Task.sleep(for: .seconds(3_600))
      return false
    }
  }

  /// Streams hold their connections.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration.singletonConfiguration
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
    return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }()

  private static func forward(_ request: Request, to member: String) async throws -> HTTPClientResponse {
    var forwarded = HTTPClientRequest(url: member + request.path)
    forwarded.method = .POST
    for name in ["Content-Type", "Authorization", "Grpc-Metadata-hasleader"] {
      if let value = request.head.headers.first(name: name) { forwarded.headers.add(name: name, value: value) }
    }
    forwarded.body = .bytes(request.bytes)
    return try await client.execute(forwarded, timeout: .seconds(30))
  }
}
