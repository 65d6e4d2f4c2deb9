#if Etcd

  /// An error of etcd or of reaching it: a stable code, a message, and whether the call may have taken effect.
  ///
  ///     do {
  ///       try await client.put(value, for: "theme")
  ///     } catch let error as EtcdError where error.mayHaveTakenEffect {
  ///       // read the key: the answer was lost, and the value may be there
  ///     }
  public struct EtcdError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. Codes keep their meaning; new versions may add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
      /// The code's name, for logs and tools.
      public let description: String

      init(_ name: String) { description = name }
    }

    /// The kind of the error.
    public let code: Code
    /// One sentence that says what happened, where, and what to do.
    public let message: String
    /// True if a write was sent and its answer is missing: it may have taken effect, now or later. If a write was
    /// repeated, one lost answer is enough. False if it certainly has no effect, and for reads.
    public let mayHaveTakenEffect: Bool
    /// The oldest revision that can still be read or watched, for `.compacted` if etcd says it.
    public let compactRevision: Int64?
    /// The error that caused this one, for example the connection's.
    public let underlying: (any Error)?

    init(
      _ code: Code, _ message: String, mayHaveTakenEffect: Bool = false, compactRevision: Int64? = nil,
      underlying: (any Error)? = nil
    ) {
      self.code = code
      self.message = message
      self.mayHaveTakenEffect = mayHaveTakenEffect
      self.compactRevision = compactRevision
      self.underlying = underlying
    }

    /// True if the same call may succeed later.
    var isPassing: Bool { [.unavailable, .overloaded, .unexpectedAnswer, .failed].contains(code) }

    func mayHaveTakenEffect(_ mayHave: Bool) -> EtcdError {
      EtcdError(
        code, message, mayHaveTakenEffect: mayHave, compactRevision: compactRevision, underlying: underlying)
    }

    /// The code, message and cause, for logs.
    public var description: String {
      let effect = mayHaveTakenEffect ? " The call may have taken effect." : ""
      let cause = underlying.map { " (\($0))" } ?? ""
      return "\(code): \(message)\(effect)\(cause)"
    }
  }

  extension EtcdError.Code {
    /// No endpoint answered in time, or the cluster has no leader.
    public static let unavailable = Self("unavailable")
    /// The calling task was cancelled.
    public static let cancelled = Self("cancelled")
    /// The client is shut down.
    public static let shutDown = Self("shutDown")
    /// The configuration can't be used: an endpoint that is no URL, or a certificate that can't be read.
    public static let invalidConfiguration = Self("invalidConfiguration")
    /// etcd refuses the request, for example because a transaction writes a key twice.
    public static let invalidRequest = Self("invalidRequest")
    /// The user name or the password is wrong, or the cluster asks for one and the configuration has none.
    public static let unauthenticated = Self("unauthenticated")
    /// The user has no right to the key.
    public static let permissionDenied = Self("permissionDenied")
    /// The revision was compacted: read the newest state, and go on from there.
    public static let compacted = Self("compacted")
    /// The revision doesn't exist yet.
    public static let futureRevision = Self("futureRevision")
    /// The database has reached its quota: delete or compact, then disarm the alarm.
    public static let quotaExceeded = Self("quotaExceeded")
    /// The request or the answer is too large.
    public static let tooLarge = Self("tooLarge")
    /// The cluster has too much to do.
    public static let overloaded = Self("overloaded")
    /// The lease has ended or never existed.
    public static let leaseNotFound = Self("leaseNotFound")
    /// The answer is not what etcd's gateway sends.
    public static let unexpectedAnswer = Self("unexpectedAnswer")
    /// A failure that etcd reports and this version doesn't know.
    public static let failed = Self("failed")
  }

#endif
