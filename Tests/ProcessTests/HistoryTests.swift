import Foundation
import HistoryChecker
import TestSupport
import Testing

/// A3: Random transactions of all forms, over keys and entities, in several threads of several processes, are strictly
/// serializable. A4: Their observers get the changes in order.
@Suite(.serialized) struct HistoryTests {
  /// Number of transactions; `DFLATKV_HISTORY_TRANSACTIONS` sets another one.
  private static let count =
    ProcessInfo.processInfo.environment["DFLATKV_HISTORY_TRANSACTIONS"].flatMap { Int($0) } ?? 20_000

  @Test("A3, A4: Transactions of two processes with two threads each are strictly serializable")
  func strictlySerializable() throws {
    let run = try HistoryRun(seed: .announced(for: "strictlySerializable"))
    for _ in 0..<(Self.count + HistoryRun.transactionsPerPage - 1) / HistoryRun.transactionsPerPage {
      try run.runPage()
    }
    let history = try run.finish()
    expectNone(history.anomalies())
    #expect(history.count >= Self.count)
    #expect(history.count(of: .unknown) == 0)
    #expect(history.count(of: .committed) > Self.count * 3 / 4)
    #expect(history.count(of: .aborted) > Self.count / 100)
    #expect(run.conflicts > 0)
  }

  @Test("A3, A4, A10: Transactions are strictly serializable while processes are killed")
  func withKills() throws {
    let run = try HistoryRun(seed: .announced(for: "withKills"))
    for page in 0..<max(10, Self.count / HistoryRun.transactionsPerPage / 2) {
      try run.runPage(killsOne: page % 2 == 1)
    }
    let history = try run.finish()
    expectNone(history.anomalies())
    #expect(run.kills >= 5)
    #expect(history.count(of: .unknown) > 0)
  }

  private func expectNone(_ anomalies: [Anomaly]) {
    #expect(
      anomalies.isEmpty, "\(anomalies.count) anomalies:\n\(anomalies.prefix(5).map { "\($0)" }.joined(separator: "\n"))"
    )
  }
}
