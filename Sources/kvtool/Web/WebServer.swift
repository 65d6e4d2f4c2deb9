#if Web
  import DflatKV
  import DflatSupport
  import FlyingFox
  import FlyingSocks

  /// The HTTP server of `kvtool web`, on the loopback address.
  final class WebServer: Sendable {
    private let server: HTTPServer
    private let gate = WebGate()
    private let feed: CommitFeed

    /// - Parameter port: The port; 0 for any free one.
    init(_ file: ServedFile, writer: KeyWriter?, port: UInt16) throws {
      feed = CommitFeed(file)
      let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
      let router = WebRouter(gate, file, feed, writer)
      // Queries of large tables take long, so there is no limit for a response. A body that is larger than the buffer
      // isn't read before the request is admitted.
      let configuration = HTTPServer.Configuration(
        address: address, timeout: 86_400, sharedRequestBufferSize: 4096, sharedRequestReplaySize: 4096,
        pool: IdleLimitedPool(base: HTTPServer.defaultPool()), logger: .disabled)
      server = HTTPServer(config: configuration, handler: router)
    }

    /// Starts the server, calls `ready` with the URL of the page, and ends `end` if the server fails.
    func start(_ end: SubscriptionEnd, ready: @escaping @Sendable (String) throws -> Void) {
      Self.raiseFileLimit()
      feed.start()
      Task { [server] in
        do { try await server.run() } catch { end.reach(.failed(Self.toolError(error))) }
      }
      Task { [server, gate] in
        // A server that fails to start has ended `end`.
        guard (try? await server.waitUntilListening(timeout: 60)) != nil,
          case .ip4(_, let port)? = await server.listeningAddress
        else { return }
        gate.open(port: port)
        end.reaching { try ready(gate.url(port: port)) }
      }
    }

    /// Ends the streams of commits.
    func stop() { feed.stop() }

    private static func toolError(_ error: any Error) -> ToolError {
      guard case SocketError.failed(_, let code, _) = error else {
        return ToolError(.otherError, "the server has ended: \(error)")
      }
      return switch code {
      case EADDRINUSE: ToolError(.otherError, "another program uses this port: name another one with --port")
      case EACCES: ToolError(.otherError, "this user may not use this port: name another one with --port")
      default: ToolError(.otherError, "the server has ended: \(systemMessage(code))")
      }
    }

    /// Lets the server have as many connections as the system allows.
    private static func raiseFileLimit() {
      var limit = rlimit()
      #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let files = RLIMIT_NOFILE
      #endif
      guard getrlimit(files, &limit) == 0 else { return }
      limit.rlim_cur = min(limit.rlim_max, 65_536)
      setrlimit(files, &limit)
    }
  }
#endif
