import DflatKV
import Foundation
import TestSupport
import Testing

/// The write-ahead log under a load that never pauses.
@Suite struct BoundedLogTests {
  private static let limit: Int64 = 16 << 20

  //  load     ──thread a──thread b──thread a──…  one always waits while the other writes
  //  readers  ──open, cold reads, snapshots, close──open, …  in two processes
  //  test     measures the log
  @Test("The log stays below 16 MiB while writers never pause and readers come and go")
  func boundedUnderLoad() throws {
    try run([["a", "b"]], transactions: 1_500)
  }

  //  load 1   ──thread a──thread b──…──checkpoint──…──the log starts over──…
  //  load 2   ──thread c──thread d──…──the log starts over──…──checkpoint──…
  //  readers  as above
  @Test("A3, A10: Processes that checkpoint and write at once lose no commit in a bounded log")
  func twoProcessesWithCheckpoints() throws {
    try run([["a", "b"], ["c", "d"]], transactions: 800)
  }

  private func run(_ loads: [[String]], transactions: Int) throws {
    let folder = try TemporaryDirectory()
    let path = folder.file()
    let names = loads.flatMap { $0 }
    let writers = try loads.map { try worker("load", [path, "\(transactions)"] + $0) }
    for writer in writers { try writer.readUntil(line: "ready") }
    let readers = try (0..<2).map { _ in try worker("read", [path] + names) }
    for reader in readers { try reader.readUntil(line: "ready") }
    for writer in writers { try writer.write("go") }
    let finished = BackgroundThread { for writer in writers { try writer.readUntil(line: "finished") } }
    var largest: Int64 = 0
    while !finished.hasFinished {
      largest = max(largest, Self.bytes(of: path + "-wal"))
      usleep(500)
    }
    try finished.join()
    #expect(largest > 0)
    #expect(largest <= Self.limit, "The log grew to \(largest) bytes")

    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.dictionary["end"] = 1
    try workspace.dictionary.synchronize()
    for reader in readers { #expect(try reader.remainingLines() == ["finished"]) }
    #expect(try workspace.checkIntegrity() == [])
    for name in names { expectLastValues(workspace.dictionary, name, transactions) }
    workspace.shutdown()
  }

  private func expectLastValues(_ dictionary: WorkspaceDictionary, _ name: String, _ last: Int) {
    #expect(dictionary["last.\(name)"] == last)
    for number in (last - 15)...last {
      for index in 0..<4 {
        let value: String? = dictionary["load.\(name).\((number * 4 + index) % 64)"]
        #expect(value?.hasPrefix("\(number)/") == true)
      }
    }
  }

  /// Returns a file's size by `stat`, which leaves SQLite's locks alone.
  private static func bytes(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
