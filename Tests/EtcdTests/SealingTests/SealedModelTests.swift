import DflatKV
import DflatSealing
import Foundation
import Testing

/// The same random operations on a sealed namespace and on one that isn't have the same results.
@Suite(.timeLimit(.minutes(15))) struct SealedModelTests {
  /// A generator that repeats a run: SplitMix64.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
  }

  private static let keys = ["a", "b", "ab", "é", "k\u{0}", ""]

  private static func value(_ random: inout Generator) -> StoredValue {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: .bool(.random(using: &random))
    case 1: .int([0, 1, -1, .max, .min].randomElement(using: &random) ?? 0)
    case 2: .uint([0, 1, .max].randomElement(using: &random) ?? 0)
    case 3: .float([0, -0.0, 1, .nan, .infinity].randomElement(using: &random) ?? 0)
    case 4: .double([0, -0.0, 1, .nan, .infinity].randomElement(using: &random) ?? 0)
    case 5: .string(["", "x", "é", "e\u{301}"].randomElement(using: &random) ?? "")
    case 6: .data(Data(repeating: 1, count: [0, 1, 600].randomElement(using: &random) ?? 0))
    case 7: .flatBuffers(Data([4, 0, 0, 0]), schemaVersion: ["1", nil].randomElement(using: &random) ?? nil)
    case 8: .propertyList(Data("bplist00".utf8))
    default: .string(String(repeating: "long", count: Int.random(in: 0..<2_000, using: &random)))
    }
  }

  /// A text that distinguishes values by their bits.
  private static func token(_ value: StoredValue?) -> String {
    switch value {
    case .float(let number): number.isNaN ? "float nan" : "float \(number.bitPattern)"
    case .double(let number): number.isNaN ? "double nan" : "double \(number.bitPattern)"
    case .string(let text): "string \(Array(text.utf8))"
    default: String(describing: value)
    }
  }

  private static func list(_ dictionary: WorkspaceDictionary) throws -> [String] {
    try dictionary.entries().map { "\(Array($0.key.utf8)) \(token($0.value).prefix(80)) \($0.commitNumber ?? 0)" }
  }

  private static func result<T>(_ body: () throws -> T) -> String {
    do { return "\(try body())" } catch { return "\((error as? WorkspaceError)?.code.description ?? "\(error)")" }
  }

  /// Runs one random operation, and describes its result.
  private static func step(_ d: WorkspaceDictionary, _ random: inout Generator, _ workspace: SQLiteWorkspace) -> String
  {
    let key = keys.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3:
      d[key] = value(&random)
      return ""
    case 4: return result { try token(d.storedValue(forKey: key)) }
    case 5: return result { try d.value(forKey: key, as: Int.self).map { "\($0)" } ?? "nil" }
    case 6: return result { try token(d.value(forKey: key, as: String.self).map { .string($0) }) }
    case 7: return result { try d.update(key, default: 1) { $0 = $0 &+ 1 } }
    case 8: return result { try d.compareAndSet(key, expected: 1, new: 2) }
    case 9:
      d.removeValue(forKey: key)
      return ""
    case 10:
      d.removeAll(withPrefix: ["a", "é", "k"].randomElement(using: &random) ?? "")
      return ""
    case 11: return result { try d.entries(limit: 3).map { "\($0.key.utf8.map { $0 }) \(token($0.value))" } }
    case 12: return "\(d.keys(withPrefix: "a")) \(d.contains(key))"
    case 13: return result { try d.replacedValues().map { "\($0.key) \(token($0.value))" } }
    case 14:
      let values = (0..<3).map { _ in value(&random) }
      let fails = Bool.random(using: &random)
      return result {
        try workspace.transactAndWait { transaction in
          for value in values { d[key] = value }
          d["b"] = values[0]
          if fails { transaction.abort() }
        }
      }
    default:
      d[key, Profile.self] = Profile(name: "n", age: Int.random(in: 0..<3, using: &random))
      return result { try d.synchronize() }
    }
  }

  @Test("Reads, errors, replaced values and events are the same", arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func sameResults(seed: UInt64) async throws {
    let (plain, sealed) = (try SealedFile(), try SealedFile())
    let other = try sealed.another()
    defer { other.shutdown() }
    let dictionaries = [plain.bare, sealed.secrets]
    let events = [Received<String>(), Received<String>()]
    let subscriptions = zip(dictionaries, events).map { dictionary, events in
      dictionary.subscribe(withPrefix: "") { change in
        events.append("\(change.event) \(Array(change.key.utf8)) \(Self.token(change.value)) \(change.commitNumber)")
      }
    }
    var random = Generator(state: seed)
    for index in 0..<400 {
      var (first, second) = (random, random)
      let expected = Self.step(plain.bare, &first, plain.workspace)
      let found = Self.step(sealed.secrets, &second, sealed.workspace)
      #expect(found == expected, "step \(index) of seed \(seed)")
      random = first
      // One write is one commit, so that the commits don't depend on how writes are gathered. A write that changes nothing
      // makes none.
      #expect(plain.bare.failure() == nil && sealed.secrets.failure() == nil)
      #expect(
        try plain.workspace.fileStatistics().commitNumber == sealed.workspace.fileStatistics().commitNumber,
        "step \(index) of seed \(seed)")
      if index % 10 == 9 {
        let reread = other.dictionary.namespace("secrets", sealedWith: sealed.key)
        // A snapshot of another workspace is up to date when it begins; its other reads may be behind.
        let found = Self.result { try other.fetchWithinASnapshot { try Self.list(reread) } }
        let expected = Self.result { try Self.list(plain.bare) }
        #expect(found == expected, "step \(index) of seed \(seed)")
      }
    }
    try await plain.workspace.settle()
    try await sealed.workspace.settle()
    #expect(events[0].all == events[1].all)
    #expect(try sealed.workspace.checkIntegrity() == [])
    withExtendedLifetime(subscriptions) {}
  }
}
