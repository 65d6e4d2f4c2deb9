#if Etcd

  /// The ways in which a call may be tried.
  enum CallKind: Equatable {
    /// On any endpoint, again after a failure: it changes nothing.
    case repeatable
    /// A write on any endpoint, again after a failure: doing it twice is the same as once.
    case repeatableWrite
    /// A write on any endpoint, again only if it certainly had no effect.
    case once
    /// On this endpoint, about which it asks.
    case only(String)
    /// A write on this endpoint, which takes longer than others.
    case defragmentation(of: String)

    /// True if a lost answer means that the call may have taken effect.
    var isWrite: Bool {
      switch self {
      case .repeatable, .only: false
      case .repeatableWrite, .once, .defragmentation: true
      }
    }

    /// True if doing it twice is the same as once.
    var isRepeatable: Bool {
      switch self {
      case .repeatable, .repeatableWrite, .only: true
      case .once, .defragmentation: false
      }
    }

    /// The endpoint that has to answer; nil if any may.
    var endpoint: String? {
      switch self {
      case .only(let endpoint), .defragmentation(let endpoint): endpoint
      case .repeatable, .repeatableWrite, .once: nil
      }
    }
  }

#endif
