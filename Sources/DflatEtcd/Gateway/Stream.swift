#if Etcd

  import AsyncHTTPClient
  import NIOCore

  /// An open stream of messages.
  struct Stream {
    let endpoint: String
    private var body: HTTPClientResponse.Body.AsyncIterator
    private var lines = LineBuffer()
    private let limit: Int

    init(endpoint: String, body: HTTPClientResponse.Body.AsyncIterator, limit: Int) {
      self.endpoint = endpoint
      self.body = body
      self.limit = limit
    }

    /// Returns the next message. Throws if the stream has ended.
    mutating func nextLine() async throws -> ByteBuffer {
      while true {
        if let line = lines.next() { return line }
        guard lines.count <= limit else { throw NIOTooManyBytesError(maxBytes: limit) }
        guard let bytes = try await body.next() else {
          throw AttemptFailure(grpcCode: 14, text: "the stream has ended", endpoint: endpoint)
        }
        lines.append(bytes)
      }
    }
  }

#endif
