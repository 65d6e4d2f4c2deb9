import DflatSupport
import Testing

@Suite struct BytesHashTests {
  @Test("Hashes depend on the last bytes of texts of any length", arguments: 4...24) func lastBytes(length: Int) {
    let start = String(repeating: "x", count: length - 4)
    let hashes = (1_000..<5_000).map { number in
      Array((start + String(number)).utf8).withUnsafeBytes { BytesHash.hash($0) }
    }
    // Both halves are used as hashes of 32 bits, of which few may be equal by chance.
    #expect(Set(hashes.map { UInt32(truncatingIfNeeded: $0) }).count > 3_980)
    #expect(Set(hashes.map { $0 >> 32 }).count > 3_980)
  }
}
