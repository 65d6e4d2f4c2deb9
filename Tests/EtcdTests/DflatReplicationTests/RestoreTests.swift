import DflatEtcd
import EtcdTestSupport
import Testing

@testable import DflatCore
@testable import DflatReplication

/// An older copy of etcd's data takes the place of the newer ones while programs run.
struct RestoreTests {
  @Test("Logs notice that a cluster was restored, and go on with it where they can")
  func restoring() async throws {
    let cluster = try EtcdCluster(members: 1)
    let place = try await LogPlace(on: cluster)
    let member = cluster.members[0]
    try await place.withLogs(3) { (logs) throws in
      func restart(_ change: () throws -> Void = {}) throws {
        member.kill()
        try change()
        try member.start()
        while code({ _ = try logs[0].status(within: enough) }) == .unavailable {}
      }
      try logs[0].append(3)
      #expect(try logs[1].allRecords(after: 0, through: 3).count == 3)
      let copy = cluster.newFolder()
      try restart { try cluster.copyData(of: 0, to: copy) }
      try logs[0].append(3)
      #expect(try logs[1].allRecords(after: 3, through: 6).count == 3)
      #expect(try logs[2].allRecords(after: 0, through: 3).count >= 3)
      // The third log has the turn, and knows its newest revision.
      logs[0].giveBack(try logs[0].takeTurn(within: enough))
      let turn = try logs[2].takeTurn(within: enough)
      try restart { try cluster.replaceData(of: 0, by: copy) }
      // The feed waits for a record after the sixth, which the watch would not deliver for long.
      #expect(code { _ = try logs[1].records(after: 6, maximumBytes: 1, waiting: enough) } == .restored)
      #expect(!logs[2].append(record(7), with: turn, within: enough).isAppended)
      for log in logs[1...] {
        let next = try log.takeTurn(within: enough)
        #expect(next.head == 3)
        log.giveBack(next)
      }
    }
  }
}
