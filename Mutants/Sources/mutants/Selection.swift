import Foundation

/// The files to mutate, and the choice among all possible mutations.
struct Selection {
  /// The folders whose code tests must guard: pipeline, transactions, publication, stores, queries, observation, and
  /// the code that reads their data from the file.
  static let folders = [
    "Sources/DflatCore/Pipeline", "Sources/DflatCore/Transactions", "Sources/DflatCore/Publication",
    "Sources/DflatCore/ChangeLog", "Sources/DflatCore/Reading", "Sources/DflatCore/Workspace", "Sources/DflatEntities",
    "Sources/DflatKV/Store", "Sources/DflatKV/Observation",
  ]

  /// Returns all possible mutations, ordered by file.
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

  /// Returns about `count` mutations that don't overlap, spread evenly over the files.
  ///
  /// A mutation's rank depends only on its name and the seed, so a change in one file doesn't affect the choice in
  /// others.
  static func choose(_ count: Int, of all: [Mutation], seed: UInt64) -> [Mutation] {
    var chosen: [String: [Mutation]] = [:]
    var total = 0
    // Prefer other kinds over numbers, which are many and less informative.
    let byFile = Dictionary(grouping: all, by: \.file).mapValues { mutations in
      mutations.map { (rank: ($0.kind == .number ? 1 : 0, rank($0, seed: seed)), mutation: $0) }
        .sorted { $0.rank < $1.rank }.map(\.mutation)
    }
    var queues = byFile.sorted { $0.key < $1.key }.map { $0.value[...] }
    while total < count, !queues.isEmpty {
      for index in queues.indices where total < count {
        while let next = queues[index].popFirst() {
          let taken = chosen[next.file, default: []]
          guard taken.allSatisfy({ $0.end <= next.start || next.end <= $0.start }) else { continue }
          chosen[next.file, default: []].append(next)
          total += 1
          break
        }
      }
      queues.removeAll(where: \.isEmpty)
    }
    return chosen.values.joined().sorted { ($0.file, $0.start) < ($1.file, $1.start) }
  }

  private static func rank(_ mutation: Mutation, seed: UInt64) -> UInt64 {
    // FNV-1a, mixed with the seed.
    let hash = mutation.name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    var generator = SplitMix64(state: hash ^ (seed &* 0x9e37_79b9_7f4a_7c15))
    return generator.next()
  }
}

/// Generates random numbers as in Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators" (2014).
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
