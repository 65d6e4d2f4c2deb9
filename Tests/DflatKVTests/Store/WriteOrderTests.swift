import DflatSupport
import TestSupport
import Testing

@testable import DflatKV

@Suite struct WriteOrderTests {
  /// Keys of all lengths around eight bytes, with common beginnings, zero bytes and canonical equivalents.
  private static func randomKey(_ generator: inout some RandomNumberGenerator) -> String {
    let beginnings = ["", "a", "key.", "settings/appearance/", "\0", "e\u{301}", "\u{e9}", "\u{10FFFF}"]
    let letters = ["a", "b", "\0", "\u{e9}", "0", "/"]
    let length = Int.random(in: 0...12, using: &generator)
    return (0..<length).reduce(into: beginnings.randomElement(using: &generator) ?? "") { key, _ in
      key += letters.randomElement(using: &generator) ?? ""
    }
  }

  private func isOrdered(_ a: HashedKey, _ b: HashedKey) -> Bool {
    a.namespace == b.namespace ? a.string.precedesInBytes(b.string) : a.namespace < b.namespace
  }

  @Test("Writes are sorted by namespace and by the bytes of their keys, behind the removals", arguments: 0..<200)
  func order(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let keys = Set(
      (0..<Int.random(in: 0...60, using: &generator)).map { _ in
        HashedKey(Self.randomKey(&generator), namespace: seed % 2 == 0 ? 0 : .random(in: 0...2, using: &generator))
      })
    let removals = ["b", "a"].prefix(Int(seed % 3)).map { PrefixRange(namespace: 0, prefix: $0) }
    let batch = removals.map { Operation.removePrefix($0) } + keys.map { .set($0, .int(Int64($0.hash))) }

    let sorted = WriteOrder.sorted(batch)
    #expect(sorted.prefix(removals.count).compactMap(\.key).isEmpty)
    let writes = sorted.dropFirst(removals.count).compactMap { operation -> HashedKey? in
      guard case .set(let key, .int(let value)) = operation, value == Int64(key.hash) else { return nil }
      return key
    }
    #expect(writes == keys.sorted(by: isOrdered))
  }
}
