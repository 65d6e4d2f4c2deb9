extension History {
  /// Returns the behaviors that no strictly serializable execution shows; a strictly serializable history has none. The
  /// method is that of Elle (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental
  /// Observations").
  ///
  /// The reads show the order of each key's versions: a list contains all of its versions, and the writer of a register
  /// reads the value that it overwrites. Dependencies between transactions follow from that order. A cycle of
  /// dependencies and of the order in time proves that no serial order explains the history. The result contains the
  /// simplest cycle of each strongly connected component. The time is about linear.
  package func anomalies() -> [Anomaly] {
    let replay = Replay(self)
    var versions = Versions(self, replay)
    versions.linkTimes()
    let observed = Observers(versions).found
    return replay.found.anomalies + versions.found.anomalies + cycles(in: versions.graph) + observed.anomalies
  }

  private func cycles(in graph: DependencyGraph) -> [Anomaly] {
    let adjacency = Adjacency(nodeCount: graph.nodeCount, graph.edges)
    let search = CycleSearch(transactionCount: graph.transactionCount)
    return adjacency.cyclicComponents().compactMap { component in
      guard let (kind, cycle) = search.simplest(in: component, adjacency) else { return nil }
      let (transactions, words) = search.describe(cycle, self)
      return Anomaly(kind: kind, transactions: transactions, explanation: words)
    }
  }
}
