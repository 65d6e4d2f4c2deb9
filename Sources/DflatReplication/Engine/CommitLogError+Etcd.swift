#if Etcd

  import DflatCore
  import DflatEtcd

  extension CommitLogError {
    /// Describes an error of the client.
    init(_ error: any Error) {
      switch error {
      case let error as CommitLogError: self = error
      case let error as EtcdError where error.code == .cancelled:
        self.init(.unavailable, "the cluster did not answer in time", underlying: error)
      case let error as EtcdError: self.init(Self.code(of: error), error.message.asPart, underlying: error)
      case is CancellationError: self.init(.unavailable, "the cluster did not answer in time", underlying: error)
      default: self.init(.unavailable, "\(error)", underlying: error)
      }
    }

    private static func code(of error: EtcdError) -> Code {
      switch error.code {
      case .shutDown: .closed
      case .unauthenticated, .permissionDenied: .denied
      case .quotaExceeded: .full
      case .tooLarge: .tooLarge
      default: .unavailable
      }
    }

    static func foreign(_ key: EtcdKey, _ what: String) -> CommitLogError {
      CommitLogError(.foreign, "the key \(key) \(what)")
    }

    static let turnWasKept = CommitLogError(.busy, "the turn did not come in time")
    static let timedOut = CommitLogError(.unavailable, "the cluster did not answer in time")
    static let isClosed = CommitLogError(.closed, "the log is closed")
  }

  extension EtcdError {
    /// True if the program's user has no right to the call.
    var isDenial: Bool { code == .unauthenticated || code == .permissionDenied }
  }

  extension String {
    /// A sentence's text as a part of another one.
    fileprivate var asPart: String { hasSuffix(".") ? String(dropLast()) : self }
  }

#endif
