import CSQLiteBaseline
import DflatKV
import Foundation

/// The memory use of a cached integer, measured in a separate process.
enum MemoryWorkload {
  struct Report: Codable {
    var heapBytes: Int
    var keyBytes: Int
    var entries: Int

    var bytesPerEntry: Double { Double(heapBytes - keyBytes) / Double(entries) }
  }

  /// Returns no row where the C library doesn't report the size of the heap, as musl.
  static func rows(_ scratch: ScratchFolder) throws -> [Row] {
    if baseline_heap_bytes_in_use() < 0 { return [] }
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
    let row = Row(
      id: "memory-int", title: "memory per cached Int entry, 1,000,000 keys",
      baseline: "beyond the key's own \(key(0).utf8.count) characters", unit: .bytes, measured: report.bytesPerEntry,
      limit: 100, rounds: 1,
      note: "the growth of malloc's bytes in use while a separate process reads each key once")
    return [row]
  }

  /// Runs in the child process. Returns the growth of the heap when every key of the file is read once.
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

  /// Returns a key too long to be stored inline in a String, like most names of settings.
  private static func key(_ number: Int) -> String {
    let digits = String(number)
    return "settings.item." + String(repeating: "0", count: 10 - digits.count) + digits
  }
}
