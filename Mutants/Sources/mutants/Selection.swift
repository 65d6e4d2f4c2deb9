import Foundation

/// The files in which faults are compiled, and the choice among all possible ones.
struct Selection {
  /// The folders whose code has to be guarded by tests: pipeline, publication, stores, queries, observation, and what they
  /// read from the file.
  static let folders = [
    "Sources/DflatCore/Pipeline", "Sources/DflatCore/Publication", "Sources/DflatCore/ChangeLog",
    "Sources/DflatCore/Reading", "Sources/DflatCore/Workspace", "Sources/DflatCore/Entities",
    "Sources/DflatCore/Queries", "Sources/DflatCore/Observation", "Sources/DflatKV/Store",
    "Sources/DflatKV/Observation",
  ]

  /// All mutations of the tree's files, in the order of the files.
  static func all(in root: URL) throws -> [Mutation] {
    try files(in: root).flatMap { file in
      MutationFinder.mutations(
        in: try String(contentsOf: root.appending(path: file), encoding: .utf8), file: file)
    }
  }

  private static func files(in root: URL) throws -> [String] {
    try folders.flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    }.sorted()
  }

  /// About `count` mutations that don't overlap, spread over files and kinds by a seed.
  static func choose(_ count: Int, of all: [Mutation], seed: UInt64) -> [Mutation] {
    var generator = SplitMix64(state: seed)
    var chosen: [String: [Mutation]] = [:]
    var total = 0
    // Numbers are many and say little: they come last in each file's turn.
    let byFile = Dictionary(grouping: all, by: \.file).mapValues { mutations in
      mutations.shuffled(using: &generator).sorted { ($0.kind == .number ? 1 : 0) < ($1.kind == .number ? 1 : 0) }
    }
    var queues = byFile.sorted { $0.key < $1.key }.map { (file: $0.key, rest: $0.value[...]) }
    while total < count, !queues.isEmpty {
      for index in queues.indices where total < count {
        while let next = queues[index].rest.popFirst() {
          let taken = chosen[next.file, default: []]
          guard taken.allSatisfy({ $0.end <= next.start || next.end <= $0.start }) else { continue }
          chosen[next.file, default: []].append(next)
          total += 1
          break
        }
      }
      queues.removeAll { $0.rest.isEmpty }
    }
    return chosen.values.joined().sorted { ($0.file, $0.start) < ($1.file, $1.start) }
  }
}

/// Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators" (2014).
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
