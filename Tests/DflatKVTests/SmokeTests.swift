import DflatKV
import Foundation
import Testing

struct P: Codable, Equatable, Sendable { var x: Int }

@Suite struct SmokeTests {
  @Test func basics() throws {
    let w = try SQLiteWorkspace.inMemory()
    let d = w.dictionary
    d["a"] = 5
    #expect(d["a"] == 5)
    d["b"] = "hello"
    d["c"] = P(x: 3)
    d["date"] = Date(timeIntervalSince1970: 7)
    try d.synchronize()
    #expect(w.commitNumber == 1)
    #expect(d["c", P.self] == P(x: 3))
    let v: Date? = d["date"]
    #expect(v == Date(timeIntervalSince1970: 7))
    d["a"] = nil
    #expect(d["a", Int.self] == nil)
    let x = d["b"]
    #expect(x == .string("hello"))
    d["n", default: 0] += 1
    #expect(try d.value(forKey: "n", as: Int8.self) == 1)
    #expect(throws: WorkspaceError.self) { try d.value(forKey: "b", as: Int.self) }
    let r = try w.transactAndWait { txn in
      txn.dictionary["t"] = 1
      #expect(txn.dictionary["t"] == 1)
      return txn.dictionary["b", String.self]
    }
    #expect(r == "hello")
    #expect(try d.update("n", default: 0) { $0 += 5 } == 6)
    #expect(d.keys == ["b", "c", "date", "n", "t"])
    let fresh = try SQLiteWorkspace.open(filePath: w.filePath)
    #expect(fresh.dictionary["c", P.self] == P(x: 3))
    fresh.shutdown()
    w.shutdown()
  }

  @Test func async() async throws {
    let w = try SQLiteWorkspace.inMemory()
    let ok = await w.performChanges([]) { $0.dictionary["k"] = 1 }
    #expect(ok)
    let n = try await w.transact { txn in
      let n = txn.dictionary["k", default: 0] + 1
      txn.dictionary["k"] = n
      return n
    }
    #expect(n == 2)
    var iterator = w.dictionary.subscribe("k", of: Int.self).makeAsyncIterator()
    #expect(await iterator.next() == 2)
    w.dictionary["k"] = 3
    #expect(await iterator.next() == 3)
    await w.shutdown()
  }
}
