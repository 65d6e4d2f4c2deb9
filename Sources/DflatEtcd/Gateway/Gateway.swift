#if Etcd

  import AsyncHTTPClient
  import Logging
  import NIOCore
  import NIOHTTP1
  import NIOSSL
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Calls etcd's JSON gateway (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/): chooses endpoints, repeats what may
  /// be repeated, and keeps the user's token.
  final class Gateway: Sendable {
    let endpoints: [String]
    private let configuration: EtcdConfiguration
    var maximumResponseSize: Int { configuration.maximumResponseSize }
    private let calls: HTTPClient
    /// Waits longer for answers.
    private let defragmentations: HTTPClient
    /// Watches hold their connections, and have a pool of their own, so that calls don't wait for one.
    private let streams: HTTPClient
    private let rotation: Mutex<EndpointRotation>
    private let tokens: TokenCache
    let runtime: ClientRuntime

    init(_ configuration: EtcdConfiguration, _ runtime: ClientRuntime) throws {
      let endpoints = try configuration.endpoints.map(Self.checked)
      if endpoints.isEmpty {
        throw EtcdError(.invalidConfiguration, "The configuration has no endpoints: name at least one.")
      }
      self.endpoints = endpoints
      self.configuration = configuration
      self.runtime = runtime
      tokens = TokenCache(executor: runtime.executor)
      var http = HTTPClient.Configuration(tlsConfiguration: try Self.tls(configuration.tls))
      http.redirectConfiguration = .disallow
      http.httpVersion = .http1Only
      http.timeout = HTTPClient.Configuration.Timeout(connect: TimeAmount(configuration.connectTimeout))
      // The deadline of a call covers the time until the answer begins.
      http.timeout.read = TimeAmount(configuration.requestTimeout)
      // Fail at once, so that the next endpoint is tried.
      http.connectionPool.retryConnectionEstablishment = false
      http.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionsForCalls
      calls = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: http)
      http.timeout.read = TimeAmount(configuration.defragmentationTimeout)
      defragmentations = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: http)
      http.timeout.read = TimeAmount(max(configuration.watchRenewal, Self.shortestRenewal))
      http.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionsForStreams
      streams = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: http)
      rotation = Mutex(EndpointRotation(count: endpoints.count, first: Int.random(in: endpoints.indices)))
    }

    private static let shortestRenewal = Duration.milliseconds(100)
    private static let connectionsForCalls = 32
    private static let connectionsForStreams = 10_000

    private static func checked(_ endpoint: String) throws -> String {
      guard let url = URL(string: endpoint), url.scheme == "http" || url.scheme == "https", url.host() != nil,
        url.path().isEmpty || url.path() == "/"
      else {
        let message = "The endpoint \(endpoint) is not a URL such as https://10.0.0.1:2379: correct the configuration."
        throw EtcdError(.invalidConfiguration, message)
      }
      return endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
    }

    private static func tls(_ files: EtcdConfiguration.TLS) throws -> TLSConfiguration {
      var tls = TLSConfiguration.makeClientConfiguration()
      do {
        if let path = files.trustRoots { tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path)) }
        if let path = files.certificateChain {
          tls.certificateChain = try NIOSSLCertificate.fromPEMFile(path).map { .certificate($0) }
        }
        if let path = files.privateKey { tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: path, format: .pem)) }
      } catch {
        throw EtcdError(
          .invalidConfiguration, "A certificate or key can't be read: check the paths of the configuration.",
          underlying: error)
      }
      return tls
    }

    func shutdown() async throws {
      do {
        try await streams.shutdown()
        try await calls.shutdown()
        try await defragmentations.shutdown()
      } catch {
        throw EtcdError(.shutDown, "The client can't be shut down: it may be shut down already.", underlying: error)
      }
    }

    // MARK: Calls

    /// Calls the gateway.
    ///
    /// - Parameters:
    ///   - limit: When the last attempt has to end, if that is earlier than the configuration's time for the call.
    ///   - needsLeader: Asks a member that knows no leader to refuse the call at once.
    ///   - decode: Decodes the answer.
    func call<Answer: Decodable & Sendable>(
      _ path: String, _ request: some Encodable, _ kind: CallKind, until limit: ContinuousClock.Instant? = nil,
      needsLeader: Bool = true, authenticated: Bool = true,
      decode: @Sendable (ByteBuffer, _ endpoint: String) throws -> Answer = Gateway.decode
    ) async throws -> Answer {
      let body = try Self.json(request)
      let (client, time) = resources(for: kind)
      return try await repeating(kind, within: time, until: limit, authenticated: authenticated) {
        endpoint, token, deadline in
        let end = kind.isRepeatable ? min(deadline, .now + self.configuration.attemptTimeout) : deadline
        let post = Post(url: endpoint + "/v3/" + path, body: body, token: token, needsLeader: needsLeader)
        let response = try await post.execute(on: client, until: end)
        let bytes = try await response.body.collect(upTo: self.configuration.maximumResponseSize)
        guard response.status == .ok else {
          throw AttemptFailure(status: response.status, body: bytes, endpoint: endpoint)
        }
        return try decode(bytes, endpoint)
      }
    }

    private func resources(for kind: CallKind) -> (HTTPClient, time: Duration) {
      if case .defragmentation = kind { return (defragmentations, configuration.defragmentationTimeout) }
      return (calls, configuration.requestTimeout)
    }

    /// Opens a stream of messages. The endpoint is returned for messages about its failures.
    func open(_ path: String, _ request: some Encodable) async throws -> (HTTPClientResponse, endpoint: String) {
      let body = try Self.json(request)
      return try await repeating(.repeatable, within: configuration.requestTimeout) { endpoint, token, deadline in
        let end = min(deadline, .now + self.configuration.attemptTimeout)
        let post = Post(url: endpoint + "/v3/" + path, body: body, token: token, needsLeader: true)
        let response = try await post.execute(on: self.streams, until: end)
        guard response.status == .ok else {
          let bytes = try await response.body.collect(upTo: self.configuration.maximumResponseSize)
          throw AttemptFailure(status: response.status, body: bytes, endpoint: endpoint)
        }
        return (response, endpoint)
      }
    }

    private typealias Attempt<Result> = (
      _ endpoint: String, _ token: String?, _ deadline: ContinuousClock.Instant
    ) async throws -> Result

    /// Makes attempts until one succeeds, repeating would be unsafe or useless, or the time is over. The error says
    /// whether one of them may have taken effect.
    private func repeating<Result: Sendable>(
      _ kind: CallKind, within time: Duration, until limit: ContinuousClock.Instant? = nil,
      authenticated: Bool = true, _ attempt: Attempt<Result>
    ) async throws -> Result {
      var mayHaveTakenEffect = false
      do {
        return try await makeAttempts(
          kind, within: time, until: limit, authenticated: authenticated, noting: &mayHaveTakenEffect, attempt)
      } catch let error as EtcdError {
        throw error.mayHaveTakenEffect(kind.isWrite && mayHaveTakenEffect)
      }
    }

    private func makeAttempts<Result: Sendable>(
      _ kind: CallKind, within time: Duration, until limit: ContinuousClock.Instant?, authenticated: Bool,
      noting mayHaveTakenEffect: inout Bool, _ attempt: Attempt<Result>
    ) async throws -> Result {
      var deadline = ContinuousClock.now + time
      var delays = RetryDelays(endpoints: endpoints.count)
      var refusedToken: String?
      var earlier: EtcdError?
      while true {
        let current = rotation.withLock(\.current)
        let endpoint = kind.endpoint ?? endpoints[current]
        let token: String?
        (token, deadline) = try await authorization(
          replacing: refusedToken, delaying: deadline, authenticated: authenticated)
        let end = limit.map { min($0, deadline) } ?? deadline
        let failure: AttemptFailure
        do { return try await attempt(endpoint, token, end) } catch {
          failure = AttemptFailure(connection: error, endpoint: endpoint)
        }
        let error = failure.error
        if failure.mayHaveTakenEffect {
          mayHaveTakenEffect = true
          if !kind.isRepeatable {
            // Later calls go to another endpoint.
            if failure.remedy == .nextEndpoint, kind.endpoint == nil { moveOn(from: current, because: failure) }
            throw error
          }
        }
        var delay = Duration.zero
        switch failure.remedy {
        case .none: throw error
        case .newToken:
          if token == nil || refusedToken != nil { throw error }
          refusedToken = token
        case .laterAttempt: delay = delays.next()
        case .nextEndpoint:
          if kind.endpoint != nil { throw error }
          moveOn(from: current, because: failure)
          delay = delays.next()
        }
        // The last attempt may have had too little time. Then an earlier one says more.
        let isCutShort = error.underlying as? HTTPClientError == .deadlineExceeded
        guard ContinuousClock.now + delay < end else { throw isCutShort ? earlier ?? error : error }
        if !isCutShort { earlier = error }
        do { try await runtime.sleep(delay) } catch { throw EtcdError.cancelled }
        // An attempt without any time would end as if it might have taken effect.
        guard ContinuousClock.now < end else { throw earlier ?? error }
      }
    }

    /// Returns the token for an attempt, and the call's deadline, which is later by the time that getting the token took.
    private func authorization(
      replacing refused: String?, delaying deadline: ContinuousClock.Instant, authenticated: Bool
    ) async throws -> (token: String?, deadline: ContinuousClock.Instant) {
      guard authenticated else { return (nil, deadline) }
      let start = ContinuousClock.now
      let token = try await token(replacing: refused)
      return (token, deadline + start.duration(to: .now))
    }

    func moveOn(from endpoint: String, because failure: AttemptFailure) {
      if let index = endpoints.firstIndex(of: endpoint) { moveOn(from: index, because: failure) }
    }

    private func moveOn(from endpoint: Int, because failure: AttemptFailure) {
      rotation.withLock { $0.moveOn(from: endpoint) }
      configuration.logger.debug("etcd endpoint failed", metadata: ["error": "\(failure.error)"])
    }

    private func token(replacing refused: String?) async throws -> String? {
      guard let credentials = configuration.credentials else { return nil }
      return try await tokens.token(replacing: refused) { try await self.authenticate(credentials) }
    }

    /// Makes later calls and streams ask for a new token. Returns false if there are no credentials.
    func forgetToken() -> Bool {
      tokens.forget()
      return configuration.credentials != nil
    }

    private func authenticate(_ credentials: EtcdConfiguration.Credentials) async throws -> String {
      let request = AuthenticateRequest(name: credentials.user, password: credentials.password)
      let answer: AuthenticateResponse = try await call(
        "auth/authenticate", request, .repeatable, authenticated: false)
      return answer.token
    }

    private static func json(_ request: some Encodable) throws -> ByteBuffer {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      return ByteBuffer(bytes: try encoder.encode(request))
    }

    /// Decodes a message of a stream.
    static func decodeMessage<Answer: Decodable & Sendable>(_ line: ByteBuffer, from endpoint: String) throws -> Answer
    {
      let message: StreamMessage<Answer> = try decode(line, from: endpoint)
      if let error = message.error {
        throw AttemptFailure(grpcCode: error.number, text: error.text, endpoint: endpoint)
      }
      guard let result = message.result else { throw AttemptFailure.unexpectedAnswer(of: endpoint, nil) }
      return result
    }

    static func decode<Answer: Decodable>(_ bytes: ByteBuffer, from endpoint: String) throws -> Answer {
      do { return try JSONDecoder().decode(Answer.self, from: Data(bytes.readableBytesView)) } catch {
        throw AttemptFailure.unexpectedAnswer(of: endpoint, error)
      }
    }
  }

#endif
