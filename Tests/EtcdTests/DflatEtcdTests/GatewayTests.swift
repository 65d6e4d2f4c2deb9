import NIOCore
import Testing

@testable import DflatEtcd

struct GatewayTests {
  @Test("The end of a prefix is the first key after all that begin with it")
  func prefixEnds() {
    func bounds(_ prefix: [UInt8], in namespace: [UInt8] = []) -> [[UInt8]?] {
      let (first, end) = Keyspace(prefix: namespace).bounds(of: .prefix(EtcdKey(prefix)))
      return [first, end]
    }
    #expect(bounds([1, 2]) == [[1, 2], [1, 3]])
    #expect(bounds([1, 0xff, 0xff]) == [[1, 0xff, 0xff], [2]])
    #expect(bounds([0xff]) == [[0xff], [0]])
    #expect(bounds([]) == [[0], [0]])
    #expect(bounds([], in: [5]) == [[5], [6]])
    #expect(bounds([0xff], in: [5]) == [[5, 0xff], [6]])
  }

  @Test("Random keys are in their range in etcd exactly if they are in it here")
  func ranges() {
    var random = SystemRandomNumberGenerator()
    func key() -> EtcdKey {
      EtcdKey(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in [0, 1, 0xfe, 0xff].randomElement(using: &random)! })
    }
    for _ in 0..<20_000 {
      let keyspace = Keyspace(prefix: key().bytes)
      let (one, other, candidate) = (key(), key(), key())
      let ranges: [(EtcdKeyRange, Bool)] = [
        (.key(one), candidate == one), (.prefix(one), candidate.bytes.starts(with: one.bytes)),
        (.range(from: one, to: other), one <= candidate && candidate < other), (.from(one), one <= candidate),
        (.all, true),
      ]
      let stored = keyspace.stored(candidate)
      // etcd has no empty key.
      if stored.isEmpty { continue }
      for (range, isInside) in ranges {
        let (first, end) = keyspace.bounds(of: range)
        let isStored =
          switch end {
          case nil: stored == first
          case [0]: !stored.lexicographicallyPrecedes(first)
          case let end?: !stored.lexicographicallyPrecedes(first) && stored.lexicographicallyPrecedes(end)
          }
        #expect(isStored == isInside, "\(candidate.bytes) in \(range) of \(keyspace.prefix)")
        #expect(!isInside || !keyspace.isEmpty(range))
      }
      #expect(keyspace.key(fromStored: stored) == candidate)
    }
  }

  @Test("All endpoints are tried without a delay; then bounds double up to the longest")
  func delays() {
    struct Largest: RandomNumberGenerator {
      func next() -> UInt64 { .max }
    }
    var random = Largest()
    var delays = RetryDelays(endpoints: 3)
    let first = (0..<9).map { _ in delays.next(using: &random) }
    let milliseconds = first.map { ($0 / .milliseconds(1)).rounded() }
    #expect(milliseconds == [0, 0, 50, 100, 200, 400, 800, 1_000, 1_000])
    var short = RetryDelays(longest: .milliseconds(120))
    let bounds = (0..<4).map { _ in short.next(using: &random) }
    #expect(bounds.map { ($0 / .milliseconds(1)).rounded() } == [50, 100, 120, 120])
  }

  @Test("Of calls that fail on one endpoint, only the first moves on")
  func rotation() {
    var rotation = EndpointRotation(count: 3, first: 2)
    rotation.moveOn(from: 2)
    rotation.moveOn(from: 2)
    #expect(rotation.current == 0)
    rotation.moveOn(from: 0)
    #expect(rotation.current == 1)
  }

  @Test("A stream is split into the same lines, however it arrives")
  func lines() {
    let text = "a\n\nbcd\n{\"result\":1}\nrest"
    for _ in 0..<1_000 {
      var buffer = LineBuffer()
      var lines: [String] = []
      var rest = Substring(text)
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...8))
        rest = rest.dropFirst(part.count)
        buffer.append(ByteBuffer(string: String(part)))
        while let line = buffer.next() { lines.append(String(buffer: line)) }
      }
      #expect(lines == ["a", "", "bcd", "{\"result\":1}"])
      #expect(buffer.count == 4)
    }
  }

  @Test("Deeply nested answers are refused")
  func depth() {
    let text = String(repeating: "[", count: 100_000)
    #expect(throws: AttemptFailure.self) {
      let _: RangeResponse = try Gateway.decode(ByteBuffer(string: text), from: "http://member")
    }
  }

  @Test("A token is asked for once by calls that need it together, and again when it is refused")
  func tokens() async throws {
    let cache = TokenCache(executor: nil)
    let asked = AsyncStream<Void>.makeStream()
    let released = AsyncStream<Void>.makeStream()
    let calls = (0..<10).map { _ in
      Task {
        try await cache.token(replacing: nil) {
          asked.continuation.yield()
          for await _ in released.stream { break }
          return "first"
        }
      }
    }
    for await _ in asked.stream { break }
    released.continuation.yield()
    for call in calls { #expect(try await call.value == "first") }
    #expect(try await cache.token(replacing: nil) { "unused" } == "first")
    #expect(try await cache.token(replacing: "older") { "unused" } == "first")
    #expect(try await cache.token(replacing: "first") { "second" } == "second")
    cache.forget()
    #expect(try await cache.token(replacing: nil) { "third" } == "third")
  }

  @Test("A call that is cancelled while it waits for a token ends, and the others get the token")
  func cancelledTokens() async throws {
    let cache = TokenCache(executor: nil)
    let asked = AsyncStream<Void>.makeStream()
    let released = AsyncStream<Void>.makeStream()
    let first = Task {
      try await cache.token(replacing: nil) {
        asked.continuation.yield()
        for await _ in released.stream { break }
        return "token"
      }
    }
    for await _ in asked.stream { break }
    let second = Task { try await cache.token(replacing: nil) { "unused" } }
    first.cancel()
    #expect(await error { _ = try await first.value }?.code == .cancelled)
    released.continuation.yield()
    #expect(try await second.value == "token")
  }

  @Test("Calls that wait for a token share the error, and the next call asks again")
  func failingTokens() async throws {
    let cache = TokenCache(executor: nil)
    let refused = EtcdError(.unauthenticated, "refused")
    #expect(await error { _ = try await cache.token(replacing: nil) { throw refused } }?.code == .unauthenticated)
    #expect(try await cache.token(replacing: nil) { "token" } == "token")
  }

  private func event(_ revision: Int64) -> EtcdEvent {
    let entry = EtcdEntry(
      key: "key", value: [], createRevision: revision, modRevision: revision, version: 1, lease: nil)
    return EtcdEvent(kind: .put, entry: entry, previous: nil)
  }

  @Test("The last revision of a fragment is held back until all of it has arrived")
  func fragments() throws {
    var buffer = FragmentBuffer(limit: 100)
    func add(_ revisions: [Int64], isFragment: Bool) throws -> [Int64] {
      try buffer.add(revisions.map(event), isFragment: isFragment, size: 40).map(\.entry.modRevision)
    }
    #expect(try add([1, 2], isFragment: false) == [1, 2])
    #expect(try add([3, 4, 4], isFragment: true) == [3])
    #expect(try add([4], isFragment: true) == [])
    #expect(try add([4, 5], isFragment: true) == [4, 4, 4, 4])
    #expect(try add([6], isFragment: false) == [5, 6])
    #expect(try add([], isFragment: false) == [])
  }

  @Test("A revision over the limit is refused, in however many fragments it comes")
  func fragmentLimit() throws {
    var buffer = FragmentBuffer(limit: 100)
    for _ in 0..<2 { #expect(try buffer.add([event(1)], isFragment: true, size: 50) == []) }
    #expect(throws: NIOTooManyBytesError.self) { try buffer.add([event(1)], isFragment: true, size: 50) }
  }
}
