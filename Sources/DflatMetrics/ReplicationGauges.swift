#if Metrics
  import CoreMetrics
  import DflatKV

  /// The metrics of a replica (``WorkspaceMetrics``).
  struct ReplicationGauges: Sendable {
    private let phases: [(phase: ReplicationStatus.Phase, gauge: Gauge)]
    private let behind: Gauge
    private let age: Gauge

    init(_ dimensions: [(String, String)], _ factory: any MetricsFactory) {
      phases = ReplicationStatus.Phase.allCases.map { phase in
        let gauge = Gauge(
          label: "dflatkv.replication.phase", dimensions: dimensions + [("phase", phase.rawValue)], factory: factory)
        return (phase, gauge)
      }
      behind = Gauge(label: "dflatkv.replication.behind", dimensions: dimensions, factory: factory)
      age = Gauge(label: "dflatkv.replication.contact.age", dimensions: dimensions, factory: factory)
    }

    func record(_ status: ReplicationStatus) {
      for (phase, gauge) in phases { gauge.record(phase == status.phase ? 1 : 0) }
      behind.record(status.clusterCommitNumber - min(status.commitNumber, status.clusterCommitNumber))
      if let time = status.timeSinceContact { age.record(time / .seconds(1)) }
    }
  }
#endif
