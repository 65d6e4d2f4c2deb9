#if Etcd

  /// How a call may be tried.
  enum CallKind: Equatable {
    /// On any endpoint, again after a failure: doing it twice is the same as once.
    case repeatable
    /// On any endpoint, again only if it certainly had no effect.
    case once
    /// Once on this endpoint, about which it asks.
    case only(String)
  }

#endif
