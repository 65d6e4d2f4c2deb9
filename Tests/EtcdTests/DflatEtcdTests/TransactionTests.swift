import DflatEtcd
import Testing

struct TransactionTests {
  @Test("Each comparison holds and fails as its relation says")
  func comparisons() async throws {
    try await withClient { (client) async throws in
      let lease = try await client.grantLease(timeToLive: .seconds(60))
      let revision = try await client.put("b", for: "key", lease: lease.id)
      func holds(_ comparison: EtcdComparison) async throws -> Bool {
        try await client.transaction(if: [comparison], then: []).isSuccess
      }
      let b = Array("b".utf8)
      #expect(try await holds(.exists("key")))
      #expect(try await holds(.exists("other")) == false)
      #expect(try await holds(.isMissing("other")))
      #expect(try await holds(.value(of: "key", .equal, to: b)))
      #expect(try await holds(.value(of: "key", .less, to: [0x63])))
      #expect(try await holds(.value(of: "key", .greater, to: [0x62])) == false)
      #expect(try await holds(.value(of: "other", .equal, to: [])) == false)
      #expect(try await holds(.value(of: "other", .notEqual, to: [1])) == false)
      #expect(try await holds(.version(of: "key", .equal, to: 1)))
      #expect(try await holds(.version(of: "other", .equal, to: 0)))
      #expect(try await holds(.createRevision(of: "key", .equal, to: revision)))
      #expect(try await holds(.modRevision(of: "key", .less, to: revision + 1)))
      #expect(try await holds(.modRevision(of: "key", .notEqual, to: revision)) == false)
      #expect(try await holds(.lease(of: "key", .equal, to: lease.id)))
      #expect(try await holds(.lease(of: "key", .equal, to: nil)) == false)
    }
  }

  @Test("One of the two lists is carried out as one step, in order")
  func branches() async throws {
    try await withClient { (client) async throws in
      let first = try await client.transaction(
        if: [.isMissing("a")],
        then: [.put([1], for: "a"), .get(.key("a")), .put([2], for: "b"), .delete(.key("c")), .get(.all)],
        else: [.get(.key("a"))])
      #expect(first.isSuccess)
      guard case .read(let a) = first.results[1], case .read(let all) = first.results[4] else {
        Issue.record("\(first)")
        return
      }
      #expect(a.entries.map(\.value) == [[1]] && a.revision == first.revision)
      #expect(all.entries.map(\.modRevision) == [first.revision, first.revision])
      #expect([first.results[0], first.results[2], first.results[3]] == [.put, .put, .deleted(0)])

      let second = try await client.transaction(
        if: [.isMissing("a")], then: [.put([3], for: "a")], else: [.delete(.prefix("")), .get(.key("a"))])
      #expect(second.isSuccess == false)
      #expect(second.results.first == .deleted(2))
      #expect(try await client.get(.all).count == 0)
    }
  }

  @Test("A range without keys reads and deletes nothing")
  func emptyRanges() async throws {
    try await withClient { (client) async throws in
      try await client.put("1", for: "key")
      let result = try await client.transaction(
        then: [.get(.range(from: "z", to: "a")), .delete(.range(from: "key", to: "key"))])
      guard case .read(let read) = result.results.first else {
        Issue.record("\(result)")
        return
      }
      #expect(read.entries.isEmpty)
      #expect(result.results.last == .deleted(0))
    }
  }

  @Test("A transaction that can't be carried out has no effect")
  func refusals() async throws {
    try await withClient { (client) async throws in
      let twice = await error {
        _ = try await client.transaction(then: [.put([1], for: "a"), .put([2], for: "a")])
      }
      #expect(twice?.code == .invalidRequest && twice?.mayHaveTakenEffect == false)
      let tooMany = await error {
        _ = try await client.transaction(then: (0..<200).map { .put([], for: EtcdKey("\($0)")) })
      }
      #expect(tooMany?.code == .invalidRequest)
      let lease = await error {
        _ = try await client.transaction(then: [.put([1], for: "a", lease: EtcdLease.ID(12_345))])
      }
      #expect(lease?.code == .leaseNotFound)
      #expect(try await client.get(.all).count == 0)
    }
  }

  @Test("Of tasks that count with comparisons, none loses a step")
  func counting() async throws {
    try await withClient { (client) async throws in
      let tasks = 16
      let steps = 10
      try await withThrowingDiscardingTaskGroup { group in
        for _ in 0..<tasks {
          group.addTask {
            for _ in 0..<steps {
              while true {
                let entry = try await client.get("count")
                let next = (entry?.value.first ?? 0) + 1
                let result = try await client.transaction(
                  if: [.modRevision(of: "count", .equal, to: entry?.modRevision ?? 0)],
                  then: [.put([next], for: "count")])
                if result.isSuccess { break }
              }
            }
          }
        }
      }
      let entry = try #require(try await client.get("count"))
      #expect(entry.value == [UInt8(tasks * steps)] && entry.version == Int64(tasks * steps))
    }
  }
}
