import DflatEtcd
import EtcdTestSupport
import Testing

@testable import DflatCore
@testable import DflatReplication

struct FollowingTests {
  @Test("A log is created once")
  func creation() async throws {
    try await LogPlace().withLogs(2, head: 7) { (logs) throws in
      let status = CommitLogStatus(cluster: "c", head: 7, oldest: 8)
      #expect(try logs[1].status(within: enough) == status)
      #expect(try logs[1].create(cluster: "d", head: 0, within: enough) == status)
    }
  }

  @Test("A second log sees each record once, in order, while the first appends")
  func order() async throws {
    let count = 200
    try await LogPlace().withLogs(2) { (logs) throws in
      let appended = Promise<Bool>()
      Threads.run { appended.fulfill((try? logs[0].append(count)) != nil) }
      let seen = try logs[1].allRecords(after: 0, through: UInt64(count))
      #expect(appended.wait())
      #expect(seen == (1...UInt64(count)).map { record($0) })
      // From any place, in portions, and by the writer, too.
      #expect(try logs[1].allRecords(after: 150, through: 200, atOnce: 1).map(\.number) == Array(151...200))
      #expect(try logs[0].allRecords(after: 0, through: 200, atOnce: 100) == seen)
      #expect(try logs[1].records(after: 200, maximumBytes: 1, waiting: .zero) == [])
    }
  }

  @Test("A waiting call is interrupted, and ends when the log is closed", arguments: [false, true])
  func interruption(isClosing: Bool) async throws {
    try await LogPlace().withLogs { (logs) throws in
      let log = logs[0]
      let result = Promise<CommitLogError.Code?>()
      Threads.run { result.fulfill(code { _ = try log.records(after: 0, maximumBytes: 1, waiting: .seconds(600)) }) }
      if isClosing { log.close() } else { log.interrupt() }
      let found = result.wait()
      // Nil if it began to wait after the interruption.
      #expect(found == nil && !isClosing || found == .closed)
      guard isClosing else { return }
      #expect(code { _ = try log.status(within: enough) } == .closed)
      #expect(code { _ = try log.takeTurn(within: enough) } == .closed)
    }
  }

  @Test("A wait without records fails if the cluster doesn't answer at its end, and ends empty only if it does")
  func silence() async throws {
    let place = try await LogPlace()
    let member = place.member
    let isSilent = Lock(false)
    let proxy = try await FaultyEndpoint { request, _ in
      // The feed's watch stays, and is as silent as one whose connection is lost.
      if request.path == "/v3/watch" { return .forwardStream(to: member, messages: .max) }
      return isSilent.withLock(\.self) ? .close : .forward(to: member)
    }
    try await place.through(proxy.endpoint).withLogs { (logs) throws in
      let time = Duration.milliseconds(100)
      #expect(try logs[0].records(after: 0, maximumBytes: 1, waiting: time) == [])
      isSilent.withLock { $0 = true }
      for time in [time, .zero] {
        #expect(code { _ = try logs[0].records(after: 0, maximumBytes: 1, waiting: time) } == .unavailable)
      }
      isSilent.withLock { $0 = false }
      #expect(try logs[0].records(after: 0, maximumBytes: 1, waiting: time) == [])
    }
  }

  @Test("After an interruption, calls don't wait, and return what is there")
  func afterInterruption() async throws {
    try await LogPlace().withLogs(2) { (logs) throws in
      #expect(try logs[1].records(after: 0, maximumBytes: 1, waiting: .zero) == [])
      logs[1].interrupt()
      #expect(try logs[1].records(after: 0, maximumBytes: 1, waiting: .seconds(600)) == [])
      try logs[0].append(3)
      // Some at a time, but never none.
      #expect(try logs[1].allRecords(after: 0, through: 3).map(\.number) == [1, 2, 3])
      #expect(try logs[1].records(after: 3, maximumBytes: 1, waiting: .seconds(600)) == [])
    }
  }

