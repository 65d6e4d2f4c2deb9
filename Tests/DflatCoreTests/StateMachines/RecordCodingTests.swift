import DflatCore
import TestSupport
import Testing

@Suite struct RecordCodingTests {
  @Test("Numbers are read back as they were written")
  func numbersComeBack() {
    let numbers: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, 1 << 32, 1 << 62, 1 << 63, .max - 1, .max]
    var writer = RecordWriter()
    for number in numbers { writer.write(number) }
    var reader = RecordReader(writer.bytes)
    for number in numbers { #expect(reader.number() == number) }
    #expect(reader.isAtEnd)
    #expect(reader.number() == nil)
  }

  @Test("Bytes and counted bytes are read back as they were written")
  func bytesComeBack() {
    var writer = RecordWriter()
    writer.write(7 as UInt8)
    writer.write(counted: "key".utf8)
    writer.write(counted: [UInt8]())
    writer.write(counted: [UInt8](repeating: 9, count: 300))
    var reader = RecordReader(writer.bytes)
    #expect(reader.byte() == 7)
    #expect(reader.counted().map(Array.init) == Array("key".utf8))
    #expect(reader.counted().map(Array.init) == [])
    #expect(reader.counted()?.count == 300)
    #expect(reader.isAtEnd)
    #expect(reader.byte() == nil && reader.counted() == nil)
  }

  @Test(
    "A number that is cut short or exceeds 64 bits is not read",
    arguments: [
      [0x80],
      [0xff, 0xff],
      // 2^64, a larger number in ten bytes, and a number of eleven bytes.
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    ] as [[UInt8]])
  func aNumberThatMakesNoSense(bytes: [UInt8]) {
    var reader = RecordReader(bytes)
    #expect(reader.number() == nil)
  }

  @Test(
    "Counted bytes whose count is missing or too large are not read",
    arguments: [[], [1], [5, 1, 2, 3, 4], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0]] as [[UInt8]])
  func aCountThatIsTooLarge(bytes: [UInt8]) {
    var reader = RecordReader(bytes)
    #expect(reader.counted() == nil)
  }

  @Test("A record is found by its kind, and one that is cut short is damaged")
  func aRecordIsFoundByItsKind() {
    var writer = RecordWriter()
    for kind in [3, 1, 9] as [UInt8] {
      writer.write(kind)
      writer.write(counted: [kind, kind])
    }
    for kind in [1, 3, 9] as [UInt8] {
      guard case .found(var body) = RecordReader.record(of: kind, in: writer.bytes) else {
        Issue.record("No record of kind \(kind).")
        continue
      }
      #expect(body.byte() == kind)
      #expect(body.byte() == kind)
      #expect(body.isAtEnd)
    }
    guard case .none = RecordReader.record(of: 2, in: writer.bytes), case .none = RecordReader.record(of: 1, in: [])
    else {
      Issue.record("A record was found that was not written.")
      return
    }
    // A record that was cut short is damaged, not missing.
    guard case .damaged = RecordReader.record(of: 9, in: Array(writer.bytes.dropLast(1))) else {
      Issue.record("The damage was not reported.")
      return
    }
  }

  @Test("Reading arbitrary bytes never traps", arguments: 1...20)
  func randomBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      var reader = RecordReader(bytes)
      for _ in 0...bytes.count {
        switch UInt8.random(in: 0...2, using: &generator) {
        case 0: _ = reader.byte()
        case 1: _ = reader.number()
        default: _ = reader.counted()
        }
      }
      _ = RecordReader.record(of: 1, in: bytes)
    }
  }
}
