import DflatKV
import DflatPropertyList
import Foundation

extension CountedOperation {
  /// Reads and writes of the dictionary, and the coders of its values.
  static var dictionary: [CountedOperation] {
    [
      CountedOperation("open", count: 5) { scratch in
        let path = try filledFile(scratch, keyCount: 100)
        return Prepared {
          for _ in 0..<5 {
            try Workload.withWorkspace(path) { try expect($0.dictionary["key.1", Int.self] == 1) }
          }
        }
      },
      CountedOperation("read-cold", count: 2_000) { scratch in
        let keys = KeyNames.list(count: 2_000)
        return try withFilledFile(scratch, keyCount: keys.count) { workspace in
          // The first read opens a connection.
          _ = workspace.dictionary["absent", Int.self]
          return {
            for (number, key) in keys.enumerated() { try expect(workspace.dictionary[key, Int.self] == number) }
          }
        }
      },
      CountedOperation("read-hot", count: 20_000) { scratch in
        let keys = KeyNames.list(count: 2_000)
        return try withFilledFile(scratch, keyCount: keys.count) { workspace in
          for key in keys { _ = workspace.dictionary[key, Int.self] }
          return {
            for _ in 0..<10 {
              for (number, key) in keys.enumerated() { try expect(workspace.dictionary[key, Int.self] == number) }
            }
          }
        }
      },
      CountedOperation("entries", count: 2_000) { scratch in
        try withFilledFile(scratch, keyCount: 2_000) { workspace in
          { try expect(try workspace.dictionary.entries(withPrefix: "key.").count == 2_000) }
        }
      },
      transactions("transaction-10", count: 50, keyCount: 10),
      transactions("transaction-1000", count: 2, keyCount: 1_000),
      CountedOperation("encode-plist", count: 200) { _ in
        let documents = (0..<200).map { CodableDocument($0) }
        return Prepared {
          let encoder = BinaryPropertyListEncoder()
          for document in documents { try expect(try encoder.encode(document).count > 50) }
        }
      },
      CountedOperation("decode-plist", count: 200) { _ in
        let documents = (0..<200).map { CodableDocument($0) }
        let lists = try documents.map { try BinaryPropertyListEncoder().encode($0) }
        return Prepared {
          let decoder = BinaryPropertyListDecoder()
          for (document, list) in zip(documents, lists) {
            try expect(try decoder.decode(CodableDocument.self, from: list).priority == document.priority)
          }
        }
      },
    ]
  }

  /// Creates an operation that runs transactions which set the same keys, each time to other numbers.
  private static func transactions(_ id: String, count: Int, keyCount: Int) -> CountedOperation {
    CountedOperation(id, count: count) { scratch in
      let keys = KeyNames.list(count: keyCount)
      return try withFilledFile(scratch, keyCount: 100) { workspace in
        {
          for number in 1...count {
            try workspace.transactAndWait { transaction in
              for key in keys { transaction.dictionary[key, Int.self] = -number }
            }
          }
        }
      }
    }
  }

  /// Opens a workspace on a new file with the keys `key.0`, `key.1`, and so on, each with its number as value.
  private static func withFilledFile(
    _ scratch: ScratchFolder, keyCount: Int, _ work: (SQLiteWorkspace) throws -> () throws -> Void
  ) throws -> Prepared {
    let workspace = try SQLiteWorkspace.open(filePath: filledFile(scratch, keyCount: keyCount))
    return Prepared(work: try work(workspace)) { workspace.shutdown() }
  }

  private static func filledFile(_ scratch: ScratchFolder, keyCount: Int) throws -> String {
    let path = try scratch.newDatabasePath()
    try OpenWorkload.fill(path, count: keyCount)
    return path
  }

  static func expect(_ isRight: Bool) throws {
    guard isRight else { throw BenchmarkFailure("a counted operation has a wrong result") }
  }
}
