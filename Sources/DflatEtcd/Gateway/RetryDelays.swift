#if Etcd

  /// The delays between the attempts of a call: none until each endpoint was tried, then random ones below a bound that
  /// doubles.
  ///
  /// The random part ("full jitter") keeps clients that failed together from coming back together.
  package struct RetryDelays: Sendable {
    static let first = Duration.milliseconds(50)

    private var immediate: Int
    private var bound = first
    private let longest: Duration

    /// - Parameter longest: The largest bound.
    package init(endpoints: Int = 1, longest: Duration = .seconds(1)) {
      immediate = endpoints - 1
      self.longest = longest
    }

    package mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
      if immediate > 0 {
        immediate -= 1
        return .zero
      }
      defer { bound = min(bound * 2, longest) }
      return bound * Double.random(in: 0...1, using: &random)
    }

    package mutating func next() -> Duration {
      var random = SystemRandomNumberGenerator()
      return next(using: &random)
    }
  }

#endif
