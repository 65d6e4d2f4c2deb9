import CLibFuzzer
import Foundation

/// What is fuzzed; the raw value is its name on the command line and its corpus's folder.
enum FuzzTarget: String, CaseIterable {
  /// Arbitrary bytes: verified, and read without having been.
  case verifier
  /// Buffers that verify: everything in them is read, written again, and read again.
  case reader
  /// Arbitrary text as a schema.
  case schema

  /// Runs libFuzzer, which ends the process.
  func run(options: [String]) -> Never {
    // libFuzzer takes plain functions, which capture nothing.
    let test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    switch self {
    case .verifier:
      fuzz_set_mutator(mutateFlatBuffer)
      test = { bytes, count in
        VerifierTarget.test(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      }
    case .reader:
      fuzz_set_mutator(mutateFlatBuffer)
      test = { bytes, count in
        ReaderTarget.test(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      }
    case .schema:
      test = { bytes, count in
        SchemaTarget.test(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      }
    }
    // Never freed: libFuzzer keeps them.
    var count = CInt(options.count)
    let strings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: options.count + 1)
    for (index, option) in options.enumerated() { strings[index] = strdup(option) }
    strings[options.count] = nil
    var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = strings
    exit(LLVMFuzzerRunDriver(&count, &argv, test))
  }

  /// Writes what the fuzzer may start from, a file each.
  func writeSeeds(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let seeds: [Data] =
      switch self {
      case .verifier, .reader: (1...40).map { Every.random(seed: $0).toData() }
      case .schema: []
      }
    for (index, seed) in seeds.enumerated() {
      try seed.write(to: URL(fileURLWithPath: "\(folder)/seed-\(index)"))
    }
  }
}
