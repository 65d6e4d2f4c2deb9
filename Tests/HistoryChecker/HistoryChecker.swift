/// Checks a history for strict serializability, as Elle does (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies
/// from Experimental Observations").
///
/// The reads show the order of each key's versions: a list holds all of its own; a register's writer reads what it writes
/// over. From that order follow dependencies between transactions, and with the order in time a cycle among them is a proof
/// that no serial order explains the history. It costs about linear time.
package enum HistoryChecker {
  /// The anomalies; none of a strictly serializable history. One for each knot of dependencies, its simplest.
  package static func anomalies(in history: History) -> [Anomaly] {
    let replay = Replay(history)
    var versions = Versions(history, replay)
    versions.linkTimes()
    let observed = Observers(versions).found
    return replay.found.anomalies + versions.found.anomalies + cycles(in: versions.graph, history) + observed.anomalies
  }

  private static func cycles(in graph: DependencyGraph, _ history: History) -> [Anomaly] {
    let adjacency = Adjacency(nodeCount: graph.nodeCount, graph.edges)
    let search = CycleSearch(transactionCount: graph.transactionCount)
    return adjacency.cyclicComponents().compactMap { component in
      guard let (kind, cycle) = search.simplest(in: component, adjacency) else { return nil }
      let (transactions, words) = search.describe(cycle, history)
      return Anomaly(kind: kind, transactions: transactions, explanation: words)
    }
  }
}
