/// What must hold of the counters, as far as the acknowledged operations determine it.
final class Model: @unchecked Sendable {  // one real thread
  /// The highest value that somebody was told is committed, by counter.
  var acknowledged = [Int](repeating: 0, count: Program.counters)
  /// The highest value that a plain read of a workspace has returned, or that its observers were told.
  var seen: [[Int]]
  var successes = [Int](repeating: 0, count: Program.counters)
  var unknown = [Int](repeating: 0, count: Program.counters)
  /// As of the counters, of the objects.
  var objectsAcknowledged = [Int](repeating: 0, count: Program.objects)
  var objectSuccesses = [Int](repeating: 0, count: Program.objects)
  var objectUnknown = [Int](repeating: 0, count: Program.objects)
  var objectsSeen: [[Int]]
  var queries: [QueryWatch] = []
  var seenPair: [Int]
  /// True from the moment that somebody asks for it.
  var isClosing: [Bool]
  /// Calls whose outcome is outstanding.
  var outstanding = 0
  /// Threads of transactions' closures by workspace and lane.
  var inLane: [[Int]]
  /// The call that ran last, by workspace, lane and thread.
  var lastRun: [[[Int]]]
  var subscriptions: [Watch] = []

  /// A subscription to a counter.
  final class Watch: @unchecked Sendable {  // one real thread
    let workspace: Int
    let counter: Int
    var last: Int?
    var lastCommit: UInt64 = 0
    var isRegistered = false
    var isCancelled = false
    var running = 0

    init(workspace: Int, counter: Int) {
      self.workspace = workspace
      self.counter = counter
    }
  }

  /// A subscription to all objects.
  final class QueryWatch: @unchecked Sendable {  // one real thread
    let workspace: Int
    var last = [Int](repeating: 0, count: Program.objects)
    var isRegistered = false
    init(workspace: Int) { self.workspace = workspace }
  }

  init(_ program: Program) {
    objectsSeen = Array(repeating: Array(repeating: 0, count: Program.objects), count: program.workspaces)
    seen = Array(repeating: Array(repeating: 0, count: Program.counters), count: program.workspaces)
    seenPair = Array(repeating: 0, count: program.workspaces)
    isClosing = Array(repeating: false, count: program.workspaces)
    inLane = Array(repeating: Array(repeating: 0, count: Program.laneCount + 3), count: program.workspaces)
    lastRun = Array(
      repeating: Array(repeating: Array(repeating: -1, count: 16), count: Program.laneCount + 3),
      count: program.workspaces)
  }
}
