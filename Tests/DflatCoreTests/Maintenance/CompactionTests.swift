import DflatKV
import TestSupport
import Testing

@Suite struct CompactionTests {
  @Test func freePagesAreGivenBack() throws {
    let bench = try Bench()
    let workspace = bench.workspace
    try workspace.transactAndWait { txn in
      for index in 0..<1_000 { txn.dictionary["key\(index)"] = String(repeating: "v", count: 1_000) }
      txn.dictionary["kept"] = 1
    }
    try workspace.compact()
    let full = try workspace.fileStatistics()
    #expect(full.commitNumber == 1)
    #expect(full.formatVersion == 1)
    #expect(full.fileBytes == Int64(full.pageSize * full.pageCount))
    try workspace.transactAndWait { txn in txn.dictionary.removeAll(withPrefix: "key") }
    #expect(try workspace.fileStatistics().freePages > full.pageCount / 2)
    let seen = workspace.fetchWithinASnapshot { workspace.dictionary["kept", Int.self] }
    let result = try workspace.compact()
    #expect(seen == 1)
    #expect(result.bytesAfter < result.bytesBefore / 2)
    let small = try workspace.fileStatistics()
    #expect(small.freePages == 0)
    #expect(small.fileBytes == result.bytesAfter)
    #expect(workspace.dictionary.keys == ["kept"])
    #expect(try bench.stored("kept") == 1)
  }

  @Test("while others read and write")
  func underLoad() throws {
    let bench = try Bench()
    let other = try bench.other()
    let isOver = Gate("compacted")
    let writers = [bench.workspace, other].enumerated().map { index, writer in
      BackgroundThread("writer \(index)") {
        var count = 0
        while !isOver.opened {
          try writer.transactAndWait { txn in txn.dictionary["count\(index)", default: 0] += 1 }
          #expect(writer.fetchWithinASnapshot { writer.dictionary["count\(index)", Int.self] } == count + 1)
          count += 1
        }
        return count
      }
    }
    for _ in 0..<10 { try bench.workspace.compact() }
    isOver.open()
    for (index, writer) in writers.enumerated() { #expect(try writer.join() == bench.stored("count\(index)")) }
    #expect(try other.checkIntegrity() == [])
  }
}
