import Benchmark
import DflatBuffers
import DflatEntities
import DflatKV
import Foundation

/// FlatBuffers values: encoding and decoding compared with property lists, and dictionary access compared with
/// integers.
enum FlatBuffersWorkloads {
  static let all = [encode, decode, insertReturned, insertSynced, insertSyncedAgainstSQLite, cold, coldAgainstSQLite]

  private static let documentCount = 10_000

  static let encode = Comparison(
    id: "encode-flatbuffers", title: "Encode BenchDoc, \(documentCount) times",
    baselineTitle: "the binary property list encoder, the same struct", limit: 0.1
  ) { _ in
    let documents = (0..<documentCount).map { BenchDoc($0) }
    let structs = (0..<documentCount).map { CodableDocument($0) }
    return .init(
      workload: { state in
        var builder = FlatBufferBuilder()
        var bytes = 0
        state.start()
        for document in documents { bytes += try document.encoded(with: &builder).count }
        try state.end()
        guard bytes > documentCount * 50 else { throw BenchmarkFailure("the buffers are too short") }
      },
      baseline: { state in
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        var bytes = 0
        state.start()
        for value in structs { bytes += try encoder.encode(value).count }
        try state.end()
        guard bytes > documentCount * 50 else { throw BenchmarkFailure("the property lists are too short") }
      })
  }

  static let decode = Comparison(
    id: "decode-flatbuffers", title: "Decode BenchDoc, \(documentCount) times",
    baselineTitle: "the property list decoder, the same struct", limit: 0.1, note: "including verification"
  ) { _ in
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let buffers = (0..<documentCount).map { BenchDoc($0).toData() }
    let lists = try (0..<documentCount).map { try encoder.encode(CodableDocument($0)) }
    return .init(
      workload: { state in
        var right = 0
        state.start()
        for (number, data) in buffers.enumerated() where try BenchDoc(data: data).priority == number { right += 1 }
        try state.end()
        guard right == documentCount else { throw BenchmarkFailure("\(documentCount - right) values are wrong") }
      },
      baseline: { state in
        let decoder = PropertyListDecoder()
        var right = 0
        state.start()
        for (number, data) in lists.enumerated()
        where try decoder.decode(CodableDocument.self, from: data).priority == number { right += 1 }
        try state.end()
        guard right == documentCount else { throw BenchmarkFailure("\(documentCount - right) values are wrong") }
      })
  }

  // MARK: In the dictionary

  static let insertReturned = Comparison(
    id: "insert-flatbuffers", title: "Insert 40,000 FlatBuffersCodable", baselineTitle: "Insert 40,000 Int", limit: 1.5,
    note: "until the last call returned; the values are created before"
  ) { scratch in
    let keys = KeyNames.list()
    let documents = keys.indices.map { BenchDoc($0) }
    return .init(
      workload: { state in
        try insert(scratch, &state, untilSynced: false) { $0[keys[$1], BenchDoc.self] = documents[$1] }
      },
      baseline: { state in
        try insert(scratch, &state, untilSynced: false) { $0[keys[$1], Int.self] = $1 }
      })
  }

  static let insertSynced = Comparison(
    id: "insert-flatbuffers-synced", title: "Insert 40,000 FlatBuffersCodable, Synced",
    baselineTitle: "Insert 40,000 Int, Synced", note: "the values are created before"
  ) { scratch in
    let keys = KeyNames.list()
    let documents = keys.indices.map { BenchDoc($0) }
    return .init(
      workload: { state in
        try insert(scratch, &state, untilSynced: true) { $0[keys[$1], BenchDoc.self] = documents[$1] }
      },
      baseline: { state in
        try insert(scratch, &state, untilSynced: true) { $0[keys[$1], Int.self] = $1 }
      })
  }

