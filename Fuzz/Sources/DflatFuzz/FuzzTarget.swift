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

  /// Runs libFuzzer, then ends the process.
  func run() -> Never {
    // libFuzzer takes plain functions, which capture nothing.
    let test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    switch self {
    case .verifier:
      fuzz_set_mutator(mutateFlatBuffer)
      test = { bytes, count in
        testVerifier(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      }
    case .reader:
      fuzz_set_mutator(mutateFlatBuffer)
      test = { bytes, count in
        testReader(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      }
    case .schema:
      test = { bytes, count in
        testSchema(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      }
    }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, test))
  }
}
