import DflatKV
import Foundation
import TestSupport
import Testing

/// The write-ahead log under a load that never pauses.
@Suite struct BoundedLogTests {
  private static let limit: Int64 = 16 << 20

  //  load     ──thread 1──thread 2──thread 1──…  one always waits while the other writes
  //  readers  ──open, cold reads, snapshots, close──open, …  in two processes
  //  test     measures the log
  @Test("the log stays below 16 MiB while writers never pause and readers come and go")
  func boundedUnderLoad() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file()
    let load = try worker("load", path, "1500")
    try load.readUntil(line: "ready")
    let readers = try (0..<2).map { _ in try worker("read", path) }
    for reader in readers { try reader.readUntil(line: "ready") }
    try load.write("go")
    let finished = BackgroundThread { try load.readUntil(line: "finished") }
    var largest: Int64 = 0
    while !finished.hasFinished {
      largest = max(largest, Self.bytes(of: path + "-wal"))
      usleep(500)
    }
    try finished.join()
    #expect(largest > 0)
    #expect(largest <= Self.limit, "the log grew to \(largest) bytes")

    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.dictionary["end"] = 1
    try workspace.dictionary.synchronize()
    for reader in readers { #expect(try reader.remainingLines() == ["finished"]) }
    #expect(try workspace.checkIntegrity() == [])
    expectLastValues(workspace.dictionary, count: 1_500)
    workspace.shutdown()
  }

  private func expectLastValues(_ dictionary: WorkspaceDictionary, count: Int) {
    for thread in 0..<2 {
      #expect(dictionary["last.\(thread)"] == count)
      for number in (count - 15)...count {
        for index in 0..<4 {
          let value: String? = dictionary["load.\(thread).\((number * 4 + index) % 64)"]
          #expect(value?.hasPrefix("\(number)/") == true)
        }
      }
    }
  }

  /// By `stat`, which leaves SQLite's locks alone.
  private static func bytes(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
