package import DflatKV
import Foundation

/// Replicas of one workspace, each on a file of its own, in one process. A test takes each for another machine.
package final class Replicas {
  package let directory: TemporaryDirectory
  package let cluster = MemoryCluster()
  package let errors = EventLog<WorkspaceError>()
  private var opened: [(name: String, workspace: SQLiteWorkspace)] = []

  package init() throws { directory = try TemporaryDirectory() }

  deinit { for replica in opened { replica.workspace.shutdown() } }

  package func path(_ name: String) -> String { directory.file(name) }

  /// Opens a replica, on a new file or on that of an earlier one of the same name.
  @discardableResult
  package func open(
    _ name: String, _ faults: LogFaults = LogFaults(), in cluster: MemoryCluster? = nil,
    _ configure: (inout SQLiteWorkspace.Options, inout SQLiteWorkspace.Replication) -> Void = { _, _ in }
  ) throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options.quiet
    options.busyTimeout = .seconds(30)
    options.errorHandler = { [errors] in errors.append($0) }
    var replication = (cluster ?? self.cluster).replication(faults)
    configure(&options, &replication)
    let workspace = try SQLiteWorkspace.open(filePath: path(name), options: options, replication: replication)
    opened.append((name, workspace))
    return workspace
  }

  /// Shuts a replica down.
  package func close(_ workspace: SQLiteWorkspace) {
    workspace.shutdown()
    opened.removeAll { $0.workspace === workspace }
  }

  /// Returns when this many followers wait for records.
  package func waitForFollowers(_ count: Int) {
    while cluster.readers < count { sched_yield() }
  }

  /// Returns when a call of a replica has not reached the cluster.
  package func waitUntilUnavailable(_ workspace: SQLiteWorkspace) {
    while workspace.replication?.status.phase != .unavailable { sched_yield() }
  }

  /// Lets all replicas, and a new one, catch up, and returns the tables in which their files differ.
  package func differences() throws -> [String] {
    try open("new replica")
    for replica in opened {
      try replica.workspace.replication?.catchUp()
      try replica.workspace.settle()
    }
    let contents = try opened.map { try FileContents($0.workspace.filePath) }
    return opened.indices.flatMap { index in
      contents[index].differences(from: contents[0]).map { "\(opened[index].name): \($0)" }
    }
  }
}
