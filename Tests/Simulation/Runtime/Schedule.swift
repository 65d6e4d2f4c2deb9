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

  /// Returns a number below `bound`.
  public mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % bound }

  /// Returns true once in `times` calls on average.
  public mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }
}

/// The rule that chooses the next fiber at a scheduling point.
public enum Strategy: Sendable, CustomStringConvertible {
  /// At one in `oneIn` points, chooses any fiber that can run; otherwise the running one continues.
  case randomWalk(oneIn: Int)
  /// Chooses the fiber with the highest priority. Priorities are random, and at `changes` random points the running
  /// fiber gets the lowest one (probabilistic concurrency testing, Burckhardt et al. 2010). This finds faults that need
  /// few switches with a known probability.
  case priorities(changes: Int)

  public var description: String {
    switch self {
    case .randomWalk(let times): "random walk, a choice at one point in \(times)"
    case .priorities(let changes): "random priorities, \(changes) changes"
    }
  }
}

/// The decisions of a schedule's seed apart from its choices.
public struct ScheduleOptions: Sendable {
  public var strategy: Strategy
  /// Number of threads of the simulated Dispatch; libdispatch has 255.
  public var poolLimit: Int
  /// The virtual time that passes from one scheduling point to the next is below this many nanoseconds.
  public var stepNanoseconds: Int
  /// At one in this many points, time jumps to the next timer, as if all threads had been delayed; 0 for never.
  public var stallOneIn: Int
  /// One in this many operations on files fails; 0 for none.
  public var faultOneIn: Int
  /// The same for the operations that follow other workspaces' commits.
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
