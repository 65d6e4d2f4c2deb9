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
  /// Arbitrary bytes as the property list of a stored value.
  case plist
  /// Arbitrary text as all the JSON that kvtool reads.
  case json
  /// Arbitrary bytes as the change log's record of a commit.
  case record
  /// Arbitrary bytes as an object's row, beside an index's definition.
  case entity

  /// Runs libFuzzer, then ends the process.
  func run() -> Never {
    // libFuzzer takes plain functions, which capture nothing.
    let test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    switch self {
    case .verifier:
      fuzz_set_mutator(mutateFlatBuffer)
      test = { call(testVerifier, $0, $1) }
    case .reader:
      fuzz_set_mutator(mutateFlatBuffer)
      test = { call(testReader, $0, $1) }
    case .schema: test = { call(testSchema, $0, $1) }
    case .plist:
      fuzz_set_mutator(mutatePropertyList)
      test = { call(testPropertyList, $0, $1) }
    case .json: test = { call(testJSON, $0, $1) }
    case .record: test = { call(testRecord, $0, $1) }
    case .entity:
      fuzz_set_mutator(mutateEntity)
      test = { call(testEntity, $0, $1) }
    }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, test))
  }
}

private func call(_ test: (UnsafeRawBufferPointer) -> Void, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  test(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}
