import CSQLiteBaseline
import DflatKV
import Foundation

/// What a cached integer takes in memory, measured in a process of its own.
enum MemoryWorkload {
  struct Report: Codable {
    var heapBytes: Int
    var keyBytes: Int
    var entries: Int

    var bytesPerEntry: Double { Double(heapBytes - keyBytes) / Double(entries) }
  }

  static func row(_ scratch: ScratchFolder) throws -> Row {
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    try Workload.withWorkspace(path) { workspace in
      for first in stride(from: 0, to: OpenWorkload.manyKeys, by: 50_000) {
        try workspace.transactAndWait { transaction in
          for number in first..<first + 50_000 { transaction.dictionary[key(number), Int.self] = number }
        }
      }
    }
    let output = try ChildProcess.run(["memory-probe", path])
    let report = try JSONDecoder().decode(Report.self, from: output)
    return Row(
      id: "memory-int", title: "memory per cached Int entry, 1,000,000 keys",
      baseline: "beyond the key's own \(key(0).utf8.count) characters", unit: .bytes, measured: report.bytesPerEntry,
      limit: 160, rounds: 1,
      note: "malloc's bytes in use, before and after reading each key once, in a process of its own")
  }

  /// Runs in the child: how much the heap grows when every key of the file is read once.
  static func probe(path: String) throws -> Report {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    let dictionary = workspace.dictionary
    guard dictionary[key(0), Int.self] == 0 else { throw BenchmarkFailure("the file is not filled") }
    let before = baseline_heap_bytes_in_use()
    var keyBytes = 0
    for number in 0..<OpenWorkload.manyKeys {
      let key = key(number)
      keyBytes += key.utf8.count
      guard dictionary[key, Int.self] == number else { throw BenchmarkFailure("\(key) has a wrong value") }
    }
    let after = baseline_heap_bytes_in_use()
    workspace.shutdown()
    return Report(heapBytes: Int(after) - Int(before), keyBytes: keyBytes, entries: OpenWorkload.manyKeys)
  }

  /// Too long to be stored inside a String, as names of settings are.
  private static func key(_ number: Int) -> String {
    let digits = String(number)
    return "settings.item." + String(repeating: "0", count: 10 - digits.count) + digits
  }
}
