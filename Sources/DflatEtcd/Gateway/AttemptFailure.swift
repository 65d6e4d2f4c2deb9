#if Etcd

  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The reason why one attempt of a call failed, and the attempts that may follow.
  struct AttemptFailure: Error {
    enum Remedy {
      /// Nothing: every endpoint would answer the same.
      case none
      /// Try the next endpoint.
      case nextEndpoint
      /// Wait, and try again.
      case laterAttempt
      /// Get a new token, and try again.
      case newToken
    }

    let error: EtcdError
    let remedy: Remedy
    /// True if the request may have been carried out.
    let mayHaveTakenEffect: Bool
  }

  // MARK: Answers of etcd

  extension AttemptFailure {
    /// Describes an answer with another status than 200.
    init(status: HTTPResponseStatus, body: ByteBuffer, endpoint: String) {
      guard let answer = try? JSONDecoder().decode(ErrorResponse.self, from: Data(body.readableBytesView)),
        let text = answer.text
      else {
        // Something between this client and etcd, such as a proxy, has answered.
        let message =
          "\(endpoint) answers with the status \(status.code) and without an error of etcd: check that the URL is etcd's."
        self.init(
          error: EtcdError(.unexpectedAnswer, message), remedy: .nextEndpoint, mayHaveTakenEffect: true)
        return
      }
      self.init(grpcCode: answer.number, text: text, endpoint: endpoint)
    }

    /// Describes an error of etcd.
    ///
    /// The codes are gRPC's (https://grpc.io/docs/guides/status-codes/), the texts those of etcd 3.4 to 3.6
    /// (`api/v3rpc/rpctypes/error.go`).
    init(grpcCode: Int, text: String, endpoint: String) {
      func refused(_ code: EtcdError.Code, _ advice: String, _ remedy: Remedy = .none) -> AttemptFailure {
        AttemptFailure(
          error: EtcdError(code, "\(endpoint) refuses the request: \(text). \(advice)"), remedy: remedy,
          mayHaveTakenEffect: false)
      }
      self =
        if text.contains("required revision has been compacted") {
          refused(.compacted, "Read the newest state and go on from there.")
        } else if text.contains("required revision is a future revision") {
          refused(.futureRevision, "Use a revision that an answer has named.")
        } else if text.contains("requested lease not found") {
          refused(.leaseNotFound, "Grant a new lease.")
        } else if text.contains("database space exceeded") {
          // The member that finds at first that the quota is exceeded says so after it has carried the request out.
          AttemptFailure(
            error: EtcdError(
              .quotaExceeded,
              "\(endpoint) refuses the request: \(text). Delete or compact, defragment, and disarm the alarm."),
            remedy: .none, mayHaveTakenEffect: true)
        } else if text.contains("too many requests") {
          refused(.overloaded, "Try again later.", .laterAttempt)
        } else if text.contains("request is too large") || text.contains("larger than max") {
          refused(.tooLarge, "Send less in one request.")
        } else if text.contains("invalid auth token") || text.contains("revision of auth store is old") {
          refused(.unauthenticated, "The user's token is no longer valid.", .newToken)
        } else if text.contains("invalid user ID or password") || text.contains("user name is empty") || grpcCode == 16
        {
          refused(.unauthenticated, "Check the credentials of the configuration.")
        } else if text.contains("permission denied") || grpcCode == 7 {
          refused(.permissionDenied, "Grant the user's role the keys.")
        } else if text.contains("etcdserver: no leader") {
          // The member refuses calls that ask for a leader before it does anything else.
          refused(.unavailable, "Check that a majority of the members runs.", .nextEndpoint)
        } else if [3, 5, 6, 9, 11, 12].contains(grpcCode) {
          refused(.invalidRequest, "Correct the request.")
        } else if [4, 14].contains(grpcCode) {
          AttemptFailure(
            error: EtcdError(.unavailable, "\(endpoint) fails: \(text). Check that a majority of the members runs."),
            remedy: .nextEndpoint, mayHaveTakenEffect: true)
        } else {
          AttemptFailure(
            error: EtcdError(.failed, "\(endpoint) fails: \(text)."), remedy: .nextEndpoint, mayHaveTakenEffect: true)
        }
    }

    static func unexpectedAnswer(of endpoint: String, _ underlying: (any Error)?) -> AttemptFailure {
      AttemptFailure(
        error: EtcdError(
          .unexpectedAnswer, "\(endpoint) answers with something else than etcd's JSON: check that the URL is etcd's.",
          underlying: underlying),
        remedy: .nextEndpoint, mayHaveTakenEffect: true)
    }
  }

  // MARK: Failures of the connection

  extension AttemptFailure {
    init(connection error: any Error, endpoint: String) {
      let client = error as? HTTPClientError
      if let failure = error as? AttemptFailure {
        self = failure
      } else if let error = error as? EtcdError {
        // All attempts of opening a stream failed.
        self.init(error: error, remedy: error.isPassing ? .laterAttempt : .none, mayHaveTakenEffect: false)
      } else if client == .alreadyShutdown || client == .cancelled && !Task.isCancelled {
        self.init(
          error: EtcdError(.shutDown, "The client is shut down: create a new one."), remedy: .none,
          // A request that was running may have been sent.
          mayHaveTakenEffect: client == .cancelled)
      } else if error is CancellationError || client == .cancelled {
        self.init(error: .cancelled, remedy: .none, mayHaveTakenEffect: true)
      } else if error is NIOTooManyBytesError {
        self.init(
          error: EtcdError(
            .tooLarge, "The answer of \(endpoint) exceeds the configuration's limit: read less at once."),
          remedy: .none, mayHaveTakenEffect: true)
      } else {
        let message = "\(endpoint) can't be reached, or doesn't answer in time: check that the member runs."
        self.init(
          error: EtcdError(.unavailable, message, underlying: error), remedy: .nextEndpoint,
          mayHaveTakenEffect: !Self.isFailureToConnect(error))
      }
    }

    /// Returns true if no byte of the request can have reached the server.
    private static func isFailureToConnect(_ error: any Error) -> Bool {
      switch error {
      case let error as HTTPClientError:
        [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error)
      case let error as NIOSSLExtraError: error == .failedToValidateHostname
      case let error as IOError: error.errnoCode == ECONNREFUSED
      case is NIOConnectionError, NIOSSLError.handshakeFailed, ChannelError.connectTimeout: true
      default: false
      }
    }
  }

#endif
