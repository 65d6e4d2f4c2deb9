import DflatSupport
import Testing

@testable import DflatKV

@Suite struct HashedKeyTests {
  @Test("Keys are equal only if their bytes and their namespaces are equal") func equality() {
    let key = HashedKey("key", namespace: 1)
    #expect(key == HashedKey("key", namespace: 1))
    #expect(key.hash == HashedKey(String("xkey".dropFirst()), namespace: 1).hash)
    #expect(key != HashedKey("key", namespace: 2))
    #expect(key != HashedKey("kez", namespace: 1))
    #expect(HashedKey("\u{e9}", namespace: 0) != HashedKey("e\u{301}", namespace: 0))
    #expect(HashedKey("", namespace: 0) != HashedKey("\0", namespace: 0))
    #expect(HashedKey("a\0", namespace: 0) != HashedKey("a", namespace: 0))
  }

  @Test("Keys whose hashes collide are compared by bytes, even if they are stored out of line") func collisions() {
    let long = "longer than what fits into the string itself"
    let texts = ["", "a", "b", "ab", "\u{e9}", "e\u{301}", long, long + "!", long.replacing("itself", with: "itselF")]
    for (place, text) in texts.enumerated() {
      let copies = texts.map {
        HashedKey(string: String(decoding: Array($0.utf8), as: UTF8.self), hash: 7, namespace: 0)
      }
      let key = HashedKey(string: text, hash: 7, namespace: 0)
      #expect(copies.map { $0 == key } == texts.indices.map { $0 == place })
      #expect(key != HashedKey(string: text, hash: 8, namespace: 0))
      #expect(key != HashedKey(string: text, hash: 7, namespace: 1))
    }
  }

  @Test("The raw hash value of a key depends on the hash that the key holds and the table's seed alone")
  func hashedOnce() {
    let key = HashedKey("key", namespace: 1)
    #expect(key._rawHashValue(seed: 1) == HashedKey("key", namespace: 1)._rawHashValue(seed: 1))
    // The text isn't hashed again.
    #expect(
      key._rawHashValue(seed: 1) == HashedKey(string: "other", hash: key.hash, namespace: 2)._rawHashValue(seed: 1))
    // Distinct hashes give distinct values, in the bits that tables of any size use.
    let keys = (0..<1_000 as Range<UInt32>).map { HashedKey(string: "key", hash: $0 << 16, namespace: 1) }
    #expect(Set(keys.map { $0._rawHashValue(seed: 1) }).count == keys.count)
    #expect(Set(keys.map { $0._rawHashValue(seed: 1) & 1_023 }).count > 500)
    // Each table orders keys differently, so filling one in the order of another does not cluster its keys.
    #expect(key._rawHashValue(seed: 1) != key._rawHashValue(seed: 2))
  }

  @Test("Similar keys are spread over the shards and have distinct hashes") func spread() {
    var shards = Array(repeating: 0, count: ShardTable.count)
    var hashes: Set<UInt32> = []
    let keys = (0..<16_000).map { HashedKey("key\($0)", namespace: 0) }
    for key in keys {
      shards[Int(key.hash >> 28)] += 1
      hashes.insert(key.hash)
    }
    // About a thousand keys per shard, and almost no equal hashes.
    #expect(shards.allSatisfy { (700...1_300).contains($0) }, "\(shards)")
    #expect(hashes.count > 15_980)
  }

  @Test("Prefixes of keys are compared by bytes") func prefixes() {
    #expect("abc".hasBytePrefix("ab") && "abc".hasBytePrefix("") && "abc".hasBytePrefix("abc"))
    #expect(!"abc".hasBytePrefix("abcd") && !"\u{e9}".hasBytePrefix("e"))
    #expect("e\u{301}".hasBytePrefix("e"))
    #expect(PrefixRange(namespace: 1, prefix: "a").covers(HashedKey("ab", namespace: 1)))
    #expect(!PrefixRange(namespace: 1, prefix: "a").covers(HashedKey("ab", namespace: 2)))
  }
}
