/// A generator of numbers that a seed determines: SplitMix64.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(_ seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`.
  public mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % bound }

  /// True once in so many times.
  public mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }
}

/// How the next fiber is chosen at a scheduling point.
public enum Strategy: Sendable, CustomStringConvertible {
  /// Any that can run, at one of so many points; else the one that runs goes on.
  case randomWalk(oneIn: Int)
  /// The one of the highest priority, which is random; so many times the one that runs becomes the lowest, at a random point
  /// (probabilistic concurrency testing, Burckhardt et al. 2010): it finds what needs few switches with a known probability.
  case priorities(changes: Int)

  public var description: String {
    switch self {
    case .randomWalk(let times): "random walk, a choice at one point in \(times)"
    case .priorities(let changes): "random priorities, \(changes) changes"
    }
  }
}

/// What a schedule's seed decides besides its choices.
public struct ScheduleOptions: Sendable {
  public var strategy: Strategy
  /// Threads that the simulated Dispatch has; libdispatch has 255.
  public var poolLimit: Int
  /// The virtual time that passes from one scheduling point to the next is below this many nanoseconds.
  public var stepNanoseconds: Int
  /// At one of so many points time jumps to the next timer, as if all threads had been held up; 0 for never.
  public var stallOneIn: Int
  /// One of so many operations on files fails; 0 for none.
  public var faultOneIn: Int
  /// The same of those by which other workspaces' commits are followed.
  public var followingFaultOneIn: Int

  public init(
    strategy: Strategy, poolLimit: Int, stepNanoseconds: Int, stallOneIn: Int, faultOneIn: Int, followingFaultOneIn: Int
  ) {
    self.strategy = strategy
    self.poolLimit = poolLimit
    self.stepNanoseconds = stepNanoseconds
    self.stallOneIn = stallOneIn
    self.faultOneIn = faultOneIn
    self.followingFaultOneIn = followingFaultOneIn
  }
}
