#if Etcd

  import AsyncHTTPClient
  import NIOCore

  /// One request to the gateway.
  struct Post {
    let url: String
    let body: ByteBuffer
    let token: String?
    let needsLeader: Bool

    /// Sends the request. Returns when the answer begins.
    func execute(on client: HTTPClient, until deadline: ContinuousClock.Instant) async throws -> HTTPClientResponse {
      var request = HTTPClientRequest(url: url)
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/json")
      if needsLeader { request.headers.add(name: "Grpc-Metadata-hasleader", value: "true") }
      if let token { request.headers.add(name: "Authorization", value: token) }
      request.body = .bytes(body)
      let time = ContinuousClock.now.duration(to: deadline)
      return try await client.execute(request, deadline: .now() + TimeAmount(time))
    }
  }

#endif
