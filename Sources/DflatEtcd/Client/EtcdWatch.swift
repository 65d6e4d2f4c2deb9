#if Etcd

  import AsyncHTTPClient
  import NIOCore

  /// The changes of a range of keys (``EtcdClient/watch(_:after:reportingPrevious:onInterruption:)``). Each iterator
  /// begins after the same revision.
  public struct EtcdWatch: AsyncSequence, Sendable {
    /// All changes of at least one revision.
    public typealias Element = EtcdWatchResponse

    let gateway: Gateway
    let keyspace: Keyspace
    let range: EtcdKeyRange
    let revision: Int64
    let reportsPrevious: Bool
    let onInterruption: (@Sendable (EtcdError) -> Void)?
    /// False if the first error ends the watch.
    var goesOn = true

    /// Returns the watch that ends with the first error, for callers that then look at the keys themselves. A quiet
    /// watch is set up again all the same.
    package func endingWhenInterrupted() -> EtcdWatch {
      var watch = self
      watch.goesOn = false
      return watch
    }

    /// Returns an iterator, which connects with its first call of `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Receives the changes. It is used by one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      private let watch: EtcdWatch
      /// The newest revision whose changes were delivered.
      private var revision: Int64
      private var stream: Stream?
      private var fragments: FragmentBuffer
      /// True if a permission was refused since the last message. etcd 3.4 says so, too, when a token is out of date.
      private var wasRefused = false
      private var delays: RetryDelays

      init(_ watch: EtcdWatch) {
        self.watch = watch
        revision = watch.revision
        fragments = FragmentBuffer(limit: watch.gateway.maximumResponseSize)
        delays = RetryDelays(endpoints: watch.gateway.endpoints.count)
      }

      public mutating func next() async throws -> EtcdWatchResponse? {
        // etcd refuses to watch a range without keys.
        if watch.keyspace.isEmpty(watch.range) { return nil }
        // etcd would watch another key, the one with a single zero byte.
        if watch.keyspace.isEmptyKey(watch.range) { throw EtcdError.emptyKey }
        while true {
          do {
            if let response = try await receive() { return response }
          } catch {
            let endpoint = stream?.endpoint ?? ""
            stream = nil
            let failure = AttemptFailure(connection: error, endpoint: endpoint)
            try await recover(from: failure, on: endpoint)
          }
        }
      }
    }
  }

  extension EtcdError {
    fileprivate static let emptyKey = EtcdError(
      .invalidRequest, "etcd has no empty key: watch another key, or configure a prefix.")
  }

  // MARK: Receiving

  extension EtcdWatch.Iterator {
    /// Returns the next changes, or nil for a message that completes none.
    private mutating func receive() async throws -> EtcdWatchResponse? {
      if stream == nil {
        fragments = FragmentBuffer(limit: watch.gateway.maximumResponseSize)
        stream = try await open()
      }
      guard let endpoint = stream?.endpoint, let line = try await stream?.nextLine() else { return nil }
      let response: WatchResponse = try Gateway.decodeMessage(line, from: endpoint)
      if response.canceled == true { throw cancellation(response, by: endpoint) }
      wasRefused = false
      let complete = try fragments.add(
        try (response.events ?? []).map { try $0.event(in: watch.keyspace) }, isFragment: response.fragment == true,
        size: line.readableBytes)
      guard let last = complete.last else { return nil }
      delays = RetryDelays(endpoints: watch.gateway.endpoints.count)
      revision = max(revision, last.entry.modRevision)
      return EtcdWatchResponse(revision: revision, events: complete)
    }

    /// The first revision to deliver. etcd would take 0 for the next one.
    private var startRevision: Int64 { revision == .max ? .max : max(0, revision) + 1 }

    private func open() async throws -> Stream {
      let (first, end) = watch.keyspace.bounds(of: watch.range)
      let request = WatchRequest(
        createRequest: WatchRequest.Creation(
          key: Base64(first), rangeEnd: end.map { Base64($0) }, startRevision: Int64Text(startRevision),
          previous: watch.reportsPrevious))
      let (response, endpoint) = try await watch.gateway.open("watch", request)
      return Stream(
        endpoint: endpoint, body: response.body.makeAsyncIterator(), limit: watch.gateway.maximumResponseSize)
    }

    private func cancellation(_ response: WatchResponse, by endpoint: String) -> AttemptFailure {
      if let compacted = response.compactRevision?.value, compacted > 0 {
        let message = "The changes after revision \(revision) are compacted up to \(compacted): read the keys again."
        return AttemptFailure(
          error: EtcdError(.compacted, message, compactRevision: compacted), remedy: .none, mayHaveTakenEffect: false)
      }
      return AttemptFailure(grpcCode: 14, text: response.reason ?? "the watch was cancelled", endpoint: endpoint)
    }
  }

  // MARK: Recovering

  extension EtcdWatch.Iterator {
    /// Prepares for the next attempt, or throws the error that ends the watch.
    private mutating func recover(from failure: AttemptFailure, on endpoint: String) async throws {
      if Task.isCancelled { throw EtcdError.cancelled }
      // A quiet stream is opened again to find out whether it is still connected.
      if failure.error.underlying as? HTTPClientError == .readTimeout { return }
      if failure.remedy == .newToken || failure.error.code == .permissionDenied, !wasRefused {
        wasRefused = true
        guard watch.gateway.forgetToken() else { throw failure.error }
      } else {
        switch failure.remedy {
        case .none, .newToken: throw failure.error
        case .laterAttempt: break
        case .nextEndpoint: watch.gateway.moveOn(from: endpoint, because: failure)
        }
        if !watch.goesOn { throw failure.error }
      }
      watch.onInterruption?(failure.error)
      do { try await watch.gateway.runtime.sleep(delays.next()) } catch { throw EtcdError.cancelled }
    }
  }

#endif
