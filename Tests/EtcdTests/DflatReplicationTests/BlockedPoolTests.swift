import Dispatch
import Foundation
import Testing

@testable import DflatCore
@testable import DflatReplication

struct BlockedPoolTests {
  /// Blocks every thread of Swift's pool while a closure runs.
  private func blockingPool<Value>(_ body: () throws -> Value) rethrows -> Value {
    let (isBlocked, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    @Sendable func block() {
      isBlocked.signal()
      end.wait()
    }
    let threads = ProcessInfo.processInfo.activeProcessorCount
    for _ in 0..<threads { Task { block() } }
    defer { for _ in 0..<threads { end.signal() } }
    for _ in 0..<threads { isBlocked.wait() }
    return try body()
  }

  @Test("The turn is passed on while the program blocks every thread of Swift's pool")
  func passing() async throws {
    try await LogPlace().withLogs(2) { (logs) throws in
      logs[0].onTurnWanted { [weak log = logs[0]] in
        if let log, let turn = log.board.read({ $0.held?.turn }) { log.giveBack(turn) }
      }
      try blockingPool {
        try logs[0].append(1)
        try logs[1].append(1)
      }
    }
  }

  @Test("Calls end while the program blocks every thread of Swift's pool")
  func calls() async throws {
    try await LogPlace().withLogs(2) { (logs) throws in
      try blockingPool {
        try logs[0].append(2)
        #expect(try logs[1].allRecords(after: 0, through: 2).map(\.number) == [1, 2])
        try logs[0].append(1, size: 2 << 20)
        logs[0].giveBack(try logs[0].takeTurn(within: enough))
        try logs[1].append(1)
        #expect(try logs[0].allRecords(after: 2, through: 4).map(\.number) == [3, 4])
      }
    }
  }
}
