/// Measures commits for a program's meter. The measurements wait in the delivery queue: the meter is the program's code,
/// which runs under no lock (A11).
struct CommitMeter: Sendable {
  private let meter: any WorkspaceMeter
  private let delivery: DeliveryQueue

  init(_ meter: any WorkspaceMeter, on delivery: DeliveryQueue) {
    self.meter = meter
    self.delivery = delivery
  }

  var now: ContinuousClock.Instant { .now }

  /// Measures a group that was just published, and whose callbacks are in the delivery queue.
  func measure(_ group: Group, since began: ContinuousClock.Instant, for workspace: WorkspaceIdentity) {
    let published = ContinuousClock.now
    let (number, size, pages) = (group.commitNumber, group.members.count, group.connection.walPages)
    delivery.enqueue(for: workspace) { [meter] in
      meter.didCommit(
        CommitMeasurement(
          commitNumber: number, groupSize: size, duration: published - began, deliveryLag: .now - published,
          logPages: pages))
    }
  }
}