  static let cold = Comparison(
    id: "read-flatbuffers-cold", title: "Read 40,000 FlatBuffersCodable, Cold", baselineTitle: "Read 40,000 Int, Cold",
    limit: 1.5
  ) { scratch in
    let keys = KeyNames.list()
    let integers = try Workload.filledFile(scratch, keys: keys)
    let path = try scratch.newDatabasePath()
    try Workload.withWorkspace(path) { workspace in
      for (index, key) in keys.enumerated() { workspace.dictionary[key] = BenchDoc(index) }
      try workspace.dictionary.synchronize()
    }
    return .init(
      workload: { state in
        try read(path, &state) { $0[keys[$1], BenchDoc.self]?.priority == Int32($1) }
      },
      baseline: { state in
        try read(integers, &state) { $0[keys[$1], Int.self] == $1 }
      },
      tearDown: {
        scratch.removeDatabase(at: path)
        scratch.removeDatabase(at: integers)
      })
  }

  static let insertSyncedAgainstSQLite = Comparison(
    id: "insert-flatbuffers-synced-raw", title: "Insert 40,000 FlatBuffersCodable, Synced",
    baselineTitle: "raw SQLite, the same bytes in one transaction", limit: 1.3,
    note: "the values are created before, and the baseline's are encoded before, too"
  ) { scratch in
    let keys = KeyNames.list()
    let documents = keys.indices.map { BenchDoc($0) }
    let buffers = documents.map { [UInt8]($0.toData()) }
    return .init(
      workload: { state in
        try insert(scratch, &state, untilSynced: true) { $0[keys[$1], BenchDoc.self] = documents[$1] }
      },
      baseline: { state in
        try Workload.withNewRawDatabase(scratch) { raw in
          state.start()
          try fill(raw, keys, buffers)
          try state.end()
        }
      })
  }

  static let coldAgainstSQLite = Comparison(
    id: "read-flatbuffers-cold-raw", title: "Read 40,000 FlatBuffersCodable, Cold, one thread",
    baselineTitle: "raw select of the same bytes, copied, in a held read transaction", limit: 1.5,
    note: "the baseline decodes nothing"
  ) { scratch in
    let keys = KeyNames.list()
    let path = try scratch.newDatabasePath()
    try Workload.withWorkspace(path) { workspace in
      for (index, key) in keys.enumerated() { workspace.dictionary[key] = BenchDoc(index) }
      try workspace.dictionary.synchronize()
    }
    let rawPath = try scratch.newDatabasePath()
    try fill(RawDatabase(path: rawPath), keys, keys.indices.map { [UInt8](BenchDoc($0).toData()) })
    return .init(
      workload: { state in
        try Workload.withWorkspace(path) { workspace in
          try TaskMeasurement.onOneThread(&state, workspace.dictionary) {
            $0[keys[$1], BenchDoc.self]?.priority == Int32($1)
          }
        }
      },
      baseline: { state in
        let raw = try RawDatabase(path: rawPath)
        try raw.read {
          var bytes = 0
          state.start()
          for key in keys { bytes += try raw.read(key) { [UInt8]($0).count } }
          try state.end()
          guard bytes > keys.count * 50 else { throw BenchmarkFailure("the values are too short") }
        }
      },
      tearDown: {
        scratch.removeDatabase(at: path)
        scratch.removeDatabase(at: rawPath)
      })
  }

  private static func fill(_ raw: RawDatabase, _ keys: [String], _ buffers: [[UInt8]]) throws {
    try raw.write {
      for (key, buffer) in zip(keys, buffers) { try buffer.withUnsafeBytes { try raw.insert(key, $0) } }
    }
  }

  private static func insert(
    _ scratch: ScratchFolder, _ state: inout BenchmarkState, untilSynced: Bool,
    _ set: @escaping @Sendable (WorkspaceDictionary, Int) -> Void
  ) throws {
    try Workload.withNewWorkspace(scratch) { workspace in
      let dictionary = workspace.dictionary
      state.start()
      ConcurrentTasks.run { range in
        for index in range { set(dictionary, index) }
      }
      if untilSynced { try dictionary.synchronize() }
      try state.end()
      if !untilSynced { try dictionary.synchronize() }
    }
  }

  private static func read(
    _ path: String, _ state: inout BenchmarkState, _ isRight: @escaping @Sendable (WorkspaceDictionary, Int) -> Bool
  ) throws {
    try Workload.withWorkspace(path) { workspace in
      let dictionary = workspace.dictionary
      guard dictionary["absent", Int.self] == nil else { throw BenchmarkFailure("an absent key has a value") }
      try TaskMeasurement.concurrently(&state) { isRight(dictionary, $0) }
    }
  }
}
