import DflatPropertyList
import Foundation
import TestSupport
import Testing

@Suite struct HostileBytesTests {
  private let encoder = BinaryPropertyListEncoder()
  private let decoder = BinaryPropertyListDecoder()

  @Test("Damaged lists decode or throw, and never trap", arguments: 0..<10)
  func damaged(seed: UInt64) throws {
    var source = SampleSource(random: SeededGenerator(seed: seed), isTame: false)
    var refused = 0
    for _ in 0..<200 {
      var list = try encoder.encode(source.sample(levels: 2))
      for _ in 0..<Int.random(in: 1...4, using: &source.random) {
        let place = Int.random(in: 0..<list.count, using: &source.random)
        list[place] = UInt8.random(in: .min ... .max, using: &source.random)
      }
      if Int.random(in: 0...9, using: &source.random) == 0 { list.removeLast(list.count / 2) }
      do { _ = try decoder.decode(Sample.self, from: list) } catch is DecodingError { refused += 1 }
    }
    #expect(refused > 0)
  }

  @Test("Every list that is cut short is refused")
  func cut() throws {
    let list = try encoder.encode(["key": [1, 2, 3]])
    for count in 0..<list.count {
      #expect(throws: DecodingError.self) { try decoder.decode([String: [Int]].self, from: list.prefix(count)) }
    }
    // A slice doesn't begin at 0.
    #expect(try decoder.decode([String: [Int]].self, from: (Data([1, 2]) + list).dropFirst(2)) == ["key": [1, 2, 3]])
  }

  @Test(
    "Integers of every width are read, also the 16 bytes of other writers",
    arguments: [
      ([0x10, 0xff], 255), ([0x11, 0xff, 0xff], 65_535), ([0x12, 0xff, 0xff, 0xff, 0xff], 4_294_967_295),
      ([0x13] + [UInt8](repeating: 0xff, count: 8), -1), ([0x14] + [UInt8](repeating: 0xff, count: 16), -1),
      ([0x14] + [UInt8](repeating: 0, count: 15) + [7], 7),
    ] as [([UInt8], Int)])
  func integers(object: [UInt8], expected: Int) throws {
    let list = Data(binaryPropertyList(of: [[0xa1, 0, 1], object]))
    #expect(try decoder.decode([Int].self, from: list) == [expected])
  }

  @Test(
    "Objects that no type has are refused without a trap",
    arguments: [
      [0x14] + [UInt8](repeating: 1, count: 16), [0x0f], [0x15], [0x21, 0, 0], [0x30], [0x51, 0xff], [0x61, 0xd8, 0],
      [0x71, 0xff], [0xc1, 0, 0], [0x88], [0xff],
    ] as [[UInt8]])
  func oddObjects(object: [UInt8]) {
    let list = Data(binaryPropertyList(of: [[0xa1, 0, 1], object]))
    #expect(throws: DecodingError.self) { try decoder.decode([Int].self, from: list) }
    #expect(throws: DecodingError.self) { try decoder.decode([String].self, from: list) }
    #expect(throws: DecodingError.self) { try decoder.decode([Double].self, from: list) }
  }

  @Test("Keys that aren't strings are skipped, and a key that occurs twice has one of its values")
  func oddKeys() throws {
    let list = Data(
      binaryPropertyList(of: [[0xd3, 0, 1, 0, 2, 0, 2, 0, 1, 0, 1, 0, 1], [0x10, 5], [0x51, 97]]))
    #expect(try decoder.decode([String: Int].self, from: list) == ["a": 5])
  }

  @Test("A dictionary with one key many times is decoded in time proportional to its size", .timeLimit(.minutes(15)))
  func oneKeyManyTimes() throws {
    struct Absent: Decodable { var b: Int? }
    let count = 1 << 17
    let marker: [UInt8] = [0xdf, 0x12, 0, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
    let references = [UInt8](repeating: 0, count: 4 * count).enumerated().map { UInt8($0.offset % 2) }
    let list = Data(binaryPropertyList(of: [marker + references, [0x51, 97]]))
    #expect(try decoder.decode(Absent.self, from: list).b == nil)
  }

  @Test(
    "Arrays that share an array at each level are refused in time proportional to the list's size",
    .timeLimit(.minutes(15)))
  func sharedAtEachLevel() {
    let shared = 511 * 65
    var objects: [[UInt8]] = []
    func references(_ numbers: [Int]) -> [UInt8] { numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
    // Each level holds 64 objects of its own, which are the same bytes, and the next level.
    let long = [0xaf, 0x11, 0x1f, 0x40] + references([Int](repeating: shared, count: 8_000))
    for level in 0..<511 {
      objects.append(
        [0xaf, 0x10, 65] + references((1...64).map { level * 65 + $0 } + [level < 510 ? level * 65 + 65 : shared]))
      objects += [[UInt8]](repeating: long, count: level < 4 ? 64 : 0)
      if level >= 4 { objects += [[UInt8]](repeating: [0xa0], count: 64) }
    }
    objects.append([0x10, 1])
    let list = Data(binaryPropertyList(of: objects))
    #expect(throws: DecodingError.self) { try decoder.decode([[Int]].self, from: list) }
  }

  @Test("A single object at the top counts against the memory limit")
  func largeTop() throws {
    let list = try encoder.encode(String(repeating: "x", count: 100_000))
    let limited = BinaryPropertyListDecoder(limits: PropertyListLimits(maximumMemory: 50_000))
    #expect(throws: DecodingError.self) { try limited.decode(String.self, from: list) }
    #expect(try decoder.decode(String.self, from: list).utf8.count == 100_000)
  }

  @Test("A shared array counts against the depth limit at each place that refers to it")
  func sharedAtTheBottom() throws {
    // Two references to one empty array: once next to the top, once at the deepest level or one below it.
    for (levels, isRead) in [(511, true), (512, false)] {
      var objects: [[UInt8]] = [[0xa2, UInt8(levels >> 8), UInt8(levels & 255), 0, 1]]
      for level in 1..<levels { objects.append([0xa1, UInt8((level + 1) >> 8), UInt8((level + 1) & 255)]) }
      objects.append([0xa0])
      let list = Data(binaryPropertyList(of: objects))
      struct Anything: Decodable { init(from decoder: any Decoder) {} }
      if isRead {
        #expect(throws: Never.self) { try decoder.decode(Anything.self, from: list) }
      } else {
        #expect(throws: DecodingError.self) { try decoder.decode(Anything.self, from: list) }
      }
    }
  }
}
