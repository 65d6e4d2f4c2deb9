import DflatCore
import MemoryReplication
import SimulatedRuntime

/// The configuration that makes a program's workspaces replicas of one another.
struct Replication: CustomStringConvertible {
  /// The number of the file of each workspace. Each file is a machine of its own.
  var files: [Int]
  var timeoutMilliseconds: Int
  var snapshotBytes: Int
  /// How often the calls of a workspace's log fail.
  var faults: LogFaults.Frequency
  /// True if something may go wrong in the network.
  var hasFaults: Bool

  init(_ random: inout SplitMix, withFaults: Bool) {
    files = Array(0..<2 + random.below(2))
    if random.oneIn(3) { files.append(random.below(files.count)) }
    timeoutMilliseconds = [200, 2_000, 10_000][random.below(3)]
    snapshotBytes = [1, 4_096, 1 << 20][random.below(3)]
    hasFaults = withFaults && !random.oneIn(4)
    faults = LogFaults.Frequency()
    faults.delay = [0, 100, 2_000, 50_000][random.below(4)]
    faults.appends = hasFaults ? [0, 3, 10, 30][random.below(4)] : 0
    faults.hasLateRequests = hasFaults
    faults.turnEnds = hasFaults ? [0, 10, 50][random.below(3)] : 0
    faults.repeatedAnswers = hasFaults ? [0, 2, 10][random.below(3)] : 0
  }

  /// A network that never fails, and takes no time.
  static var calm: Replication {
    var random = SplitMix(1)
    var replication = Replication(&random, withFaults: false)
    (replication.files, replication.faults.delay, replication.snapshotBytes) = ([0, 1, 0], 0, 1)
    return replication
  }

  var description: String {
    "on the files \(files), timeout \(timeoutMilliseconds) ms, snapshots after \(snapshotBytes) bytes, delays below "
      + "\(faults.delay) µs"
      + (hasFaults
        ? ", a fault in \(faults.appends) appends, the turn ends at one in \(faults.turnEnds) calls, one in "
          + "\(faults.repeatedAnswers) answers is repeated" : "")
  }
}

/// One step of a thread on a replica.
enum ReplicaStep: CustomStringConvertible {
  /// Gets the newest commit of all machines. Then all that was acknowledged before is visible.
  case catchUp
  /// Cuts the workspace off from the cluster for a while. The lease of its turn ends before it is back, or doesn't.
  case cutOff(milliseconds: Int, endsTurn: Bool)
  /// Ends the turn, whoever has it.
  case expireTurn
  /// Shuts the workspace down, and goes on with a new one on its file.
  case reopen

  init(_ random: inout SplitMix, withFaults: Bool) {
    switch random.below(withFaults ? 6 : 3) {
    case 0, 1: self = .catchUp
    case 2: self = .reopen
    case 3: self = .expireTurn
    default: self = .cutOff(milliseconds: [1, 20, 300, 5_000][random.below(4)], endsTurn: random.oneIn(2))
    }
  }

  var description: String {
    switch self {
    case .catchUp: "catchUp"
    case .cutOff(let time, let endsTurn): "cutOff(\(time) ms\(endsTurn ? ", ends the turn" : ""))"
    case .expireTurn: "expireTurn"
    case .reopen: "reopen"
    }
  }
}
