import Foundation

extension SeededGenerator {
  /// Returns a generator with the seed of the environment variable `DFLATKV_SEED`, or else a new seed. Prints the seed.
  package static func announced(for test: String) -> SeededGenerator {
    let given = ProcessInfo.processInfo.environment["DFLATKV_SEED"].flatMap { UInt64($0) }
    let generator = SeededGenerator(seed: given ?? UInt64.random(in: 1...UInt64(UInt32.max)))
    print("\(test): seed \(generator.seed) (DFLATKV_SEED=\(generator.seed) replays it)")
    return generator
  }
}
