import DflatEtcd
import EtcdTestSupport
import Testing

@testable import DflatCore
@testable import DflatReplication

struct SnapshotTests {
  /// Returns a function that returns bytes in portions.
  private func portions(of bytes: [UInt8], _ size: Int) -> () -> [UInt8]? {
    var rest = bytes[...]
    return {
      if rest.isEmpty { return nil }
      defer { rest = rest.dropFirst(size) }
      return [UInt8](rest.prefix(size))
    }
  }

  @Test(
    "A snapshot is what was stored, whatever its portions",
    arguments: [(0, 1), (1, 1), (2_500_000, 700_000), (3 << 20, 1 << 21)])
  func content(_ size: Int, _ portion: Int) async throws {
    try await LogPlace().withLogs(2) { (logs) throws in
      #expect(try logs[1].newestSnapshot(within: enough) == nil)
      let bytes = record(3, size: size).bytes
      try logs[0].writeSnapshot(of: 3, portions(of: bytes, portion))
      let snapshot = try #require(try logs[1].newestSnapshot(within: enough))
      #expect(snapshot == LogSnapshot(commitNumber: 3, size: UInt64(size)))
      var read: [UInt8] = []
      try logs[1].readSnapshot(snapshot) { read += $0 }
      #expect(read == bytes)
    }
  }

  @Test("The newest snapshot replaces older ones, in whatever order they end")
  func replacement() async throws {
    let place = try await LogPlace()
    try await place.withLogs { (logs) throws in
      try logs[0].writeSnapshot(of: 3, portions(of: [3, 3], 1))
      let old = try #require(try logs[0].newestSnapshot(within: enough))
      try logs[0].writeSnapshot(of: 5, portions(of: [5], 1))
      try logs[0].writeSnapshot(of: 4, portions(of: [4], 1))
      #expect(try logs[0].newestSnapshot(within: enough)?.commitNumber == 5)
      #expect(code { try logs[0].readSnapshot(old) { _ in } } == .trimmed)
      #expect(try place.withKeys { try await $0.get(LogKeys.chunks).count } == 1)
    }
  }

