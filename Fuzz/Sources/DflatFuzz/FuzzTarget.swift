import CLibFuzzer
import Foundation

/// The fuzz targets. The raw value is the name on the command line and of the corpus folder.
enum FuzzTarget: String, CaseIterable {
  /// Arbitrary bytes, verified, and also read without verification.
  case verifier
  /// Valid buffers, which are read completely, written again, and read again.
  case reader
  /// Arbitrary text as a schema.
  case schema
  /// Arbitrary bytes as the property list of a stored value.
  case plist
  /// Arbitrary text as every kind of JSON that kvtool reads.
  case json
  /// Arbitrary bytes as a commit's record in the change log.
  case record
  /// Arbitrary bytes as an index definition and an object's row.
  case entity

  /// Runs libFuzzer, then ends the process.
  func run() -> Never {
    // libFuzzer takes C functions, which can't capture values.
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
