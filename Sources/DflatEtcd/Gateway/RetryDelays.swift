#if Etcd

  /// The delays between the attempts of a call: none until each endpoint was tried, then random ones below a bound that
  /// doubles.
  ///
  /// The random part ("full jitter") keeps clients that failed together from coming back together.
  struct RetryDelays {
    static let first = Duration.milliseconds(50)
    static let longest = Duration.seconds(1)

    private var immediate: Int
    private var bound = first

    init(endpoints: Int) { immediate = endpoints - 1 }

    mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
      if immediate > 0 {
        immediate -= 1
        return .zero
      }
      defer { bound = min(bound * 2, Self.longest) }
      return bound * Double.random(in: 0...1, using: &random)
    }
  }

#endif