  @Test("One process at a time makes the snapshot that is due, and another one can when it has ended or failed")
  func claims() async throws {
    struct Stop: Error {}
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      var runs = 0
      let isFirst = try logs[0].claimingSnapshot(within: enough) {
        for log in logs { _ = try log.claimingSnapshot(within: enough) { runs += 1 } }
      }
      #expect(isFirst && runs == 0)
      // The claim is given up in the background.
      while try !logs[1].claimingSnapshot(within: enough, { runs += 1 }) {}
      #expect(runs == 1)
      var hasFailed = false
      while !hasFailed {
        do { _ = try logs[0].claimingSnapshot(within: enough) { throw Stop() } } catch is Stop { hasFailed = true }
      }
      while try !logs[1].claimingSnapshot(within: enough, { runs += 1 }) {}
      #expect(runs == 2)
      // So is that of a process that ends.
      let ending = try place.open()
      while try !ending.claimingSnapshot(within: enough, { ending.close() }) {}
      while try !logs[1].claimingSnapshot(within: enough, { runs += 1 }) {}
      #expect(runs == 3)
    }
  }

  @Test("A snapshot that fails leaves nothing in the cluster")
  func failure() async throws {
    struct Stop: Error {}
    let place = try await LogPlace()
    try await place.withLogs { (logs) throws in
      let next = portions(of: record(3, size: 3 << 20).bytes, 2 << 20)
      var written = 0
      #expect(throws: Stop.self) {
        try logs[0].writeSnapshot(of: 3) {
          written = try place.withKeys { try await $0.get(LogKeys.chunks).count }
          guard let portion = next(), portion.count == 2 << 20 else { throw Stop() }
          return portion
        }
      }
      #expect(written > 1)
      // It is deleted in the background.
      while try place.withKeys({ try await $0.get(LogKeys.chunks).count }) > 0 {}
      #expect(try logs[0].newestSnapshot(within: enough) == nil)
    }
  }

  @Test("Of two snapshots of one commit, the first one stays, and nothing is left of the second")
  func twoOfOneCommit() async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      let (first, second) = (portions(of: [1], 1), portions(of: [2, 2], 2))
      var read: [UInt8] = []
      try logs[1].writeSnapshot(of: 3) {
        // While the second one is written, the first one is stored.
        try logs[0].writeSnapshot(of: 3, first)
        return second()
      }
      let snapshot = try #require(try logs[0].newestSnapshot(within: enough))
      try logs[0].readSnapshot(snapshot) { read += $0 }
      #expect(read == [1])
      #expect(try place.withKeys { try await $0.get(LogKeys.chunks).count } == 1)
    }
  }

  @Test("A snapshot that another one of the same commit replaces while it is read is not called damaged")
  func replacedBySameCommit() async throws {
    let place = try await LogPlace()
    try await place.withLogs { (logs) throws in
      let bytes = record(3, size: 2 << 20).bytes
      try logs[0].writeSnapshot(of: 3, portions(of: bytes, 1 << 20))
      let snapshot = try #require(try logs[0].newestSnapshot(within: enough))
      let error = code {
        try logs[0].readSnapshot(snapshot) { _ in
          try place.withKeys { keys in
            let entry = try #require(try await keys.get(LogKeys.snapshot(3)))
            let stored = try #require(SnapshotEntry(decoding: entry.value))
            var other = stored
            other.chunks.id = ChunkID.make(.snapshot, 3)
            try await keys.put(other.encoded, for: LogKeys.snapshot(3))
            try await keys.delete(LogKeys.chunks(of: stored.chunks.id))
          }
        }
      }
      #expect(error == .trimmed)
    }
  }

  @Test("Chunks that nobody names are deleted, those that are being written are not")
  func orphans() async throws {
    let place = try await LogPlace()
    try await place.withLogs(2) { (logs) throws in
      struct Stop: Error {}
      #expect(throws: Stop.self) {
        try logs[0].writeSnapshot(of: 1) { throw Stop() }
      }
      let next = portions(of: record(9, size: 3 << 20).bytes, 1 << 20)
      try logs[1].writeSnapshot(of: 9) {
        // In the middle of writing, another process trims.
        try logs[0].writeSnapshot(of: 1) { nil }
        try logs[0].trim(through: 0)
        return next()
      }
      #expect(try logs[0].newestSnapshot(within: enough)?.commitNumber == 9)
      var size = 0
      try logs[0].readSnapshot(LogSnapshot(commitNumber: 9, size: 3 << 20)) { size += $0.count }
      #expect(size == 3 << 20)
      logs[0].close()
      // The unfinished snapshot of the closed log is an orphan now.
      try logs[1].trim(through: 0)
      #expect(try place.withKeys { try await $0.get(LogKeys.chunks).count } == 3)
    }
  }

  @Test("The chunks of records and snapshots of newer versions are kept as long as these are there")
  func newerVersions() async throws {
    let place = try await LogPlace()
    try await place.withLogs { (logs) throws in
      try logs[0].writeSnapshot(of: 1, portions(of: [1], 1))
      let entries = [LogKeys.record(9), LogKeys.snapshot(0)]
      try place.withKeys { keys in
        let newer: [UInt8] = [2, 0]
        for entry in entries { try await keys.put(newer, for: entry) }
        for id in [ChunkID.make(.record, 9), ChunkID.make(.snapshot, 0)] {
          try await keys.put(newer, for: LogKeys.chunk(0, of: id))
        }
      }
      try logs[0].trim(through: 0)
      #expect(try place.withKeys { try await $0.get(LogKeys.chunks).count } == 3)
      try place.withKeys { keys in for entry in entries { try await keys.delete(entry) } }
      try logs[0].trim(through: 0)
      #expect(try place.withKeys { try await $0.get(LogKeys.chunks).count } == 1)
    }
  }

  @Test("What killed programs have left of snapshots is deleted before the next one is written")
  func leftovers() async throws {
    let place = try await LogPlace()
    try await place.withLogs { (logs) throws in
      try place.withKeys { keys in
        let ids = [ChunkID.make(.snapshot, 1), ChunkID.make(.snapshot, 2), ChunkID.make(.record, 1)]
        for id in ids { for index: UInt64 in 0..<3 { try await keys.put("part", for: LogKeys.chunk(index, of: id)) } }
      }
      var found: [EtcdKey] = []
      try logs[0].writeSnapshot(of: 2) {
        found = try place.withKeys { try await $0.get(LogKeys.chunks).entries.map(\.key) }
        return nil
      }
      // The parts of a record, and the key that says that this snapshot is being written.
      #expect(found.count == 4)
    }
  }

  @Test("Trimming takes as many calls however many large records it deletes")
  func callsOfTrimming() async throws {
    let place = try await LogPlace()
    let member = place.member
    let proxy = try await FaultyEndpoint { _, _ in .forward(to: member) }
    try await place.through(proxy.endpoint).withLogs { (logs) throws in
      try logs[0].writeSnapshot(of: 60) { nil }
      try place.withKeys { keys in
        for number: UInt64 in 1...60 {
          try await keys.put("part", for: LogKeys.chunk(0, of: ChunkID.make(.record, number)))
        }
        // The record that isn't trimmed names its chunks.
        let chunks = try await keys.get(LogKeys.chunks).entries
        let id = try #require(chunks.last.flatMap { LogKeys.id(ofChunk: $0.key) })
        let list = ChunkList(id: id, count: 1, size: 4, checksum: 0)
        let entry = LogEntry(number: 60, writer: 1, attempt: 1, content: .chunks(list))
        try await keys.put(entry.encoded, for: LogKeys.record(60))
      }
      let earlier = proxy.requests
      try logs[0].trim(through: 59)
      #expect(proxy.requests - earlier < 30)
      #expect(try place.withKeys { try await $0.get(LogKeys.chunks).count } == 1)
    }
  }

  @Test("A damaged snapshot is refused")
  func damage() async throws {
    let place = try await LogPlace()
    try await place.withLogs { (logs) throws in
      try logs[0].writeSnapshot(of: 3, portions(of: [1, 2, 3], 1))
      let snapshot = try #require(try logs[0].newestSnapshot(within: enough))
      for value: [UInt8]? in [[1, 2, 4], [1, 2], [1, 2, 3, 4], nil] {
        try place.withKeys { keys in
          let key = try #require(try await keys.get(LogKeys.chunks).entries.first?.key)
          if let value { try await keys.put(value, for: key) } else { try await keys.delete(key) }
        }
        #expect(code { try logs[0].readSnapshot(snapshot) { _ in } } == .foreign)
      }
    }
  }
}
