import DflatEtcd
import Testing

@testable import DflatCore
@testable import DflatReplication

struct ForeignContentTests {
  @Test(
    "What isn't a log is refused, by the name of a key",
    arguments: [
      ["head": "1"], ["cluster": "c 0"], ["cluster": "c 0", "head": "x"], ["cluster": "c", "head": "0"],
      ["cluster": "c 0", "head": "18446744073709551615"], ["log/0000000000000001": ""],
      ["cluster": "c 0", "head": "0", "log/0000000000000001": ""], ["cluster": "c 0", "head": "1", "log/z": ""],
    ])
  func states(_ content: [String: String]) async throws {
    let place = try await LogPlace()
    let log = try place.open()
    try await onThread {
      defer { log.close() }
      try place.withKeys { keys in for (key, text) in content { try await keys.put(text, for: EtcdKey(key)) } }
      do {
        Issue.record("\(try log.status(within: enough))")
      } catch let error as CommitLogError {
        #expect(
          error.code == .foreign && ["head", "cluster", "log/"].contains { error.message.contains("the key \($0)") })
      }
    }
  }

  @Test(
    "Damaged records are refused",
    arguments: [
      [], [1], [2], [1, 0, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f], [1, 1, 1, 1, 1, 3, 1, 2, 3, 1, 1, 1],
      LogEntry(number: 2, writer: 1, attempt: 1, content: .bytes([])).encoded,
      LogEntry(
        number: 1, writer: 1, attempt: 1,
        content: .chunks(ChunkList(id: ChunkID.make(.record, 1), count: 1 << 40, size: 1 << 60, checksum: 0))
      ).encoded,
      LogEntry(
        number: 1, writer: 1, attempt: 1,
        content: .chunks(ChunkList(id: ChunkID.make(.record, 1), count: 1, size: 1, checksum: 0))
      ).encoded,
    ])
  func records(_ value: [UInt8]) async throws {
    let place = try await LogPlace()
    try await place.withLogs { (logs) throws in
      // Both by the watch and by a read.
      #expect(try logs[0].records(after: 0, maximumBytes: 1, waiting: .zero) == [])
      try place.withKeys { keys in
        _ = try await keys.transaction(then: [.put(value, for: LogKeys.record(1)), .put([0x31], for: LogKeys.head)])
      }
      for _ in 0..<2 {
        #expect(code { _ = try logs[0].records(after: 0, maximumBytes: 1, waiting: enough) } == .foreign)
      }
    }
  }

  @Test("A record that is missing in the middle is noticed")
  func gap() async throws {
    let place = try await LogPlace()
    try await place.withLogs { (logs) throws in
      try logs[0].append(5)
      #expect(try place.withKeys { try await $0.delete(LogKeys.record(3)) })
      #expect(try logs[0].records(after: 0, maximumBytes: 1 << 20, waiting: enough).map(\.number) == [1, 2])
      #expect(code { _ = try logs[0].records(after: 2, maximumBytes: 1, waiting: enough) } == .foreign)
    }
  }
}