  @Test("Large records travel in chunks", arguments: [(1 << 20) + 1, 3_500_000])
  func chunks(_ size: Int) async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      #expect(try logs[1].records(after: 0, maximumBytes: 1, waiting: .zero) == [])
      try logs[0].append(1, size: size)
      try logs[0].append(1)
      #expect(try logs[1].allRecords(after: 0, through: 2) == [record(1, size: size), record(2)])
      try place.withKeys { keys in
        let chunks = try await keys.get(LogKeys.chunks).entries
        #expect(chunks.count == (size + (1 << 20) - 1) >> 20)
        try await keys.delete(chunks[0].key)
      }
      #expect(code { _ = try logs[1].store(after: 0) } == .foreign)
    }
  }

  @Test("A read asks for no more large records than it returns, and goes on if the answer would be too large")
  func largePages() async throws {
    let place = try await LogPlace()
    let member = place.member
    let reads = Lock(0)
    let proxy = try await FaultyEndpoint { request, _ in
      reads.withLock { $0 += 1 }
      return .forward(to: member)
    }
    var limited = place.through(proxy.endpoint)
    limited.configuration.maximumResponseSize = 8 << 20
    let reader = try limited.open()
    try await place.withLogs { (logs) throws in
      // Not in chunks.
      try logs[0].append(12, size: 1 << 20)
      #expect(try reader.store(after: 0, maximumBytes: 4 << 20).map(\.number) == [1, 2, 3, 4])
      #expect(reads.withLock(\.self) == 1)
      #expect(try reader.store(after: 0, maximumBytes: 12 << 20).map(\.number) == Array(1...12))
      // Small records let the reader ask for many, of which the large ones don't fit an answer.
      try logs[0].append(40)
      try logs[0].append(12, size: 1 << 20)
      #expect(try reader.store(after: 12, maximumBytes: 64 << 20).map(\.number) == Array(13...64))
      reader.close()
    }
    withExtendedLifetime(proxy) {}
  }

  @Test("A follower goes on after the revisions that it waits for were compacted")
  func compaction() async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      try logs[0].append(1)
      let revision = try place.withKeys { try await $0.get(LogKeys.head).map(\.modRevision) }
      try logs[0].append(20)
      try place.withKeys { keys in
        try await keys.compact(before: try await keys.get(.all).revision)
      }
      // A feed that begins before the compaction ends, and the next call reads the log.
      logs[1].feed.begin(after: 1, at: try #require(revision))
      #expect(try logs[1].allRecords(after: 1, through: 21).map(\.number) == Array(2...21))
      try logs[0].append(1)
      #expect(try logs[1].allRecords(after: 21, through: 22).map(\.number) == [22])
    }
  }

  @Test("Trimmed records are reported, those after them are there")
  func trimming() async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      try logs[0].append(2, size: 2 << 20)
      try logs[0].append(8)
      try logs[0].trim(through: 5)
      #expect(try logs[1].status(within: enough).oldest == 1)  // no snapshot covers them
      try logs[0].writeSnapshot(of: 6) { nil }
      try logs[0].trim(through: 5)
      #expect(try logs[1].status(within: enough) == CommitLogStatus(cluster: "c", head: 10, oldest: 6))
      #expect(code { _ = try logs[1].records(after: 2, maximumBytes: 1, waiting: enough) } == .trimmed)
      #expect(try logs[1].allRecords(after: 5, through: 10).map(\.number) == Array(6...10))
      #expect(try place.withKeys { try await $0.get(LogKeys.chunks).entries.map(\.key) } == [])
      try logs[0].append(1)
      #expect(try logs[1].allRecords(after: 10, through: 11).map(\.number) == [11])
    }
  }

  @Test("A log that lacks the caller's record, or has another one in its place, was restored")
  func otherRecords() async throws {
    try await LogPlace().withLogs(2) { (logs) throws in
      try logs[0].append(3, writer: 5)
      func records(after number: UInt64, by writer: Int64?) throws -> [UInt64] {
        try logs[1].records(after: number, maximumBytes: 1 << 20, waiting: .zero) { writer }.map(\.number)
      }
      #expect(try records(after: 2, by: nil) == [3])
      #expect(try records(after: 0, by: 7) == [1, 2, 3])
      #expect(code { _ = try records(after: 4, by: nil) } == .restored)
      #expect(try records(after: 3, by: 5) == [])
      #expect(code { _ = try records(after: 3, by: 7) } == .restored)
    }
  }

  @Test("A log that begins after a commit has none before it")
  func base() async throws {
    try await LogPlace().withLogs(head: 7) { (logs) throws in
      #expect(code { _ = try logs[0].records(after: 3, maximumBytes: 1, waiting: enough) } == .trimmed)
      try logs[0].append(1)
      #expect(try logs[0].allRecords(after: 7, through: 8).map(\.number) == [8])
    }
  }
}

extension EtcdCommitLog {
  fileprivate func store(after number: UInt64, maximumBytes: Int = 1) throws -> [CommitRecord] {
    try blocking(within: enough) { [store] in
      try await store.records(after: number, maximumBytes: maximumBytes).records
    }
  }
}
