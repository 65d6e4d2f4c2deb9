import DflatEtcd
import EtcdTestSupport
import Foundation
import Testing

struct KeyValueTests {
  @Test("A value is read as it was written, and a missing key as nil")
  func roundTrip() async throws {
    try await withClient { (client) async throws in
      #expect(try await client.get("theme") == nil)
      let revision = try await client.put("dark", for: "theme")
      let first = try #require(try await client.get("theme"))
      #expect(first.text == "dark")
      #expect(first.createRevision == revision && first.modRevision == revision && first.version == 1)
      try await client.put("light", for: "theme")
      let second = try #require(try await client.get("theme"))
      #expect(second.text == "light")
      #expect(second.createRevision == revision && second.modRevision > revision && second.version == 2)
      #expect(try await client.delete("theme"))
      #expect(try await client.delete("theme") == false)
      #expect(try await client.get("theme") == nil)
    }
  }

  @Test(
    "Keys are bytes",
    arguments: [[0], [0xff], [0xff, 0xff], Array("é".utf8), Array("e\u{301}".utf8), Array("a/b\n\"\\".utf8)]
      as [[UInt8]])
  func bytes(_ key: [UInt8]) async throws {
    try await withClient { (client) async throws in
      let value = (0...255).map { UInt8($0) } + key
      try await client.put(value, for: EtcdKey(key))
      #expect(try await client.get(EtcdKey(key))?.value == value)
      #expect(try await client.get(.all).entries.map(\.key) == [EtcdKey(key)])
    }
  }

  @Test("Values have any size up to etcd's limit, and more is refused without effect")
  func sizes() async throws {
    try await withClient { (client) async throws in
      for size in [0, 1, 100_000, 1_500_000] {
        let value = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await client.put(value, for: "value")
        #expect(try await client.get("value")?.value == value)
      }
      let refused = await error { try await client.put([UInt8](repeating: 1, count: 1_600_000), for: "value") }
      #expect(refused?.code == .tooLarge && refused?.mayHaveTakenEffect == false)
      #expect(try await client.get("value")?.value.count == 1_500_000)
    }
  }

  @Test("Ranges have the keys that their bounds say, in the order of bytes")
  func ranges() async throws {
    try await withClient { (client) async throws in
      let keys = ["", "a", "a/1", "a/2", "a0", "b", "é"]
      for key in keys.shuffled() { try await client.put(key, for: EtcdKey(key)) }
      func read(_ range: EtcdKeyRange, _ options: EtcdReadOptions = EtcdReadOptions()) async throws -> [String] {
        try await client.get(range, options).entries.map(\.text)
      }
      #expect(try await read(.all) == keys)
      #expect(try await read(.prefix("a/")) == ["a/1", "a/2"])
      #expect(try await read(.prefix("a")) == ["a", "a/1", "a/2", "a0"])
      #expect(try await read(.prefix("x")) == [])
      #expect(try await read(.from("a0")) == ["a0", "b", "é"])
      #expect(try await read(.range(from: "a/2", to: "b")) == ["a/2", "a0"])
      #expect(try await read(.range(from: "", to: "a")) == [""])
      #expect(try await read(.range(from: "b", to: "b")) == [])
      #expect(try await read(.range(from: "b", to: "a")) == [])
      #expect(try await read(.key("b")) == ["b"])
      var options = EtcdReadOptions()
      options.order = .descending
      options.limit = 2
      #expect(try await read(.prefix("a"), options) == ["a0", "a/2"])
      let limited = try await client.get(.prefix("a"), options)
      #expect(limited.count == 4 && limited.hasMore)
      options.limit = 0
      #expect(try await read(.prefix("a"), options) == [])
      #expect(try await client.get(.prefix("a"), options).count == 4)
      options.limit = -1
      #expect(try await client.get(.prefix("a"), options).count == 4)
      options.limit = 2
      options.keysOnly = true
      #expect(try await client.get(.prefix("a"), options).entries.map(\.key) == ["a0", "a/2"])
      #expect(try await read(.prefix("a"), options) == ["", ""])
    }
  }

  @Test("A range is deleted as it is read")
  func deletingRanges() async throws {
    try await withClient { (client) async throws in
      for key in ["a/1", "a/2", "a0", "b"] { try await client.put("", for: EtcdKey(key)) }
      #expect(try await client.delete(.range(from: "b", to: "a")) == 0)
      #expect(try await client.delete(.prefix("a/")) == 2)
      #expect(try await client.get(.all).entries.map(\.key) == ["a0", "b"])
      #expect(try await client.delete(.all) == 2)
    }
  }

  @Test("Earlier revisions can be read until they are compacted; later ones don't exist")
  func revisions() async throws {
    let cluster = try EtcdCluster(members: 1)
    let configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    try await withClient(configuration) { (client) async throws in
      let first = try await client.put("1", for: "key")
      let second = try await client.put("2", for: "key")
      func read(at revision: Int64) async throws -> String? {
        var options = EtcdReadOptions()
        options.revision = revision
        return try await client.get(.key("key"), options).entries.first?.text
      }
      #expect(try await read(at: first) == "1")
      #expect(try await read(at: second) == "2")
      #expect(await error { _ = try await read(at: second + 100) }?.code == .futureRevision)
      try await client.compact(before: second, isPhysical: true)
      #expect(await error { _ = try await read(at: first) }?.code == .compacted)
      #expect(await error { try await client.compact(before: second) }?.code == .compacted)
      #expect(await error { try await client.compact(before: second + 100) }?.code == .futureRevision)
      #expect(try await read(at: second) == "2")
    }
  }

  @Test(
    "A prefix hides what is outside of it",
    arguments: [("/p/", "/p0"), ("é", "ê"), ("\u{10FFFF}", "z")])
  func prefixes(_ prefix: String, _ other: String) async throws {
    let outer = "/\(UUID())"
    try await withClient(prefix: outer + prefix) { (client) async throws in
      try await withClient(prefix: outer + other) { (stranger) async throws in
        try await client.put("mine", for: "key")
        try await stranger.put("theirs", for: "key")
        #expect(try await client.get(.all).entries.map(\.text) == ["mine"])
        #expect(try await client.get(.from("")).entries.map(\.text) == ["mine"])
        #expect(try await stranger.get(.from("")).entries.map(\.text) == ["theirs"])
        #expect(try await client.delete(.all) == 1)
        #expect(try await stranger.get("key")?.text == "theirs")
      }
    }
  }

  @Test("A client without a prefix sees every key, and can't use the empty one")
  func noPrefix() async throws {
    let cluster = try EtcdCluster(members: 1)
    let configuration = EtcdConfiguration(endpoints: cluster.endpoints)
    try await cluster.waitUntilReady(configuration)
    try await withClient(configuration) { (client) async throws in
      for key in [[0], [0, 0], [0xff], [0xff, 0xff, 1]] as [[UInt8]] { try await client.put(key, for: EtcdKey(key)) }
      #expect(try await client.get(.all).entries.map(\.value) == [[0], [0, 0], [0xff], [0xff, 0xff, 1]])
      #expect(try await client.get(.prefix(EtcdKey([0xff]))).count == 2)
      #expect(try await client.get(.range(from: "", to: "")).count == 0)
      #expect(try await client.get(.from(EtcdKey([0, 0]))).count == 3)
      #expect(await error { try await client.put("", for: "") }?.code == .invalidRequest)
    }
  }
}
