/// The options of a replica.
package struct ReplicationOptions: Sendable {
  var timeout: Duration
  var seedsCluster: Bool
  var createsCluster: Bool
  /// The least size of the records between two snapshots.
  var snapshotBytes: Int
}
