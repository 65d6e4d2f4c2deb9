import TestSupport
import Testing

@testable import DflatKV

/// Memory that a cached entry takes.
@Suite struct MemoryLayoutTests {
  @Test("A cached entry takes 16 bytes and its key 24 bytes") func sizes() {
    #expect(MemoryLayout<CachedValue>.size == 9)
    #expect(MemoryLayout<Shard.Entry>.stride == 16)
    #expect(MemoryLayout<HashedKey>.stride == 24)
    #expect(MemoryLayout<HashedKey>.size == 24)
  }

  @Test("A read of a cached value or absence allocates nothing") func allocations() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    let keys = (0..<64).map { "a key that is too long to be stored in place \($0)" }
    for (number, key) in keys.enumerated() { d[key] = number }
    d["text"] = "a text that is too long to be stored in place, as well"
    d["absent"] = nil
    try d.synchronize()
    #expect(!d.contains("nothing"))
    #expect(Allocations.count(during: { _ = [UInt8](repeating: 1, count: 100) }) > 0 || !Allocations.areCounted)
    func check(_ what: String, _ read: (String) -> Bool) {
      for isWarm in [false, true] {
        var right = 0
        let count = Allocations.count(during: {
          for _ in 0..<100 {
            for index in 0..<keys.count where read(keys[index]) { right += 1 }
          }
        })
        #expect(right == 6_400, "\(what)")
        if isWarm { #expect(count == 0, "\(what)") }
      }
    }
    check("nothing") { _ in true }
    check("a number") { d[$0, Int.self] != nil }
    check("a number of another width") { d[$0, UInt64.self] != nil }
    check("a number or its default") { d[$0, default: -1] != -1 }
    check("a string") { _ in d["text", String.self] != nil }
    check("an absence") { _ in d["nothing", Int.self] == nil }
    check("whether there is one") { d.contains($0) }
  }

  @Test("The namespace of a typed key adds no allocation to a read") func typedKeys() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    let name = "a name that is too long to be stored in place"
    let (plain, spaced) = (
      DictionaryKey(name, default: 0), DictionaryKey(name, namespace: "in " + name, default: 0)
    )
    d[plain] = 1
    d[spaced] = 2
    try d.synchronize()
    func allocations(_ key: DictionaryKey<Int>, _ value: Int) -> UInt64 {
      var count: UInt64 = 0
      for _ in ["to warm up", "to count"] {
        var right = 0
        count = Allocations.count(during: { for _ in 0..<100 where d[key] == value { right += 1 } })
        #expect(right == 100)
      }
      return count
    }
    #expect(allocations(spaced, 2) == allocations(plain, 1))
  }
}
