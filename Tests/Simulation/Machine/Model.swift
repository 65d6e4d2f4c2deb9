/// The state of counters, sets and objects, as far as the acknowledged operations determine it.
final class Model: @unchecked Sendable {  // one real thread
  /// The highest value whose commit was reported to a caller, by counter.
  var acknowledged = [Int](repeating: 0, count: Program.counters)
  /// The highest value that a plain read of a workspace has returned, or that its observers have received.
  var seen: [[Int]]
  var successes = [Int](repeating: 0, count: Program.counters)
  var unknown = [Int](repeating: 0, count: Program.counters)
  var seenPair: [Int]
  /// The progress of the set and of the objects' states, like that of a counter.
  var set: Progress
  var objects: Progress
  /// Transactions whose record isn't in the log change the objects, too, so each state of replicas has a number of its
  /// own, and a successor of a state this many more.
  let stride: Int
  private var lastState = 0
  /// The objects after each transaction that changed them, by its number.
  var states: [Int: [StoredObject]] = [0: []]
  /// Number of requested changes, an upper bound of the number of commits.
  var changes = 0
  /// True from the moment at which a thread requests shutdown.
  var isClosing: [Bool]
  /// True when the call of shutdown has returned.
  var isShutDown: [Bool]
  /// Number of calls whose outcome is outstanding.
  var outstanding = 0
  /// Number of threads that run transactions' closures, by workspace and lane.
  var inLane: [[Int]]
  /// The last call that ran, by workspace, lane and thread.
  var lastRun: [[[Int]]]

  struct Progress {
    var acknowledged = 0, successes = 0, unknown = 0
    var seen: [Int]

    mutating func succeed(_ number: Int, on workspace: Int) {
      successes += 1
      acknowledged = max(acknowledged, number)
      see(number, on: workspace)
    }

    /// Returns true if a number may be the last one.
    func allows(_ number: Int) -> Bool { number >= successes && number <= successes + unknown }

    mutating func see(_ number: Int, on workspace: Int) { seen[workspace] = max(seen[workspace], number) }
  }

  init(_ program: Program) {
    let places = program.places
    let none = Array(repeating: 0, count: places)
    seen = Array(repeating: Array(repeating: 0, count: Program.counters), count: places)
    seenPair = none
    set = Progress(seen: none)
    objects = Progress(seen: none)
    isClosing = Array(repeating: false, count: places)
    isShutDown = isClosing
    stride = program.replication == nil ? 1 : 1 << 20
    inLane = Array(repeating: Array(repeating: 0, count: Program.laneCount + 3), count: places)
    lastRun = Array(
      repeating: Array(repeating: Array(repeating: -1, count: 16), count: Program.laneCount + 3),
      count: places)
  }

  /// Returns the number of a new state after another one.
  func state(after number: Int) -> Int {
    if stride == 1 { return number + 1 }
    lastState += 1
    return (number / stride + 1) * stride + lastState
  }

  /// Lets a place begin with what the workspace before it on the file has shown.
  func inherit(_ place: Int, from other: Int) {
    seen[place] = seen[other]
    seenPair[place] = seenPair[other]
    set.seen[place] = set.seen[other]
    objects.seen[place] = objects.seen[other]
  }
}
