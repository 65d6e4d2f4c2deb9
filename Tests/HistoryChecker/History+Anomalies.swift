extension History {
  /// What no strictly serializable execution does; empty of one that is. It is found as Elle does it (Kingsbury and Alvaro,
  /// "Elle: Inferring Isolation Anomalies from Experimental Observations").
  ///
  /// The reads show the order of each key's versions: a list holds all of its own; a register's writer reads what it writes
  /// over. From that order follow dependencies between transactions, and with the order in time a cycle among them is a
  /// proof that no serial order explains the history. Of a knot of dependencies its simplest cycle is told. It costs about
  /// linear time.
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
